package import Linux

/// The reason why a command failed, with its exit code.
package struct Failure: Error, Hashable, Sendable {
  /// The exit code of the process.
  package let code: ExitCode
  /// The message for stderr, which is also in the JSON output.
  package let message: Message

  /// Creates a failure that ends the command with `code`.
  package init(_ code: ExitCode, _ message: Message) {
    self.code = code
    self.message = message
  }
}

extension Failure {
  /// Creates the failure for a directory of the program that cannot be trusted or written.
  package init(unusable refusal: DirectoryRefusal) {
    let why =
      if case .system(let error) = refusal.reason { "\(error.errno)" } else {
        "it \(refusal.words)"
      }
    self.init(
      .failed,
      Message(
        "cannot use \(quoted(refusal.path)): \(printable(why))", remedy: refusal.remedy()))
  }

  /// Creates the failure of an action that writes to the program's state.
  init(_ action: String, _ error: SystemError) {
    self.init(.failed, Message("\(action): \(error)", remedy: error.errno.remedyForState))
  }
}

extension Failure {
  /// Creates the failure to start a take on a disk with less free space than `--min-free`.
  package init(tooLittleSpace free: Int64, of floor: Int64, for path: String) {
    self.init(
      .outputRefused,
      Message(
        "cannot record to", on: path,
        why: "\(ByteCount(free)) free on that disk, less than --min-free \(ByteCount(floor))",
        advice: "make room, record to another disk, or give a lower --min-free"))
  }
}

/// The exit codes of the program; every command ends with one of these.
package enum ExitCode: Int32, CaseIterable, Sendable {
  case done = 0
  case failed = 1
  case notFound = 10
  case alreadyRecording = 11
  case device = 12
  case outputRefused = 13
  case incomplete = 14
  case nothingCaptured = 15
  case notASound = 16
  case displaced = 17
  case undelivered = 18
  case permissionNotDetermined = 20
  case permissionDenied = 21
  case permissionRestricted = 22
  case permissionUnusable = 23
  case revokedWhileRecording = 24
  case expiredWhileRecording = 25
  case revokeUnconfirmed = 26
  case usage = 64
  case interrupted = 130

  /// The code as a word for programs, such as `notFound`.
  package var word: String { "\(self)" }

  /// The meaning of the code in the help and the manual.
  package var meaning: String {
    switch self {
    case .done: "done"
    case .failed: "unexpected failure"
    case .notFound: "no such recording, sound, take or file"
    case .alreadyRecording: "already recording under that name, or still recording"
    case .device: "device missing, busy or unable"
    case .outputRefused: "output cannot be created, or got another name"
    case .incomplete: "saved but incomplete (disk, device or a gap)"
    case .nothingCaptured: "nothing captured, no file"
    case .notASound: "not a sound this program can read"
    case .displaced: "playback stopped by another command"
    case .undelivered: "files still wait for delivery"
    case .permissionNotDetermined: "permission not determined"
    case .permissionDenied: "permission denied"
    case .permissionRestricted: "permission restricted"
    case .permissionUnusable: "permission data unusable"
    case .revokedWhileRecording: "permission revoked while recording (audio kept)"
    case .expiredWhileRecording: "grant expired while recording (audio kept)"
    case .revokeUnconfirmed: "revoked, but one session did not confirm"
    case .usage: "wrong usage"
    case .interrupted: "Ctrl-C at a prompt, a waiting play or an export"
    }
  }

  /// The codes of a recording that cannot start or resume because it has no microphone access.
  static var accessRefused: [ExitCode] {
    [.permissionNotDetermined, .permissionDenied, .permissionRestricted, .permissionUnusable]
  }

  /// The codes of a recording that lost its microphone access.
  static var accessLost: [ExitCode] { [.revokedWhileRecording, .expiredWhileRecording] }
}
