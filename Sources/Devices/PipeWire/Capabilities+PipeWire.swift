internal import Audio
internal import JSON

extension Capabilities {
  /// The capabilities in the formats that a node enumerates; nil where none is of plain samples.
  init?(formats: [JSONValue]) {
    let plain = formats.filter { $0["mediaSubtype"]?.string == "raw" }
    let rates = plain.flatMap { Self.numbers($0["rate"]) }
    let channels = plain.flatMap { Self.numbers($0["channels"]) }
    guard let slowest = rates.min(), let fastest = rates.max(), let fewest = channels.min(),
      let most = channels.max()
    else { return nil }
    let names = plain.flatMap { Self.alternatives($0["format"]).compactMap(\.string) }
    let known = Set(names.compactMap { Self.samples[$0] })
    let isRange = plain.contains { $0["rate"]?["min"] != nil }
    self.init(
      rates: slowest...fastest,
      commonRates: isRange ? [] : Set(rates).sorted().compactMap { SampleRate($0) },
      channels: fewest...most, formats: SampleFormat.allCases.filter(known.contains),
      otherFormats: Set(names.filter { Self.samples[$0] == nil }).sorted())
  }

  /// A value is alone, or an object of its default with a range or with alternatives.
  private static func alternatives(_ value: JSONValue?) -> [JSONValue] {
    value?.object?.members.map(\.value) ?? value.map { [$0] } ?? []
  }

  /// Counts and rates; a server may say anything, and the length of a range has to fit in an `Int`.
  private static func numbers(_ value: JSONValue?) -> [Int] {
    alternatives(value).compactMap { $0.integer(in: 1...Int(Int32.max)) }
  }

  /// PipeWire's names; P stands for planar channels, which the server interleaves.
  private static let samples: [String: SampleFormat] = [
    "S16LE": .int16, "S16P": .int16, "S24LE": .int24Packed, "S24P": .int24Packed,
    "S24_32LE": .int24, "S24_32P": .int24, "S32LE": .int32, "S32P": .int32, "F32LE": .float32,
    "F32P": .float32, "F64LE": .float64, "F64P": .float64,
  ]
}
