import Audio

@testable import Files

/// The result of a repair.
@dynamicMemberLookup
struct Repaired: Equatable {
  let recovery: Recovery
  /// Whether there was nothing to repair.
  let wasIntact: Bool

  /// The result for a file without audio.
  static let nothing = Repaired(recovery: Recovery(frames: 0, removedBytes: 0), wasIntact: true)

  subscript<Value>(dynamicMember fact: KeyPath<Recovery, Value>) -> Value {
    recovery[keyPath: fact]
  }
}

extension SoundFileRepair {
  /// Plans the repair of a file, and carries the plan out.
  @discardableResult
  static func recover(
    _ file: CheckedFile, as format: FileFormat, stream: StreamFormat? = nil
  ) throws(SoundFileError) -> Repaired {
    guard let plan = try plan(for: file, as: format, stream: stream) else { return .nothing }
    return Repaired(recovery: try plan.carryOut(on: file), wasIntact: plan.isIntact)
  }
}
