internal import CALSA

extension DeviceList {
  /// The devices of every card. The corresponding C function is `snd_card_next`.
  static func kernelDevices(_ direction: Direction) -> [DeviceDescription] {
    ALSA.silence()
    var found: [DeviceDescription] = []
    var number: CInt = -1
    while unsafe snd_card_next(&number) >= 0, number >= 0 {
      if let card = CardControl(number) { found += card.devices(direction) }
    }
    return found
  }
}
