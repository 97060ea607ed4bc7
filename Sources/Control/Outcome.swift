/// The outcome of a take or of a request, as results and refusals carry it on the wire and on the disk.
///
/// The commands exit with the same numbers.
package enum Outcome: Int32, Hashable, Sendable {
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
  case usage = 64
}
