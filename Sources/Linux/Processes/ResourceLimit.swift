internal import CLinux

/// A resource of which the kernel can keep this process from taking more.
package enum ResourceLimit: Sendable {
  /// Bytes of address space, used or not.
  case addresses
  /// Bytes of writable memory, except the stack.
  case memory
  /// Seconds of processor time, after which the kernel kills it.
  case processorTime
  /// The largest size of a file that it writes, in bytes.
  case fileSize
  /// The number above every new descriptor's; those that are open stay.
  case descriptors
  /// The largest size of a core dump in bytes.
  case coreDump

  /// Sets the limit for good. The corresponding C function is `prlimit`.
  package func set(_ most: UInt64) throws(SystemError) {
    try set(most, ofAtMost: most, for: 0)
  }

  /// Sets the limit to `now`, until a process without limits raises it, at most to `most`.
  package func set(_ now: UInt64, ofAtMost most: UInt64) throws(SystemError) {
    try set(now, ofAtMost: most, for: 0)
  }

  /// Raises the limit of a child, at most to the value that the child has set itself.
  package func raise(to now: UInt64, ofAtMost most: UInt64, for child: borrowing ChildProcess)
    throws(SystemError)
  {
    try set(now, ofAtMost: most, for: child.identifier)
  }

  /// The present limit of this process; 0 where the kernel does not report one.
  package var current: UInt64 { resource_limit(number) }

  private func set(_ now: UInt64, ofAtMost most: UInt64, for process: Int32) throws(SystemError) {
    try checked("prlimit", "\(self)") { limit_resource(process, number, now, most) }
  }

  private var number: CInt {
    switch self {
    case .addresses: CInt(memory_limit)
    case .memory: CInt(data_limit)
    case .processorTime: CInt(processor_limit)
    case .fileSize: CInt(file_limit)
    case .descriptors: CInt(descriptor_limit)
    case .coreDump: CInt(core_limit)
    }
  }
}
