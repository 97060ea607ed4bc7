/// The reason why sound cannot be recorded or played.
///
/// Programs check the code; `description` is a sentence for users.
public struct RecorderError: Error, Hashable, Sendable {
  /// The kind of failure. Later versions may add codes, so a `switch` needs a `default`.
  @nonexhaustive
  public enum Code: Hashable, Sendable {
    /// The user has not decided about the microphone.
    case accessNotDetermined
    /// A policy of this machine forbids the microphone.
    case accessRestricted
    /// Access to the microphone is refused, or the permission ended.
    case accessDenied
    /// The device does not exist, does not work or does not support the request.
    case deviceUnavailable
    /// The file cannot be read or written.
    case fileUnavailable
    /// The file or the data is not a sound that can be read.
    case unreadableSound
    /// No sound has this name.
    case unknownSound
    /// The format is not supported. The reason names supported formats.
    case unsupportedFormat
    /// A required library is not installed, or the system refused an operation.
    case systemFailure
    /// The recording or the sound has already ended.
    case alreadyEnded
    /// An argument or a setting is invalid.
    case invalidArgument
  }

  /// The kind of failure.
  public let code: Code
  /// The client, device, path, sound or format that the error is about, or nil if there is none.
  public let subject: String?
  /// The reason, as a part of a sentence.
  public let reason: String

  /// Creates an error, for example in the tests of a program.
  public init(_ code: Code, subject: String? = nil, reason: String) {
    (self.code, self.subject, self.reason) = (code, subject, reason)
  }
}

extension RecorderError: CustomStringConvertible {
  /// A sentence for users.
  public var description: String {
    guard let subject else { return reason }
    return switch code {
    case .accessNotDetermined, .accessRestricted, .accessDenied: reason
    case .deviceUnavailable: "the device “\(subject)” cannot be used: \(reason)"
    case .unreadableSound: "\(subject) cannot be read: \(reason)"
    case .unknownSound: "there is no sound “\(subject)”; \(reason)"
    case .unsupportedFormat: "\(subject) is not supported; \(reason)"
    default: "\(subject): \(reason)"
    }
  }
}

/// The errors of this package.
extension RecorderError {
  /// Access to the microphone or to system audio is not allowed.
  package static func notAuthorized(
    _ status: Microphone.Authorization, client: String = Microphone.Client.current.name,
    toSystemAudio isSystemAudio: Bool = false
  ) -> RecorderError {
    let grant =
      "“recorder permission grant \(isSystemAudio ? "system-audio " : "")--as \(client)”"
    let access = "access to \(isSystemAudio ? "system audio" : "the microphone")"
    return switch status {
    case .notDetermined:
      RecorderError(
        .accessNotDetermined, subject: client,
        reason: "\(access) has not been decided; ask for it, or run \(grant)")
    case .restricted:
      RecorderError(
        .accessRestricted, subject: client,
        reason: "a policy of this machine forbids \(access)")
    case .denied, .authorized:
      RecorderError(
        .accessDenied, subject: client,
        reason: "\(access) is denied; \(grant) allows it")
    }
  }

  /// The device cannot be used.
  package static func device(_ id: String, _ reason: String) -> RecorderError {
    RecorderError(.deviceUnavailable, subject: id, reason: reason)
  }

  /// The file cannot be read or written.
  package static func file(_ path: String, _ reason: String) -> RecorderError {
    RecorderError(.fileUnavailable, subject: path, reason: reason)
  }

  /// No sound can be read from the file or the data.
  package static func notASound(_ name: String, _ reason: String) -> RecorderError {
    RecorderError(.unreadableSound, subject: name, reason: reason)
  }

  /// The format is not supported. `alternatives` are supported formats.
  package static func format(_ format: String, alternatives: [String]) -> RecorderError {
    RecorderError(
      .unsupportedFormat, subject: format,
      reason: "supported: " + alternatives.joined(separator: ", "))
  }

  /// The system refused an operation.
  package static func system(_ reason: String) -> RecorderError {
    RecorderError(.systemFailure, reason: reason)
  }

  /// An argument or a setting is invalid.
  package static func invalid(_ reason: String) -> RecorderError {
    RecorderError(.invalidArgument, reason: reason)
  }

  /// The recording or the sound has already ended.
  package static let ended = RecorderError(.alreadyEnded, reason: "it has already ended")
}
