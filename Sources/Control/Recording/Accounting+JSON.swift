package import Audio
package import JSON

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
