internal import CALSA
internal import Glibc
internal import Linux

/// The descriptors of a PCM and one to wake, waited for together; made once, so that no wait allocates.
@safe struct PollDescriptors: ~Copyable {
  /// The result of one wait.
  enum Finding {
    case events(Int16)
    case woken
    case nothing
  }

  private let entries: UnsafeMutableBufferPointer<pollfd>

  init(of handle: borrowing PCMHandle) throws(ALSAError) {
    let count = try checked(
      "snd_pcm_poll_descriptors_count", on: handle.device,
      unsafe snd_pcm_poll_descriptors_count(handle.pointer))
    unsafe entries = .allocate(capacity: Int(count) + 1)
    unsafe entries.initialize(repeating: pollfd(fd: -1, events: 0, revents: 0))
  }

  deinit { unsafe entries.deallocate() }

  /// Waits once. The corresponding C functions are `poll` and `snd_pcm_poll_descriptors_revents`.
  func wait(
    for handle: borrowing PCMHandle, wake: CInt, upTo limit: Duration
  ) throws(ALSAError) -> Finding {
    let count = unsafe entries.count - 1
    // Read anew each time: a plugin may change the descriptors that it waits for.
    try checked(
      "snd_pcm_poll_descriptors", on: handle.device,
      unsafe snd_pcm_poll_descriptors(handle.pointer, entries.baseAddress, CUnsignedInt(count)))
    unsafe entries[count] = pollfd(fd: wake, events: Int16(POLLIN), revents: 0)
    let ready = unsafe poll(entries.baseAddress, nfds_t(count + 1), limit.wholeMilliseconds)
    if ready < 0 { return try interrupted(handle.device) }
    if ready == 0 { return .nothing }
    if unsafe entries[count].revents != 0 { return .woken }
    var events: CUnsignedShort = 0
    try checked(
      "snd_pcm_poll_descriptors_revents", on: handle.device,
      unsafe snd_pcm_poll_descriptors_revents(
        handle.pointer, entries.baseAddress, CUnsignedInt(count), &events))
    return .events(Int16(bitPattern: events))
  }

  private func interrupted(_ device: String) throws(ALSAError) -> Finding {
    let reason = Errno.last
    if reason == .interrupted { return .nothing }
    throw ALSAError("poll", device, reason)
  }
}
