internal import Store

extension MachineStore {
  /// Adds the announced files of dead sessions to the list of takes. Warns about announcements that
  /// cannot be read.
  func addAnnouncedTakes(_ console: Console) {
    for path in announcements.addTakes() {
      console.warn(
        "cannot read \(quoted(path)), so a finished recording may be missing in the list of takes",
        advice: "\"recorder recover\" saves an interrupted recording; "
          + "if this warning remains after that, remove the file")
    }
  }
}
