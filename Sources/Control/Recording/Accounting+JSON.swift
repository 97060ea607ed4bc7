package import Audio
package import JSON

extension Accounting: JSONConvertible {
  package init?(json: JSONValue) {
    self.init()
    guard let captured = json["captured"]?.integer, let lost = json["lost"]?.integer,
      let discarded = json["discarded"]?.integer, let filled = json["filled"]?.integer,
      [captured, lost, discarded, filled].allSatisfy(Self.believable.contains)
    else { return nil }
    self.captured = FrameCount(captured)
    self.lost = FrameCount(lost)
    self.discarded = FrameCount(discarded)
    self.filled = FrameCount(filled)
  }

  // Centuries of any stream; past that a file was tampered with, and sums could overflow.
  private static let believable: ClosedRange<Int64> = 0...(1 << 52)

  /// All six counts, the derived ones too.
  package var json: JSONValue {
    [
      "elapsed": elapsed.value.json, "captured": captured.value.json, "lost": lost.value.json,
      "discarded": discarded.value.json, "filled": filled.value.json, "onDisk": onDisk.value.json,
    ]
  }
}

extension Gap: JSONConvertible {
  package init?(json: JSONValue) {
    guard let position = json["position"]?.integer, let length = json["length"]?.integer,
      let cause = json["cause"]?.string.flatMap(Cause.init(rawValue:))
    else { return nil }
    self.init(position: FrameCount(position), length: FrameCount(length), cause: cause)
  }

  package var json: JSONValue {
    ["position": position.value.json, "length": length.value.json, "cause": cause.rawValue.json]
  }
}

extension StreamFormat: JSONConvertible {
  package init?(json: JSONValue) {
    guard let rate = json["rate"]?.integer.flatMap({ SampleRate(Int(clamping: $0)) }),
      let channels = json["channels"]?.integer.flatMap({ ChannelCount(Int(clamping: $0)) }),
      let sample = json["sample"]?.string.flatMap(SampleFormat.init(rawValue:))
    else { return nil }
    self.init(rate: rate, channels: channels, sample: sample)
  }

  package var json: JSONValue {
    ["rate": rate.hertz.json, "channels": channels.value.json, "sample": sample.rawValue.json]
  }
}
