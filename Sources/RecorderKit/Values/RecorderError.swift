/// A reason why sound cannot be recorded or played.
///
/// Programs check the case; `description` is a sentence for users.
public enum RecorderError: Error, Hashable, Sendable {
  /// Access to the microphone is not granted. The value is the current status.
  case notAuthorized(Microphone.Authorization)
  /// The device of that name cannot be used.
  case device(String, why: String)
  /// The file at that path cannot be read or written.
  case file(String, why: String)
  /// No sound can be read from the file or the data of that name.
  case notASound(String, why: String)
  /// No sound has that name.
  case unknownSound(String)
  /// The format is not supported, but the alternatives are.
  case format(String, alternatives: [String])
  /// A required library is not installed, or the system refused an operation.
  case system(String)
  /// The take or the sound has ended already.
  case ended
  /// A value is invalid. The text is the reason.
  case invalid(String)
}

extension RecorderError: CustomStringConvertible {
  /// A sentence for users.
  public var description: String {
    switch self {
    case .notAuthorized(.notDetermined):
      "access to the microphone has not been decided; ask for it, or run “\(Self.grant)”"
    case .notAuthorized(.restricted): "a policy of this machine forbids access to the microphone"
    case .notAuthorized: "access to the microphone is denied; “\(Self.grant)” allows it"
    case .device(let name, let why): "the device “\(name)” cannot be used: \(why)"
    case .file(let path, let why): "\(path): \(why)"
    case .notASound(let name, let why): "\(name) cannot be played: \(why)"
    case .unknownSound(let name): "there is no sound “\(name)”; “recorder sound list” lists all"
    case .format(let format, let alternatives):
      "\(format) is not possible; \(alternatives.joined(separator: ", ")) are"
    case .system(let why): why
    case .ended: "it has already ended"
    case .invalid(let why): why
    }
  }

  /// The command that grants access to this program.
  private static var grant: String {
    "recorder permission grant --as \(Microphone.Client.current.name)"
  }
}
