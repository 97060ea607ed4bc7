package import Audio
package import JSON

/// The state of a session at one instant.
@dynamicMemberLookup
package struct RecordingStatus: Hashable, Sendable {
  /// The states of a recording.
  package enum State: String, Hashable, Sendable {
    case starting
    /// The device is open; no frame is kept until a trigger or a sound begins the take.
    case armed
    case recording, paused, finishing
  }

  /// The facts of the take so far; the path and the size are those of the current file.
  package var facts: TakeFacts
  /// The state at that instant.
  package var state: State
  /// The process number of the session.
  package var process: Int32
  /// The level since the last report.
  package var level: Level = .silence
  /// The seconds of recording that still fit on the disk; nil where unknown.
  package var freeSeconds: Double?
  /// The current warnings, in words for the user.
  package var warnings: [String] = []

  /// A status without warnings; the other members are set afterwards.
  package init(_ facts: TakeFacts, state: State, process: Int32) {
    self.facts = facts
    self.state = state
    self.process = process
  }

  /// A fact of the take.
  package subscript<Value>(dynamicMember fact: WritableKeyPath<TakeFacts, Value>) -> Value {
    get { facts[keyPath: fact] }
    set { facts[keyPath: fact] = newValue }
  }
}

extension RecordingStatus: JSONConvertible {
  /// Reads a reply or an event; nil where a member is missing or its sums could overflow.
  package init?(json: JSONValue) {
    guard let facts = TakeFacts(json: json, peak: "highestPeak"),
      let state = json["state"]?.string.flatMap(State.init(rawValue:)),
      let process = json["pid"]?.integer(in: 1...Int32.max)
    else { return nil }
    self.init(facts, state: state, process: process)
    level = Level(
      peak: Decibels(json: json["peak"]).amplitude, rms: Decibels(json: json["rms"]).amplitude,
      clipped: json["clipped"]?.integer(in: 0...Int.max) ?? 0)
    freeSeconds = json["freeSeconds"]?.number(in: 0...1e15)
    warnings = json["warnings"].flatMap([String].init(json:)) ?? []
  }

  /// The object of a reply or an event; levels are in decibels.
  package var json: JSONValue {
    var members = facts.identity
    members.set("state", state.rawValue)
    members.set("pid", process)
    members.set("path", facts.path)
    members.add(facts.source)
    members.set("elapsed", facts.frames.elapsed.duration(at: facts.stream.rate))
    members.add(facts.counts)
    members["peak"] = Decibels(amplitude: level.peak).json
    members["rms"] = Decibels(amplitude: level.rms).json
    members.set("clipped", level.clipped)
    members["highestPeak"] = facts.peak
    members.add(facts.size)
    members.set("segment", facts.segment)
    members.set("freeSeconds", freeSeconds)
    members.set("client", facts.client)
    members.set("warnings", warnings)
    return .object(members)
  }
}

extension Decibels {
  /// A level as JSON has it, where null is silence.
  package init(json: JSONValue?) { self.init(json?.number ?? -.infinity) }

  /// The number, or null for silence.
  package var json: JSONValue { value.isFinite ? .number(value) : .null }
}
