internal import Audio
internal import CALSA
internal import Glibc
internal import Linux

/// An open ALSA PCM, closed when this value is destroyed.
///
/// It is always non-blocking, and all conversions of ALSA's plugin `plug` are off. So the program
/// receives the device's own rate, channels and sample format. The program's own conversions are
/// better, and the program reports them.
@safe struct PCMHandle: ~Copyable {
  let pointer: OpaquePointer
  let device: String

  /// The corresponding C function is `snd_pcm_open`.
  init(opening device: String, _ direction: Direction) throws(StreamError) {
    try ALSA.load(for: device)
    let stream = direction == .capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK
    var opened: OpaquePointer?
    var result: CInt = 0
    for _ in 0..<2 {
      result = unsafe alsa.pcm_open(&opened, device, stream, Self.mode)
      // There is no second attempt for a card, because a card needs no configuration. This saves
      // time in a session that tries again and again to open a missing card.
      if result >= 0 || device.begins(with: "hw:") || device.begins(with: "plughw:") { break }
      // alsa-lib reads its configuration only once. The call below drops the configuration, so the
      // next attempt reads it again, and finds a device that was configured or installed after the
      // first read.
      _ = alsa.config_update_free_global()
      guard [ENOENT, ENODEV, ENXIO].contains(-result) else { break }
    }
    try checked("snd_pcm_open", on: device, result)
    guard let opened = unsafe opened else {
      throw StreamError("snd_pcm_open", device, .noDevice)
    }
    unsafe pointer = opened
    self.device = device
  }

  deinit { _ = unsafe alsa.pcm_close(pointer) }

  private static var mode: CInt {
    CInt(SND_PCM_NONBLOCK) | CInt(SND_PCM_NO_AUTO_RESAMPLE) | CInt(SND_PCM_NO_AUTO_CHANNELS)
      | CInt(SND_PCM_NO_AUTO_FORMAT)
  }
}

extension PCMHandle {
  /// Returns the layer below `plug`. After the PCM is configured, this is the layer directly below,
  /// which may be a conversion. Before that, it is the layer below all conversions.
  ///
  /// ALSA has no call that returns the layer below `plug`. So this function reads the description
  /// of the PCM. In this text, the description of the layer below directly follows the name of
  /// `plug`.
  func base() -> Base {
    if unsafe alsa.pcm_type(pointer) == SND_PCM_TYPE_HW { return .kernelHardware }
    return Base(described: description())
  }

  /// The layer that moves the frames of a PCM.
  enum Base {
    case kernelHardware, pipeWire, other

    init(described text: String) {
      var rest = text[...]
      while rest.begins(with: "Plug PCM: ") { rest = rest.dropFirst(10) }
      if rest.begins(with: "Hardware PCM card ") {
        self = .kernelHardware
      } else if rest.begins(with: "ALSA <-> PipeWire PCM I/O Plugin") {
        self = .pipeWire
      } else {
        self = .other
      }
    }
  }

  /// Returns the card that was opened, or nil if there is none. The card comes from the driver, not
  /// from the name of the PCM. The corresponding C function is `snd_pcm_info`.
  func card() -> OpenedCard? {
    var made: OpaquePointer?
    guard unsafe alsa.pcm_info_malloc(&made) >= 0, let info = unsafe made else { return nil }
    defer { unsafe alsa.pcm_info_free(info) }
    guard unsafe alsa.pcm_info(pointer, info) >= 0 else { return nil }
    let number = unsafe alsa.pcm_info_get_card(info)
    guard number >= 0 else { return nil }
    return OpenedCard(number: Int(number), device: Int(unsafe alsa.pcm_info_get_device(info)))
  }

  /// The corresponding C function is `snd_pcm_dump`.
  private func description() -> String {
    var made: OpaquePointer?
    guard unsafe alsa.output_buffer_open(&made) >= 0, let output = unsafe made else { return "" }
    defer { _ = unsafe alsa.output_close(output) }
    guard unsafe alsa.pcm_dump(pointer, output) >= 0 else { return "" }
    var text: UnsafeMutablePointer<CChar>?
    let length = unsafe alsa.output_buffer_string(output, &text)
    let bytes = unsafe UnsafeRawBufferPointer(start: text, count: Int(length))
    return unsafe String(decoding: bytes, as: UTF8.self)
  }
}

/// ALSA's memory for the status of a stream. It is allocated once, so no call on a running stream
/// allocates.
@safe struct PCMStatus: ~Copyable {
  let pointer: OpaquePointer

  init(for device: String) throws(StreamError) {
    var made: OpaquePointer?
    try checked("snd_pcm_status_malloc", on: device, unsafe alsa.pcm_status_malloc(&made))
    guard let made = unsafe made else {
      throw StreamError("snd_pcm_status_malloc", device, .noMemory)
    }
    unsafe pointer = made
  }

  deinit { unsafe alsa.pcm_status_free(pointer) }

  /// The timing in the last status.
  var timing: StreamTiming {
    var instant = snd_htimestamp_t()
    unsafe alsa.pcm_status_get_htstamp(pointer, &instant)
    let available = unsafe alsa.pcm_status_get_avail(pointer)
    return StreamTiming(
      instant: Self.time(instant) ?? KernelClock.monotonic.now,
      available: FrameCount(Int64(clamping: available)),
      delay: FrameCount(unsafe alsa.pcm_status_get_delay(pointer)))
  }

