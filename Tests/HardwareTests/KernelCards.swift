import Foundation

/// Whether the drivers of the virtual machine are here, and why not.
enum KernelCards {
  static let areHere = ProcessInfo.processInfo.environment["RECORDER_KERNEL_CARDS"] == "1"
  static let reason =
    "RECORDER_KERNEL_CARDS is not 1: scripts/vm/test runs this in a virtual machine"
}
