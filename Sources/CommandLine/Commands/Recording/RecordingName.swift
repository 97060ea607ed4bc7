internal import Control
internal import Store

/// The operand that names a command's recording.
enum RecordingName {
  static let operand = Operand<SessionName>(
    .optional, summary: Meant.summary("recording", usual: SessionName.usual.text))

  /// The recording that was named, or the default one for no name.
  static func given(
    _ arguments: Arguments, _ link: SessionLink, all: Bool = false
  ) throws(Failure) -> SessionName {
    try link.meant(by: arguments[operand].first, all: all)
  }
}

extension SessionLink {
  /// The recording of that name. Without a name it is the usual one if that runs or has an unread
  /// result, else the only one that runs.
  func meant(by name: SessionName?, all: Bool = false) throws(Failure) -> SessionName {
    if let name { return name }
    if store.isLive(.usual) || store.result(of: .usual) != nil { return .usual }
    let live = store.records.compactMap { SessionName($0.name) }.filter(store.isLive)
    if let only = try Meant.only(live, "recording", called: \.text, all: all) { return only }
    // A session that died is reported by the caller.
    if store.record(of: .usual) != nil { return .usual }
    // Another machine that shares the home may have one.
    if store.distant.contains(where: { $0.record.name == SessionName.usual.text }) { return .usual }
    throw Failure(
      .notFound,
      Message("nothing is being recorded", advice: "\"recorder takes\" lists finished recordings"))
  }
}
