package import Audio
package import JSON

/// The state of a session at one moment.
@dynamicMemberLookup
package struct RecordingStatus: Hashable, Sendable {
  /// The states of a recording.
  package enum State: String, Hashable, Sendable {
    case starting
    /// The device is open. No frame is kept until a trigger or a sound starts the take.
    case armed
    case recording, paused, finishing
  }

  /// The facts of the take so far; the path and the size are those of the current file.
  package var facts: TakeFacts
  /// The state at that moment.
  package var state: State
  /// The process number of the session.
  package var process: Int32
  /// The level since the last report.
  package var level: Level = .silence
  /// The level of each channel of the file in the same frames, or empty if unknown.
  package var channels: [Level] = []
  /// The number of samples at full scale since the beginning.
  package var totalClipped = 0
  /// The frames in the current file if the take has several files, or nil otherwise.
  package var segmentFrames: FrameCount?
  /// The mean level that starts an armed take, or nil if no level does.
  package var startOnSound: Decibels?
  /// The number of bytes that may still be written to the disk, or nil if unknown.
  package var freeBytes: Int64?
  /// The time since 1970 at which the microphone access ends, or nil if it has no end.
  package var accessUntil: Duration?
  /// The seconds of recording that still fit on the disk, or nil if unknown.
  package var freeSeconds: Double?
  /// The current warnings, as text for the user.
  package var warnings: [String] = []

  /// More channels than any sound card has.
  private static let mostChannels = 1_024

  /// A status without warnings. The other members are set afterwards.
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
  /// Reads a reply or an event, or returns nil if a member is missing or its sums could overflow.
  package init?(json: JSONValue) {
    guard let facts = TakeFacts(json: json, peak: "highestPeak"),
      let state = json["state"]?.string.flatMap(State.init(rawValue:)),
      let process = json["pid"]?.integer(in: 1...Int32.max)
    else { return nil }
    self.init(facts, state: state, process: process)
    level = Level(
      peak: Decibels(json: json["peak"]).amplitude, rms: Decibels(json: json["rms"]).amplitude,
      clipped: json["clipped"]?.integer(in: .counts) ?? 0)
    channels = json["levels"]?.array?.prefix(Self.mostChannels).map(Level.init(meter:)) ?? []
    totalClipped = json["totalClipped"]?.integer(in: .counts) ?? level.clipped
    segmentFrames = json["segmentFrames"]?.integer(in: 0...FrameCount.most.value).map {
      FrameCount($0)
    }
    startOnSound = json["startOnSound"]?.number(in: -1e3...1e3).map { Decibels($0) }
    freeBytes = json["freeBytes"]?.integer(in: .sizes)
    accessUntil = json["accessUntil"].flatMap(Duration.init(moment:))
    freeSeconds = json["freeSeconds"]?.number(in: 0...1e15)
    warnings = json["warnings"].flatMap([String].init(json:)) ?? []
  }

  /// The JSON object of a reply or an event. Levels are in decibels.
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
    if !channels.isEmpty { members["levels"] = .array(channels.map(\.meter)) }
    members.set("totalClipped", totalClipped)
    members.add(facts.size)
    members.set("segment", facts.segment)
    members.set("segmentFrames", segmentFrames?.value)
    members.set("startOnSound", startOnSound?.value)
    members.set("freeSeconds", freeSeconds)
    members.set("freeBytes", freeBytes)
    members["accessUntil"] = accessUntil?.moment
    members.set("client", facts.client)
    members.set("warnings", warnings)
    return .object(members)
  }
}

extension Decibels {
  /// Reads a level from JSON. A null or missing value is silence.
  package init(json: JSONValue?) { self.init(json?.number ?? -.infinity) }

  /// The number, or null for silence.
  package var json: JSONValue { value.isFinite ? .number(value) : .null }
}

extension Level {
  /// Reads the output of `meter`. A missing member is silence.
  fileprivate init(meter json: JSONValue) {
    self.init(
      peak: Decibels(json: json["peak"]).amplitude, rms: Decibels(json: json["rms"]).amplitude,
      clipped: json["clipped"]?.integer(in: .counts) ?? 0)
  }

  /// The JSON object of one channel. Levels are in decibels.
  fileprivate var meter: JSONValue {
    [
      "peak": Decibels(amplitude: peak).json, "rms": Decibels(amplitude: rms).json,
      "clipped": clipped.json,
    ]
  }
}
