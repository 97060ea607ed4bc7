internal import CLinux
internal import Glibc
internal import Synchronization

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

/// Descriptors that are kept back while others take theirs, so that the last steps of a program can
/// open files.
package final class DescriptorReserve: Sendable {
  private let numbers: Mutex<[CInt]>

  /// Takes `count` descriptors; throws where there are not as many.
  package init(_ count: Int) throws(SystemError) {
    let place = try Descriptor(opening: "/", .pathOnly)
    var numbers: [CInt] = []
    do throws(SystemError) {
      while numbers.count < count { numbers.append(try place.duplicate().release()) }
    } catch {
      for number in numbers { close(number) }
      throw error
    }
    self.numbers = Mutex(numbers)
  }

  deinit { release() }

  /// Gives them back; repeating it is harmless.
  package func release() {
    numbers.withLock { numbers in
      for number in numbers { close(number) }
      numbers = []
    }
  }

  /// The number of descriptors that this process may still open, as the kernel reports it.
  package static var left: Int {
    let open = (try? Directory("/proc/self/fd").names().count) ?? 0
    return max(0, Int(clamping: ResourceLimit.descriptors.current) - open)
  }
}
