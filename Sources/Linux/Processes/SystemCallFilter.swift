internal import CLinux

/// The system calls that the kernel accepts from this process.
package enum SystemCallFilter {
  /// Permits reads and writes of open descriptors, memory, time and the end; anything else fails
  /// with EPERM, for good.
  ///
  /// A kernel without such filters is not an error: resource limits have to suffice then.
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

  /// Calls whose third argument decides if a memory range may be executed.
  private static let mapping: [UInt32] = [call_mmap, call_mprotect].map { UInt32($0) }

  /// Offsets in the kernel's `struct seccomp_data`.
  private enum Field { static let (call, machine, third) = (UInt32(0), UInt32(4), UInt32(32)) }

  /// A program of the kernel's packet filter: each step is an instruction, and the number of steps
  /// to skip.
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
    sock_filter(
      code: UInt16(BPF_JMP | comparison | BPF_K), jt: passing, jf: otherwise, k: value)
  }

  private static func result(_ value: UInt32) -> sock_filter {
    sock_filter(code: UInt16(BPF_RET | BPF_K), jt: 0, jf: 0, k: value)
  }
}
