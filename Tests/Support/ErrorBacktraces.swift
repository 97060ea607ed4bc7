import Glibc

/// The backtraces that swift-testing captures of thrown errors.
package enum ErrorBacktraces {
  /// Turns them off for this process.
  ///
  /// The reports of the tests do not show them. A scan that throws for each byte of a damaged file
  /// spends most of its time on them.
  package static let off: Void = {
    // The handlers of the Swift runtime, which swift-testing sets before the first test.
    for name in ["_swift_willThrow", "_swift_willThrowTypedImpl"] {
      dlsym(nil, name)?.storeBytes(of: nil, as: UnsafeRawPointer?.self)
    }
  }()
}
