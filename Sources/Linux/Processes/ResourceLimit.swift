internal import CLinux

/// A resource of which the kernel can keep this process from taking more.
package enum ResourceLimit: Sendable {
  /// Bytes of addresses, whatever lies there.
  case addresses
  /// Bytes of memory that the process can write to, but for its stack.
  case memory
  /// Seconds of processor time, after which the kernel kills it.
  case processorTime
  /// Bytes of any file that it writes.
  case fileSize
  /// The number that a descriptor may have; those that are open stay.
  case descriptors
  /// Bytes of what is left of it when it crashes.
  case coreDump

  /// Lets this process have at most so much, for good. The corresponding C function is `prlimit`.
  package func set(_ most: UInt64) throws(SystemError) {
    try set(most, ofAtMost: most, for: 0)
  }

  /// Lets this process have so much, until one that is not limited raises it, at most to `most`.
  package func set(_ now: UInt64, ofAtMost most: UInt64) throws(SystemError) {
    try set(now, ofAtMost: most, for: 0)
  }

  /// Raises what a child may have, as far as it said itself.
  package func raise(to now: UInt64, ofAtMost most: UInt64, for child: borrowing ChildProcess)
    throws(SystemError)
  {
    try set(now, ofAtMost: most, for: child.identifier)
  }

  /// The present limit of this process; 0 where the kernel does not say.
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
