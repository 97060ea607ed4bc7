internal import CommandLine
internal import Files
internal import JSON

/// The reason why a sound file cannot be read, as a confined process tells it.
struct SoundProblem: Equatable {
  /// The reason without the file's name.
  let reason: String
  /// True if other programs can be expected to decode the file.
  let isConvertible: Bool

  init(_ reason: String, isConvertible: Bool = false) {
    self.reason = reason
    self.isConvertible = isConvertible
  }

  init(_ error: SoundFileError) {
    if case .notDecoded(_, _, isConvertible: true) = error {
      self.init(error.reason, isConvertible: true)
    } else {
      self.init(error.reason)
    }
  }

  /// Reads what such a process wrote.
  init(decoding text: [UInt8]) {
    let json = try? JSONValue(decoding: text.span, limits: JSONLimits())
    self = json?.object.flatMap(SoundProblem.init) ?? SoundProblem("its decoder broke on it")
  }

  /// The problem in an object; nil where there is none.
  init?(_ object: JSONObject) {
    guard let reason = object["problem"]?.string else { return nil }
    self.init(reason, isConvertible: object["convertible"]?.bool ?? false)
  }

  var json: JSONObject { ["problem": reason.json, "convertible": isConvertible.json] }

  /// The commands that play the file all the same.
  func advice(for path: String) -> String? {
    guard isConvertible else { return nil }
    return "to hear it: ffmpeg -i \(path == "-" ? "FILE" : quoted(path)) -f wav - | recorder play -"
  }
}
