internal import Control
internal import Linux
internal import Store

extension RecordingLocation {
  /// Whether the process of the recording is stopped by a signal. It then answers no request.
  var isStopped: Bool {
    guard case .process(let number) = self else { return false }
    return (try? OtherProcess(number).isStopped) ?? false
  }
}

extension SessionClient {
  /// Returns the location of a recording whose process is stopped, or nil for any other recording.
  func stoppedLocation(of name: SessionName) -> RecordingLocation? {
    let location = store.sessions.record(of: name).map { store.sessions.location(of: $0) }
    return location.flatMap { $0.isStopped ? $0 : nil }
  }

  /// Prints a note if the process of the recording is stopped. Then the request has to wait until
  /// the process continues.
  func noteStopped(_ name: SessionName, _ console: Console) {
    guard let location = stoppedLocation(of: name) else { return }
    console.note("\(quoted(name.text)) does not respond", advice: location.remedy(name.text))
  }
}
