package import Audio
package import JSON
internal import Linux

extension Accounting: JSONMembers {
  /// Placeholder counts. Reading JSON replaces them.
  package static var blank: Accounting { Accounting() }

  /// Lists all counts. `elapsed` and `onDisk` are computed from the other counts.
  package mutating func list(in form: inout JSONForm) {
    form.derived("elapsed", elapsed)
    form.member("captured", &captured)
    form.member("lost", &lost)
    form.member("discarded", &discarded)
    form.member("early", &early, or: 0)
    form.member("late", &late, or: 0)
    form.member("filled", &filled)
    form.derived("onDisk", onDisk)
    form.require(onDisk >= 0 && early + late <= discarded)
  }
}

extension Gap: JSONMembers {
  /// A placeholder gap. Reading JSON replaces its members.
  package static var blank: Gap { Gap(position: 0, length: 0, cause: .overrun) }

  /// Lists the members. The numbers are frames at the rate of the device.
  package mutating func list(in form: inout JSONForm) {
    form.member("position", &position)
    form.member("length", &length)
    form.member("cause", &cause)
  }
}

extension Gap.Cause: JSONConvertible {}

extension StreamFormat: JSONMembers {
  /// A placeholder format. Reading JSON replaces its members.
  package static var blank: StreamFormat {
    StreamFormat(rate: .hz48000, channels: .mono, sample: .int16)
  }

  /// Lists the members, with the rate in hertz.
  package mutating func list(in form: inout JSONForm) {
    form.member("rate", &rate)
    form.member("channels", &channels)
    form.member("sample", &sample)
  }
}

extension FrameCount: JSONConvertible {
  /// Reads a number of frames. The result is nil if the number is negative or above `most`, because
  /// sums with such a number could overflow. Only a manipulated file contains such a number.
  package init?(json: JSONValue) {
    guard let value = json.integer(in: 0...Self.most.value) else { return nil }
    self.init(value)
  }

  /// The number of frames.
  package var json: JSONValue { value.json }
}

extension SoundFlaw: JSONMembers {
  /// A placeholder flaw. Reading JSON replaces its members.
  package static var blank: SoundFlaw {
    SoundFlaw(frames: 0, missing: nil, isCutShort: false, trailingBytes: 0, isRepairable: false)
  }

  /// Lists the members. Null means that the number of frames is unknown.
  package mutating func list(in form: inout JSONForm) {
    form.member("cutShort", &isCutShort)
    form.member("frames", &frames)
    form.derived("statedFrames", stated?.json ?? .null)
    form.member("missingFrames", &missing, { .some(FrameCount(json: $0)) }) { $0?.json ?? .null }
    form.member("trailingBytes", &trailingBytes, in: 0...Int64.max)
    form.member("repairable", &isRepairable)
  }
}

extension Level: JSONMembers {
  /// A placeholder level. Reading JSON replaces its members.
  package static var blank: Level { .silence }

  /// Lists the members in decibels.
  package mutating func list(in form: inout JSONForm) {
    form.member("peak", amplitude: &peak)
    form.member("rms", amplitude: &rms)
    form.member("clipped", &clipped, in: .counts)
  }
}

extension JSONForm {
  /// Reads or writes an amplitude in decibels. Silence is null.
  mutating func member(_ key: String, amplitude: inout Double) {
    member(key, &amplitude, { Decibels(json: $0).amplitude }) { Decibels(amplitude: $0).json }
  }
}

extension Decibels: JSONConvertible {
  /// Reads a level from JSON. Null is silence.
  package init(json: JSONValue) { self.init(json.number ?? -.infinity) }

  /// The number, or null for silence.
  package var json: JSONValue { value.isFinite ? .number(value) : .null }
}

extension Duration {
  /// A duration that is longer than any recording. The sum of millions of such durations does not
  /// overflow.
  static let mostRecorded = Duration.seconds(1e12)
}

extension VoiceSettings: JSONMembers {
  /// Placeholder settings. Reading JSON replaces them.
  package static var blank: VoiceSettings { VoiceSettings() }

  /// Lists the members of the object in a recording plan. Levels are in decibels.
  package mutating func list(in form: inout JSONForm) {
    form.member("threshold", &threshold, Decibels.init(bounded:)) { $0.value.json }
    form.member("isArmed", &isArmed, or: false)
    form.member("start", &start, or: .some(nil), Decibels.init(bounded:)) { $0?.value.json }
    form.member("preRoll", &preRoll, or: .zero)
    form.member("silence", &silence)
  }
}

extension Decibels {
  /// Reads a number from -1000 to 1000. The result is nil for any other value.
  init?(bounded json: JSONValue) {
    guard let value = json.number(in: -1_000...1_000) else { return nil }
    self.init(value)
  }
}

extension FileFormat: JSONConvertible {}
extension SampleFormat: JSONConvertible {}

extension SampleRate: JSONConvertible {
  /// Reads a rate in hertz. The result is nil if the rate is not supported.
  package init?(json: JSONValue) {
    guard let hertz = Int(json: json) else { return nil }
    self.init(hertz)
  }

  /// The rate in hertz.
  package var json: JSONValue { hertz.json }
}

