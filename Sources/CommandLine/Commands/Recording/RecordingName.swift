internal import Control
internal import Store

/// The recording that a command is about.
enum RecordingName {
  static let operand = Operand<SessionName>(
    .optional, summary: Meant.summary("recording", usual: SessionName.usual.text))

  /// The one that was named, or the one that is meant without a name.
  static func given(
    _ arguments: Arguments, _ link: SessionLink, all: Bool = false
  ) throws(Failure) -> SessionName {
    try link.meant(by: arguments[operand].first, all: all)
  }
}

extension SessionLink {
  /// The recording of that name; without one the usual one, where it runs or has a result that nobody has read,
  /// else the only one that runs.
  func meant(by name: SessionName?, all: Bool = false) throws(Failure) -> SessionName {
    if let name { return name }
    if store.isLive(.usual) || store.result(of: .usual) != nil { return .usual }
    let live = store.records.compactMap { SessionName($0.name) }.filter(store.isLive)
    if let only = try Meant.only(live, "recording", called: \.text, all: all) { return only }
    // One that died is told of.
    if store.record(of: .usual) != nil { return .usual }
    // A machine that shares the home may have one.
    if store.distant.contains(where: { $0.record.name == SessionName.usual.text }) { return .usual }
    throw Failure(
      .notFound,
      Message("nothing is being recorded", advice: "\"recorder takes\" lists finished recordings"))
  }
}
