internal import CALSA

/// The control interface of one card, closed with its owner.
@safe struct CardControl: ~Copyable {
  private let pointer: OpaquePointer
  private let number: Int

  /// Nil where the card is gone again or is not for this user. The corresponding C function is `snd_ctl_open`.
  init?(_ number: CInt) {
    var opened: OpaquePointer?
    guard unsafe snd_ctl_open(&opened, "hw:\(number)", 0) >= 0, let opened = unsafe opened else {
      return nil
    }
    unsafe pointer = opened
    self.number = Int(number)
  }

  deinit { unsafe snd_ctl_close(pointer) }

  func devices(_ direction: Direction) -> [DeviceDescription] {
    guard let card = identity() else { return [] }
    var found: [DeviceDescription] = []
    var device: CInt = -1
    while unsafe snd_ctl_pcm_next_device(pointer, &device) >= 0, device >= 0 {
      if let device = description(of: device, card, direction) { found.append(device) }
    }
    return found
  }

  private struct Identity {
    let id: String
    let name: String
    let driver: String
  }

  private func identity() -> Identity? {
    var made: OpaquePointer?
    guard unsafe snd_ctl_card_info_malloc(&made) >= 0, let info = unsafe made else { return nil }
    defer { unsafe snd_ctl_card_info_free(info) }
    guard unsafe snd_ctl_card_info(pointer, info) >= 0 else { return nil }
    return unsafe Identity(
      id: text(snd_ctl_card_info_get_id(info)), name: text(snd_ctl_card_info_get_name(info)),
      driver: text(snd_ctl_card_info_get_driver(info)))
  }

  /// Nil where the device has no streams of that direction.
  private func description(
    of device: CInt, _ card: Identity, _ direction: Direction
  ) -> DeviceDescription? {
    var made: OpaquePointer?
    guard unsafe snd_pcm_info_malloc(&made) >= 0, let info = unsafe made else { return nil }
    defer { unsafe snd_pcm_info_free(info) }
    unsafe snd_pcm_info_set_device(info, CUnsignedInt(device))
    unsafe snd_pcm_info_set_subdevice(info, 0)
    let stream = direction == .capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK
    unsafe snd_pcm_info_set_stream(info, stream)
    guard unsafe snd_ctl_pcm_info(pointer, info) >= 0 else { return nil }
    let place = unsafe DeviceDescription.Card(
      number: number, id: card.id, name: card.name, driver: card.driver, device: Int(device),
      subdevices: Int(snd_pcm_info_get_subdevices_count(info)),
      free: Int(snd_pcm_info_get_subdevices_avail(info)))
    let name = "hw:CARD=\(card.id),DEV=\(device)"
    return unsafe DeviceDescription(
      name: name, title: "\(card.name), \(text(snd_pcm_info_get_name(info)))",
      direction: direction, origin: .kernel(place),
      holders: DeviceHolder.holders(of: name, direction))
  }

  @unsafe private func text(_ words: UnsafePointer<CChar>?) -> String {
    guard let words = unsafe words else { return "" }
    return unsafe String(cString: words)
  }
}
