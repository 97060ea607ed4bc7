package import Audio
package import JSON
internal import Linux

extension Accounting: JSONConvertible {
  /// Reads the four counts of which the others follow; nil where one is missing or negative.
  package init?(json: JSONValue) {
    self.init()
    guard let captured = json["captured"].flatMap(FrameCount.init(json:)),
      let lost = json["lost"].flatMap(FrameCount.init(json:)),
      let discarded = json["discarded"].flatMap(FrameCount.init(json:)),
      let filled = json["filled"].flatMap(FrameCount.init(json:))
    else { return nil }
    self.captured = captured
    self.lost = lost
    self.discarded = discarded
    self.filled = filled
  }

  /// All six counts, the derived ones too.
  package var json: JSONValue {
    [
      "elapsed": elapsed.value.json, "captured": captured.value.json, "lost": lost.value.json,
      "discarded": discarded.value.json, "filled": filled.value.json, "onDisk": onDisk.value.json,
    ]
  }
}

extension Gap: JSONConvertible {
  /// Reads what `json` wrote; nil for an unknown cause.
  package init?(json: JSONValue) {
    guard let position = json["position"].flatMap(FrameCount.init(json:)),
      let length = json["length"].flatMap(FrameCount.init(json:)),
      let cause = json["cause"]?.string.flatMap(Cause.init(rawValue:))
    else { return nil }
    self.init(position: position, length: length, cause: cause)
  }

  /// The object of one gap, in frames of the device.
  package var json: JSONValue {
    ["position": position.value.json, "length": length.value.json, "cause": cause.rawValue.json]
  }
}

extension StreamFormat: JSONConvertible {
  /// Reads rate, channels and sample format; nil where one is missing or not supported.
  package init?(json: JSONValue) {
    guard let rate = json["rate"].flatMap(Int.init(json:)).flatMap({ SampleRate($0) }),
      let channels = json["channels"].flatMap(Int.init(json:)).flatMap({ ChannelCount($0) }),
      let sample = json["sample"]?.string.flatMap(SampleFormat.init(rawValue:))
    else { return nil }
    self.init(rate: rate, channels: channels, sample: sample)
  }

  /// The object with the rate in hertz.
  package var json: JSONValue {
    ["rate": rate.hertz.json, "channels": channels.value.json, "sample": sample.rawValue.json]
  }
}

extension FrameCount: JSONConvertible {
  /// Nil for what no stream can have: a file was tampered with then, and sums could overflow.
  package init?(json: JSONValue) {
    guard let value = json.integer(in: 0...Self.most.value) else { return nil }
    self.init(value)
  }

  /// The number of frames.
  package var json: JSONValue { value.json }
}

extension Duration {
  /// Longer than any recording; sums of millions of these do not overflow.
  static let mostRecorded = Duration.seconds(1e12)
}

extension VoiceSettings: JSONConvertible {
  /// Reads what `json` wrote; nil for a threshold outside of -1000 to 1000 dB.
  package init?(json: JSONValue) {
    guard let threshold = json["threshold"]?.number(in: -1_000...1_000) else { return nil }
    self.init()
    self.threshold = Decibels(threshold)
    isArmed = json["isArmed"]?.bool ?? false
    start = json["start"]?.number(in: -1_000...1_000).map { Decibels($0) }
    preRoll = json["preRoll"].flatMap(Duration.init(json:)) ?? .zero
    silence = json["silence"].flatMap(Duration.init(json:))
  }

  /// The object within a recording plan; levels are in decibels.
  package var json: JSONValue {
    var members: JSONObject = ["threshold": .number(threshold.value)]
    members.set("isArmed", isArmed)
    members.set("start", start?.value)
    members.set("preRoll", preRoll)
    members.set("silence", silence)
    return .object(members)
  }
}

/// A time since 1970 as JSON has it: in the form of RFC 3339, to the microsecond.
extension Duration {
  /// Reads what `moment` wrote; nil for a text that is not RFC 3339 in UTC.
  package init?(moment json: JSONValue) {
    guard let parts = json.string?.split(separator: "."), let whole = parts.first,
      let time = WallTime(rfc3339: parts.count == 1 ? String(whole) : whole + "Z")
    else { return nil }
    let digits = parts.dropFirst().first?.dropLast() ?? "0"
    guard parts.count <= 2, digits.count <= 9, let fraction = Int64(digits) else { return nil }
    let unit = (digits.count..<9).reduce(Int64(1)) { unit, _ in unit * 10 }
    self = time.sinceEpoch + .nanoseconds(parts.count == 1 ? 0 : fraction * unit)
  }

  /// The instant this long after 1970.
  package var moment: JSONValue {
    let microseconds = "\(components.attoseconds / 1_000_000_000_000)"
    let zeros = String(repeating: "0", count: max(0, 6 - microseconds.count))
    let whole = WallTime(sinceEpoch: self).rfc3339.dropLast()
    return .string("\(whole).\(zeros)\(microseconds)Z")
  }
}
