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
  case permissionNotDetermined = 20
  case permissionDenied = 21
  case permissionRestricted = 22
  case permissionUnusable = 23
  case revokedWhileRecording = 24
  case expiredWhileRecording = 25
  case revokeUnconfirmed = 26
  case usage = 64
  case interrupted = 130

  /// The code's meaning in the help and the manual.
  package var meaning: String {
    switch self {
    case .done: "done"
    case .failed: "unexpected failure"
    case .notFound: "no such recording, sound, take or file"
    case .alreadyRecording: "already recording under that name"
    case .device: "device missing, busy or unable"
    case .outputRefused: "output cannot be created (exists, no access, too little space)"
    case .incomplete: "saved but incomplete (disk, device or a gap)"
    case .nothingCaptured: "nothing captured, no file"
    case .notASound: "not a sound this program can read"
    case .displaced: "playback stopped by another command"
    case .permissionNotDetermined: "permission not determined"
    case .permissionDenied: "permission denied"
    case .permissionRestricted: "permission restricted"
    case .permissionUnusable: "permission data unusable"
    case .revokedWhileRecording: "permission revoked while recording (audio kept)"
    case .expiredWhileRecording: "grant expired while recording (audio kept)"
    case .revokeUnconfirmed: "revoked, but one session did not confirm"
    case .usage: "wrong usage"
    case .interrupted: "Ctrl-C at a prompt or a waiting play"
    }
  }

  /// The codes with which missing microphone access keeps a recording from starting or resuming.
  static var accessRefused: [ExitCode] {
    [.permissionNotDetermined, .permissionDenied, .permissionRestricted, .permissionUnusable]
  }

  /// The codes of a recording that lost its microphone access.
  static var accessLost: [ExitCode] { [.revokedWhileRecording, .expiredWhileRecording] }
}