  /// Returns the time of a stamp, or nil if the driver has not set it.
  static func time(_ stamp: snd_htimestamp_t) -> Duration? {
    if stamp.tv_sec == 0 && stamp.tv_nsec == 0 { return nil }
    return .seconds(stamp.tv_sec) + .nanoseconds(stamp.tv_nsec)
  }
}

/// The descriptors of a PCM and a wake descriptor, polled together. They are allocated once, so no
/// wait allocates.
@safe struct PollDescriptors: ~Copyable {
  /// The result of one wait.
  enum Finding {
    case events(Int16)
    case woken
    case nothing
  }

  private let entries: UnsafeMutableBufferPointer<pollfd>

  init(of handle: borrowing PCMHandle) throws(StreamError) {
    let count = try checked(
      "snd_pcm_poll_descriptors_count", on: handle.device,
      unsafe alsa.pcm_poll_descriptors_count(handle.pointer))
    unsafe entries = .allocate(capacity: Int(count) + 1)
    unsafe entries.initialize(repeating: pollfd(fd: -1, events: 0, revents: 0))
  }

  deinit { unsafe entries.deallocate() }

  /// Waits once. The corresponding C functions are `poll` and `snd_pcm_poll_descriptors_revents`.
  func wait(
    for handle: borrowing PCMHandle, wake: CInt, upTo limit: Duration
  ) throws(StreamError) -> Finding {
    let count = unsafe entries.count - 1
    // The descriptors are read before each wait, because a plugin may change them.
    try checked(
      "snd_pcm_poll_descriptors", on: handle.device,
      unsafe alsa.pcm_poll_descriptors(handle.pointer, entries.baseAddress, CUnsignedInt(count)))
    unsafe entries[count] = pollfd(fd: wake, events: Int16(POLLIN), revents: 0)
    let ready = unsafe poll(entries.baseAddress, nfds_t(count + 1), limit.wholeMilliseconds)
    if ready < 0 { return try interrupted(handle.device) }
    if ready == 0 { return .nothing }
    if unsafe entries[count].revents != 0 { return .woken }
    var events: CUnsignedShort = 0
    try checked(
      "snd_pcm_poll_descriptors_revents", on: handle.device,
      unsafe alsa.pcm_poll_descriptors_revents(
        handle.pointer, entries.baseAddress, CUnsignedInt(count), &events))
    return .events(Int16(bitPattern: events))
  }

  private func interrupted(_ device: String) throws(StreamError) -> Finding {
    let reason = Errno.last
    if reason == .interrupted { return .nothing }
    throw StreamError("poll", device, reason)
  }
}

/// The settings of a configured PCM for its wakes, its start and stop, and its timestamps.
@safe struct SoftwareParameters: ~Copyable {
  private let pointer: OpaquePointer
  /// Borrowed from the handle, which outlives these parameters.
  private let pcm: OpaquePointer
  private let device: String

  init(of handle: borrowing PCMHandle) throws(StreamError) {
    var made: OpaquePointer?
    try unsafe checked(
      "snd_pcm_sw_params_malloc", on: handle.device, alsa.pcm_sw_params_malloc(&made))
    guard let made = unsafe made else {
      throw StreamError("snd_pcm_sw_params_malloc", handle.device, .noMemory)
    }
    unsafe pointer = made
    unsafe pcm = handle.pointer
    device = handle.device
  }

  deinit { unsafe alsa.pcm_sw_params_free(pointer) }

  /// Configures the PCM: a wait ends when this number of frames is available or free, the stream
  /// starts only on request, and the time stamps are from CLOCK_MONOTONIC.
  ///
  /// - Parameter runsOn: true to continue after an overrun, so that the rest of the buffer can be
  ///   read and the lost frames can be counted exactly.
  func install(wakingAt frames: FrameCount, runsOn: Bool = false) throws(StreamError) {
    try take("_current", unsafe alsa.pcm_sw_params_current(pcm, pointer))
    var boundary: snd_pcm_uframes_t = 0
    try take("_get_boundary", unsafe alsa.pcm_sw_params_get_boundary(pointer, &boundary))
    try take(
      "_set_avail_min",
      unsafe alsa.pcm_sw_params_set_avail_min(pcm, pointer, snd_pcm_uframes_t(frames.value)))
    try take(
      "_set_start_threshold", unsafe alsa.pcm_sw_params_set_start_threshold(pcm, pointer, boundary))
    if runsOn {
      try take(
        "_set_stop_threshold", unsafe alsa.pcm_sw_params_set_stop_threshold(pcm, pointer, boundary))
    }
    try take(
      "_set_tstamp_mode",
      unsafe alsa.pcm_sw_params_set_tstamp_mode(pcm, pointer, SND_PCM_TSTAMP_ENABLE))
    try take(
      "_set_tstamp_type",
      unsafe alsa.pcm_sw_params_set_tstamp_type(pcm, pointer, SND_PCM_TSTAMP_TYPE_MONOTONIC))
    try take("", unsafe alsa.pcm_sw_params(pcm, pointer))
  }

  private func take(_ step: String, _ result: CInt) throws(StreamError) {
    try checked("snd_pcm_sw_params" + step, on: device, result)
  }
}