extension ChannelCount: JSONConvertible {
  /// Reads a number of channels. The result is nil if the number is not supported.
  package init?(json: JSONValue) {
    guard let value = Int(json: json) else { return nil }
    self.init(value)
  }

  /// The number of channels.
  package var json: JSONValue { value.json }
}

/// The JSON form of a time since 1970: RFC 3339 with microseconds.
extension Duration {
  /// Reads a value that `moment` has written. The result is nil if the value is not an RFC 3339
  /// time in UTC.
  package init?(moment json: JSONValue) {
    guard let parts = json.string?.split(separator: "."), let whole = parts.first,
      let time = WallTime(rfc3339: parts.count == 1 ? String(whole) : whole + "Z")
    else { return nil }
    let digits = parts.dropFirst().first?.dropLast() ?? "0"
    guard parts.count <= 2, digits.count <= 9, let fraction = Int64(digits) else { return nil }
    let unit = (digits.count..<9).reduce(Int64(1)) { unit, _ in unit * 10 }
    self = time.sinceEpoch + .nanoseconds(parts.count == 1 ? 0 : fraction * unit)
  }

  /// The date and time at this duration after 1970.
  package var moment: JSONValue {
    let microseconds = zeroPadded(components.attoseconds / 1_000_000_000_000, to: 6)
    let whole = WallTime(sinceEpoch: self).rfc3339.dropLast()
    return .string("\(whole).\(microseconds)Z")
  }
}

/// The JSON form of an overview that a confined process sends. It has the peaks and the RMS levels
/// with 16 bits, which is enough for every picture, and the numbers of clipped samples.
extension Overview {
  private static let fullScale = 65_535.0

  /// The JSON object of an overview.
  package var object: JSONObject {
    [
      "first": range.lowerBound.value.json, "last": range.upperBound.value.json,
      "rate": rate.hertz.json, "levels": .array(channels.map { .array($0.flatMap(Self.numbers)) }),
    ]
  }

  private static func numbers(_ level: Level) -> [JSONValue] {
    [level.peak, level.rms].map { Int(min(2 * fullScale, ($0 * fullScale).rounded())).json }
      + [level.clipped.json]
  }

  /// Reads a value that `object` has written. The result is nil for any other value, or if the
  /// value does not match `order`. The value is checked, because a malicious file may have taken
  /// control of the confined process.
  package init?(_ object: JSONObject, for order: PictureOrder) {
    guard object.isAnswer(to: order),
      let rate = object["rate"].flatMap(SampleRate.init(json:)),
      let levels = object["levels"]?.array
    else { return nil }
    let channels = levels.map { levels in
      let numbers = (levels.array ?? []).compactMap(\.integer)
      return stride(from: 0, to: numbers.count - 2, by: 3).map { index in
        Level(
          peak: Double(numbers[index]) / Self.fullScale,
          rms: Double(numbers[index + 1]) / Self.fullScale,
          clipped: Int(min(max(0, numbers[index + 2]), FrameCount.most.value)))
      }
    }
    let columns = channels.first?.count ?? 0
    guard columns <= order.columns, channels.allSatisfy({ $0.count == columns }) else { return nil }
    self.init(channels, of: order.range, at: rate)
  }
}

extension JSONObject {
  /// Returns whether the object states the range that was requested.
  fileprivate func isAnswer(to order: PictureOrder) -> Bool {
    self["first"]?.integer == order.range.lowerBound.value
      && self["last"]?.integer == order.range.upperBound.value
  }
}

/// The JSON form of a spectrogram that a confined process sends.
extension Spectrogram {
  /// The JSON object of a spectrogram.
  package var object: JSONObject {
    [
      "first": range.lowerBound.value.json, "last": range.upperBound.value.json,
      "rate": rate.hertz.json,
      "cells": String(decoding: Base64.encode(cells), as: UTF8.self).json,
    ]
  }

  /// Reads a value that `object` has written. The result is nil for any other value, or if the
  /// value does not match `order`.
  package init?(_ object: JSONObject, for order: PictureOrder) {
    guard object.isAnswer(to: order),
      let rate = object["rate"].flatMap(SampleRate.init(json:)),
      let cells = object["cells"]?.string.flatMap(Base64.decode),
      cells.count <= order.columns * order.rows
    else { return nil }
    self.init(cells, rows: order.rows, of: order.range, at: rate)
  }
}

/// The JSON form of a request for a picture, which is sent to a confined process.
extension PictureOrder: JSONConvertible {
  /// The JSON object of an order.
  package var json: JSONValue {
    [
      "columns": columns.json, "rows": rows.json, "first": range.lowerBound.value.json,
      "last": range.upperBound.value.json,
    ]
  }

  /// Reads a value that `json` has written. The result is nil for any other value.
  package init?(json: JSONValue) {
    guard let columns = json["columns"].flatMap(Int.init(json:)),
      let rows = json["rows"].flatMap(Int.init(json:)), rows >= 0,
      let first = json["first"].flatMap(FrameCount.init(json:)),
      let last = json["last"].flatMap(FrameCount.init(json:)), first <= last
    else { return nil }
    self.init(columns: columns, rows: rows, of: first..<last)
  }
}
