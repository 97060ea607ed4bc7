internal import CommandLine
internal import Decoding
internal import Files
internal import JSON

extension SoundProblem {
  /// The problem in words for a user.
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

  /// The commands that play the file nevertheless.
  func advice(for path: String) -> String? {
    guard isConvertible else { return nil }
    return "to hear it: ffmpeg -i \(path == "-" ? "FILE" : quoted(path)) -f wav - | recorder play -"
  }
}
