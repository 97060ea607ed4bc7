internal import CLinux
internal import Glibc
internal import Synchronization

/// A resource that the kernel can limit for this process.
package enum ResourceLimit: Sendable {
  /// Bytes of address space, whether used or not.
  case addresses
  /// Bytes of writable memory, except the stack.
  case memory
  /// Seconds of processor time. The kernel kills the process after that.
  case processorTime
  /// The maximum size of a file that the process writes, in bytes.
  case fileSize
  /// One more than the largest number of a new descriptor. Open descriptors are not affected.
  case descriptors
  /// The maximum size of a core dump in bytes.
  case coreDump

  /// Sets the limit to `now`. The limit can be raised later up to `most`. If `most` is nil, the
  /// limit cannot be raised. The corresponding C function is `prlimit`.
  package func set(_ now: UInt64, ofAtMost most: UInt64? = nil) throws(SystemError) {
    try set(now, ofAtMost: most ?? now, for: 0)
  }

  /// Raises the limit of a child to `now`. `most` must not exceed the maximum that the child has
  /// set for itself.
  package func raise(to now: UInt64, ofAtMost most: UInt64, for child: borrowing ChildProcess)
    throws(SystemError)
  {
    try set(now, ofAtMost: most, for: child.identifier)
  }

  /// The current limit of this process, or 0 if the kernel does not report one.
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

/// Reserved descriptors. They ensure that the last steps of a program can open files, even if other
/// code has taken all other descriptors.
package final class DescriptorReserve: Sendable {
  private let numbers: Mutex<[CInt]>

  /// Reserves `count` descriptors. Throws if fewer are available.
  package init(_ count: Int) throws(SystemError) {
    let root = try Descriptor(opening: "/", .pathOnly)
    var numbers: [CInt] = []
    do throws(SystemError) {
      while numbers.count < count { numbers.append(try root.duplicate().release()) }
    } catch {
      for number in numbers { close(number) }
      throw error
    }
    self.numbers = Mutex(numbers)
  }

  deinit { release() }

  /// Releases the reserved descriptors. Further calls have no effect.
  package func release() {
    numbers.withLock { numbers in
      for number in numbers { close(number) }
      numbers = []
    }
  }

  /// The number of descriptors that this process can still open, as the kernel reports it.
  package static var left: Int {
    let open = (try? Directory("/proc/self/fd").names().count) ?? 0
    return max(0, Int(clamping: ResourceLimit.descriptors.current) - open)
  }
}

/// A filter for the system calls of this process.
package enum SystemCallFilter {
  /// Permanently allows only the system calls that a computation needs: reads and writes of open
  /// descriptors, the status of files, memory that is not executed, locks, time, random numbers,
  /// and the exit. All other calls fail with EPERM.
  ///
  /// If the kernel does not support such filters, this function does nothing. Then only the
  /// resource limits restrict the process.
  package static func allowComputing() throws(SystemError) {
    let program = program()
    let result = unsafe program.withUnsafeBufferPointer {
      unsafe filter_calls($0.baseAddress, UInt16($0.count))
    }
    let reason = Errno.last
    guard result != 0, ![.notImplemented, .invalid].contains(reason) else { return }
    throw SystemError("seccomp", errno: reason)
  }

  private static let always: [UInt32] = [
    call_read, call_write, call_pread, call_lseek, call_fstat, call_fstat_at, call_close,
    call_munmap, call_mremap, call_madvise, call_brk, call_futex, call_yield, call_time,
    call_random, call_mask, call_return, call_exit, call_exit_all,
  ].map { UInt32($0) }

  /// Calls whose third argument decides whether a memory range may be executed.
  private static let mapping: [UInt32] = [call_mmap, call_mprotect].map { UInt32($0) }

  /// Offsets in the kernel's `struct seccomp_data`.
  private enum Field { static let (call, machine, third) = (UInt32(0), UInt32(4), UInt32(32)) }

  /// Returns a program for the kernel's packet filter. The arguments of a jump are numbers of
  /// instructions to skip.
  private static func program() -> [sock_filter] {
    let deny = result(UInt32(SECCOMP_RET_ERRNO) | UInt32(Errno.notPermitted.rawValue))
    let allow = result(UInt32(SECCOMP_RET_ALLOW))
    var steps = [
      load(Field.machine), jump(BPF_JEQ, this_machine, passing: 1, or: 0), deny, load(Field.call),
    ]
    for call in always { steps += [jump(BPF_JEQ, call, passing: 0, or: 1), allow] }
    for call in mapping {
      steps += [
        jump(BPF_JEQ, call, passing: 0, or: 4), load(Field.third),
        jump(BPF_JSET, UInt32(PROT_EXEC), passing: 0, or: 1), deny, allow,
      ]
    }
    return steps + [deny]
  }

  private static func load(_ offset: UInt32) -> sock_filter {
    sock_filter(code: UInt16(BPF_LD | BPF_W | BPF_ABS), jt: 0, jf: 0, k: offset)
  }

  private static func jump(
    _ comparison: Int32, _ value: UInt32, passing: UInt8, or otherwise: UInt8
  ) -> sock_filter {
    sock_filter(code: UInt16(BPF_JMP | comparison | BPF_K), jt: passing, jf: otherwise, k: value)
  }

  private static func result(_ value: UInt32) -> sock_filter {
    sock_filter(code: UInt16(BPF_RET | BPF_K), jt: 0, jf: 0, k: value)
  }
}
