internal import Audio
internal import CommandLine
internal import Files
internal import JSON
internal import Recording

extension PlacedEvent {
  /// For the journal and the sidecar.
  var json: JSONValue {
    var members: JSONObject = ["frame": frame.value.json]
    switch event {
    case .mark(let text):
      members.set("event", "mark")
      members.set("text", text)
    case .paused: members.set("event", "paused")
    case .resumed(let length):
      members.set("event", "resumed")
      members.set("discarded", length.value)
    case .gap(let gap):
      members.set("event", "gap")
      members.set("lost", gap.length.value)
      members.set("cause", gap.cause.rawValue)
    }
    return .object(members)
  }

  /// As a mark in the file; what led to a cut in its timeline is told once, where it goes on.
  func cue(at rate: SampleRate) -> SoundFileCue? {
    switch event {
    case .mark(let text): SoundFileCue(at: frame, label: text)
    case .paused: nil
    case .resumed(let length):
      SoundFileCue(at: frame, label: "paused for \(clock(length.duration(at: rate)))")
    case .gap(let gap):
      SoundFileCue(at: frame, label: "\(gap.length.value) frames lost (\(gap.cause.rawValue))")
    }
  }
}
