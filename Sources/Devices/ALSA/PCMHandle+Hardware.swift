internal import CALSA

extension PCMHandle {
  /// True if a kernel driver is directly below, once the PCM is configured.
  ///
  /// ALSA has no call that names what is below `plug`, only its description does. With every conversion
  /// off, `plug` hands the calls straight through, so the description of the hardware follows at once.
  func isKernelHardware() -> Bool {
    if unsafe snd_pcm_type(pointer) == SND_PCM_TYPE_HW { return true }
    return Self.describesHardware(description())
  }

  /// The card that was opened, by the driver and not by the name; nil where there is none. The corresponding C
  /// function is `snd_pcm_info`.
  func card() -> OpenedCard? {
    var made: OpaquePointer?
    guard unsafe snd_pcm_info_malloc(&made) >= 0, let info = unsafe made else { return nil }
    defer { unsafe snd_pcm_info_free(info) }
    guard unsafe snd_pcm_info(pointer, info) >= 0 else { return nil }
    let number = unsafe snd_pcm_info_get_card(info)
    guard number >= 0 else { return nil }
    return OpenedCard(number: Int(number), device: Int(unsafe snd_pcm_info_get_device(info)))
  }

  static func describesHardware(_ text: String) -> Bool {
    var rest = text[...]
    while rest.hasPrefix("Plug PCM: ") { rest = rest.dropFirst(10) }
    return rest.hasPrefix("Hardware PCM card ")
  }

  /// The corresponding C function is `snd_pcm_dump`.
  private func description() -> String {
    var made: OpaquePointer?
    guard unsafe snd_output_buffer_open(&made) >= 0, let output = unsafe made else { return "" }
    defer { unsafe snd_output_close(output) }
    guard unsafe snd_pcm_dump(pointer, output) >= 0 else { return "" }
    var text: UnsafeMutablePointer<CChar>?
    let length = unsafe snd_output_buffer_string(output, &text)
    let bytes = unsafe UnsafeRawBufferPointer(start: text, count: Int(length))
    return unsafe String(decoding: bytes, as: UTF8.self)
  }
}
