internal import Analysis
internal import Control
internal import Files
internal import Guard
package import Linux
internal import Permission
internal import Pictures
internal import Sounds
internal import Store
internal import Takes

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

  /// Creates a failure from whole sentences. Untrusted text in them must be quoted.
  init(_ code: ExitCode, _ fact: String, advice: [String], command: String? = nil) {
    self.init(code, Message(fact, advice: advice, command: command))
  }

  /// Creates a failure from whole sentences, with at most one line of advice.
  init(_ code: ExitCode, _ fact: String, advice: String? = nil) {
    self.init(code, Message(fact, advice: advice))
  }

  /// Creates a failure from the failed action, its subject and the reason.
  init(_ code: ExitCode, _ action: String, on subject: String, why: String, advice: String? = nil) {
    self.init(code, Message(action, on: subject, why: why, advice: advice))
  }
}

extension Failure {
  /// Creates the failure for an error of any layer. Some commands have more facts about an error,
  /// such as the file of an export. They use `Failure(exporting:)`, `Failure(adding:)` or
  /// `Failure(changing:)`, which call this initializer for all other errors.
  package init(explaining error: any Error) {
    switch error {
    case let error as Failure: self = error
    case let error as UsageError: self.init(.usage, error.message)
    case let error as TakeError: self.init(error)
    case let error as SystemError: self.init(error)
    case let error as DirectoryRefusal: self.init(error)
    case let error as StoreFailure: self.init(error)
    case let error as TakeChangeError: self.init(changing: nil, error)
    case let error as SoundError: self.init(error)
    case let error as SoundLibraryError: self.init(error)
    case let error as ControlError: self.init(error)
    case let error as SoundFileError: self.init(error)
    case let error as MarkTextFlaw: self.init(error)
    case let error as AnalysisError: self.init(.failed, error.message)
    case let error as PictureError: self.init(.failed, error.message)
    case let error as CallRestrictions.UsageError:
      self.init(.usage, "\(error)", advice: "unset it, or set it to deny")
    case let error as ResamplerError: self.init(error)
    case let error as GuardError: self.init(error)
    case let error as UserServices.Refusal: self.init(error)
    default: self.init(.failed, printable("\(error)"))
    }
  }

  /// Runs `body`. An error of the system becomes a failure that names the failed action, such as
  /// `cannot wait`. Other errors are not changed.
  static func context<Result: ~Copyable>(
    _ action: String, _ code: ExitCode = .failed, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as SystemError {
      throw Failure(action, error, code)
    }
  }
}

extension Failure {
  /// Creates the failure for a directory that recorder needs but cannot use.
  package init(_ refusal: DirectoryRefusal) {
    let why =
      if case .system(let error) = refusal.reason { "\(error.errno)" } else {
        "it \(refusal.words)"
      }
    self.init(
      .failed,
      Message(
        "cannot use \(quoted(refusal.path)): \(printable(why))", remedy: refusal.remedy()))
  }

  /// Creates the failure of an action because of an error of the system.
  init(_ action: String, _ error: SystemError, _ code: ExitCode = .failed) {
    self.init(code, "\(action): \(error)", advice: error.advice)
  }

  /// Creates the failure of a system call.
  init(_ error: SystemError) {
    let fact = "\(error)"
    self.init(
      .failed, fact == "\(error.errno)" ? "cannot continue: \(fact)" : fact, advice: error.advice)
  }
}

extension SystemError {
  /// The advice if the process has too many open files, or if the disk of the state directory is
  /// full or read-only. Nil for any other error, and for stdout and stderr.
  fileprivate var advice: String? {
    if errno == .tooManyFiles { return "allow more open files: \"ulimit -n 256\"" }
    return ["stdout", "stderr"].contains(subject) ? nil : errno.remedyForState.map(Message.repair)
  }
}

extension Errno {
  /// The advice if a file of the user cannot be written, or nil for any other error.
  var outputAdvice: String? {
    switch self {
    case .accessDenied, .notPermitted: "choose a directory that you may write to"
    case .noSpace, .quota: "make room on that disk, or choose a directory on another disk"
    case .readOnlyFilesystem: "choose a directory on a disk that can be written"
    default: nil
    }
  }

  /// Returns `outputAdvice` of the error number that `error` contains, or nil if it contains none.
  static func outputAdvice(for error: any Error) -> String? {
    switch error {
    case let errno as Errno: errno.outputAdvice
    case let error as SystemError: error.errno.outputAdvice
    case SoundFileError.system(let error): error.errno.outputAdvice
    default: nil
    }
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
    case .alreadyRecording: "that name or file is being recorded"
    case .device: "device missing, busy or unsuitable"
    case .outputRefused: "file cannot be created, or was saved under another name"
    case .incomplete: "incomplete: sound is missing, or only some files were moved"
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
    case .revokeUnconfirmed: "revoked, but a recording did not confirm that it ended"
    case .usage: "wrong usage"
    case .interrupted: "Ctrl-C at a prompt, while playing, or while reading a file"
    }
  }

  /// The codes of a recording that cannot start or resume because it has no microphone access.
  static var accessRefused: [ExitCode] {
    [.permissionNotDetermined, .permissionDenied, .permissionRestricted, .permissionUnusable]
  }

  /// The codes of a recording that ended because it lost its microphone access.
  static var accessLost: [ExitCode] { [.revokedWhileRecording, .expiredWhileRecording] }
}
