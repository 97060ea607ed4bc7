internal import Control
internal import Decoding
internal import Devices
internal import Files
internal import Linux
internal import Playback
internal import Sounds

extension Failure {
  /// The message, the advice and the exit code for an error of the player.
  init(_ error: SoundError) {
    switch error {
    case .notFound(let reason): self.init(reason)
    case .ambiguous(let name, let paths):
      self.init(
        .usage, "\(paths.count) sounds are called \(quoted(name))",
        advice: "give \(alternatives(paths.map(quoted)))")
    case .unreadable(let name, let reason): self.init(decoding: name, reason)
    case .brokenOff(let name, let reason):
      self.init(.notASound, Failure(decoding: name, reason).message.fact)
    case .unopened(_, let reason):
      self.init(
        .device, "cannot play: \(reason)",
        advice: reason.advice(for: .playback) + [Self.diagnosis])
    case .unanswered(let device, let limit): self.init(unanswered: device, limit)
    case .ended(let device, let end): self.init(end, of: device)
    case .noVoice(let name, let reason):
      self.init(.failed, "cannot play \(quoted(name)): \(reason)")
    case .system(let reason): self.init(.failed, "the player failed: \(reason)")
    }
  }

  /// The failure of a request to another process of this program.
  ///
  /// - Parameter program: the words for the process, such as `the player`.
  init(asking program: String = "the player", _ error: ControlError) {
    switch error {
    case .refused(let refusal): self.init(refusal)
    case .closed: self.init(.failed, "\(program) ended before it responded")
    case .tooLong: self.init(.usage, "too much for one request to \(program): \(error)")
    default: self.init(.failed, "\(program) did not respond: \(error)")
    }
  }

  /// The failure to find a sound by a name.
  ///
  /// - Parameter advice: the advice for a text that cannot be a name, or nil for the default
  ///   advice.
  init(_ error: SoundLibraryError, advice: String? = nil) {
    switch error {
    case .invalid(_, let flaw):
      let usual: String? = flaw == .slash ? "for a file, use \"recorder info FILE\"" : nil
      self.init(.usage, "\(flaw)", advice: advice ?? usual)
    case .unknown(let name, let nearest):
      self.init(.notFound, "no sound \(quoted(name))", advice: Self.advice(for: name, nearest))
    case .unusable(let path, _), .notRegular(let path):
      self.init(.notASound, "cannot read", on: path, why: error.reason)
    }
  }

  private static func advice(for name: String, _ nearest: [String]) -> [String] {
    if name.utf8.first == UInt8(ascii: "@") {
      return ["give the path of the take, as \"recorder sound status\" shows it"]
    }
    guard nearest.isEmpty else {
      return ["did you mean \(alternatives(nearest.prefix(3).map(quoted)))?"]
    }
    return ["\"recorder sound list\" shows every name"]
  }

  /// Returns the failure with advice if `name` could not be found, but is a file of the working
  /// directory. The player has another working directory, so the command adds the advice.
  func advising(file name: String?) -> Failure {
    guard code == .notFound, let name, !name.utf8.contains(UInt8(ascii: "/")),
      (try? FileStatus(of: name))?.kind == .regular
    else { return self }
    let path = shellArgument("./" + name)
    return Failure(
      code, message.fact, advice: ["for the file of that name: \(path)"] + message.advice)
  }

  /// The failure to decode a file.
  init(decoding name: String, _ error: any Error) {
    switch error {
    case let reason as SoundFileError: self.init(reading: name, reason)
    case let problem as SoundProblem: self.init(reading: name, problem)
    case let reason as SystemError:
      self.init(.failed, "cannot decode \(quoted(name)): \(reason)")
    case let error as DecodingError:
      let action = error == .incomplete ? "cannot read" : "cannot play"
      self.init(.notASound, action, on: name, why: "\(error)")
    default: self.init(explaining: error)
    }
  }

  private init(_ end: PlaybackEnd, of device: String) {
    if end == .finished {
      self.init(.displaced, "the player has ended")
    } else {
      self.init(.device, "\(quoted(device)) \(printable("\(end)"))", advice: Self.diagnosis)
    }
  }

  private static let diagnosis = "\"recorder doctor\" shows the problem"
}

/// Runs a call that opens or decodes the file at `path`, and throws its error as a failure.
func decoding<Result: ~Copyable>(
  _ path: String, _ body: () throws -> Result
) throws(Failure) -> Result {
  try mapError({ Failure(decoding: path, $0) }, body)
}

extension SoundName {
  /// Returns `text` as a name. Throws a failure with `advice` if it is not a valid name.
  static func checked(_ text: String, advice: String) throws -> SoundName {
    try mapError({ Failure($0, advice: advice) }, SoundName(text))
  }
}

extension SoundLibraryError {
  /// The reason why a name or its file cannot be used as a sound, without the path of the file.
  var reason: String {
    switch self {
    case .unusable(_, let cause):
      // `openat2` reports a link out of the directory with this error.
      cause.errno == .crossDevice ? "it links to another directory" : "\(cause.errno)"
    case .notRegular(let path): otherKind(of: path)
    case .invalid(_, let flaw): "\(flaw)"
    case .unknown(let name, _): "no sound \(quoted(name))"
    }
  }
}
