package import Audio
internal import Control
package import Files
package import JSON
package import Recording

extension PositionedEvent {
  /// The object for the journal and the sidecar.
  package var json: JSONValue {
    var members: JSONObject = ["frame": frame.value.json]
    switch event {
    case .mark(let text):
      members.set("event", "mark")
      members.set("text", text)
    case .paused: members.set("event", "paused")
    case .resumed(let length):
      members.set("event", "resumed")
      members.set("discarded", length.value)
    case .gap(let gap, let isFilled):
      members.set("event", "gap")
      members.set("lost", gap.length.value)
      members.set("cause", gap.cause.rawValue)
      if !isFilled { members.set("filled", false) }
    case .track(let name, let cause):
      members.set("event", "track")
      members.set("track", name)
      members.set("silent", cause?.rawValue)
    case .device(let track, let former, let present):
      members.set("event", "device")
      members.set("track", track)
      members.set("from", former)
      members.set("to", present)
    }
    return .object(members)
  }

  /// Decodes an event.
  package init?(json: JSONValue) {
    guard let frame = json["frame"].flatMap(FrameCount.init(json:)),
      let event = json["event"]?.string.flatMap({ Self.event($0, at: frame, json) })
    else { return nil }
    self.init(at: frame, event)
  }

  /// Returns the events of a journal. An event after the frame `last` is moved to `last`. An
  /// incomplete line is skipped.
  package static func events(inJournal bytes: [UInt8], upTo last: FrameCount) -> [PositionedEvent] {
    bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let json = try? JSONValue(decoding: String(decoding: line, as: UTF8.self))
      guard var event = json.flatMap(PositionedEvent.init(json:)) else { return nil }
      event.frame = min(event.frame, last)
      return event
    }
  }

  private static func event(
    _ kind: String, at position: FrameCount, _ json: JSONValue
  ) -> TakeEvent? {
    switch kind {
    case "mark": return json["text"]?.string.map(TakeEvent.mark)
    case "paused": return .paused
    case "resumed":
      return json["discarded"].flatMap(FrameCount.init(json:)).map { .resumed(after: $0) }
    case "gap":
      guard let lost = json["lost"].flatMap(FrameCount.init(json:)),
        let cause = json["cause"]?.string.flatMap(Gap.Cause.init(rawValue:))
      else { return nil }
      let gap = Gap(position: position, length: lost, cause: cause)
      return .gap(gap, isFilled: json["filled"]?.bool ?? true)
    case "track":
      let cause = json["silent"]?.string
      let known = cause.flatMap(Gap.Cause.init(rawValue:))
      return cause != nil && known == nil ? nil : .track(json["track"]?.string, silent: known)
    case "device":
      guard let former = json["from"]?.string, let present = json["to"]?.string else { return nil }
      return .device(ofTrack: json["track"]?.string, from: former, to: present)
    default: return nil
    }
  }

  /// Returns the mark that the file gets for the event, or nil if it gets none. The mark for a
  /// pause is at the end of the pause.
  package func cue(at rate: SampleRate, _ host: any TakeHost) -> SoundFileCue? {
    switch event {
    case .mark(let text): SoundFileCue(at: frame, label: text)
    case .paused, .track, .device: nil
    case .resumed(let length):
      SoundFileCue(at: frame, label: host.label(for: .paused(length.duration(at: rate))))
    case .gap(let gap, _):
      SoundFileCue(at: frame, label: host.label(for: .gap(gap, rate)))
    }
  }
}
