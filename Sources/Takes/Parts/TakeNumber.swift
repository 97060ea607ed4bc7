internal import Control
internal import Linux

/// The numbers in the file names of a take. In one segment, the files of all tracks have the same
/// number.
extension OutputPlan {
  /// Returns the number of the first file of a take. A take that continues a series gets the next
  /// free number. A take with a file for each track gets the first number for which no name is in
  /// use. Any other take, and a take that replaces files, gets 1.
  func firstNumber(of name: String, in directory: borrowing Directory) -> Int {
    if isSeries { return freeNumber(of: name, in: directory, after: 0) }
    if tracks.isEmpty || replaces { return 1 }
    let names = Set(((try? directory.names()) ?? []).map(Path.init))
    let numberings = numberings(of: name)
    let number = (1...NumberedName.highest).first { number in
      numberings.allSatisfy { !names.contains(Path($0.name(number))) }
    }
    return number ?? 1
  }

  /// Returns the first number above `least` and above the numbers of all files of the series. If a
  /// file has the highest possible number, returns the first number above `least` that no file has.
  func freeNumber(of name: String, in directory: borrowing Directory, after least: Int) -> Int {
    let names = (try? directory.names()) ?? []
    let taken = numberings(of: name).flatMap { names.compactMap($0.number) }
    return NumberedName.free(besides: Set(taken), after: least)
  }

  /// The numbered names of the only file, or of the files of all tracks.
  private func numberings(of name: String) -> [NumberedName] {
    guard let first = tracks.first else { return [NumberedName(name)] }
    return tracks.map { NumberedName(TrackFileName.replacing(first, by: $0, in: name)) }
  }
}
