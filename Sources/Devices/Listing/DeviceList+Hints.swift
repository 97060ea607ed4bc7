internal import CALSA
internal import Glibc

extension DeviceList {
  /// The names that ALSA's configuration offers. The corresponding C function is `snd_device_name_hint`.
  static func configuredDevices(_ direction: Direction) -> [DeviceDescription] {
    ALSA.silence()
    var list: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    guard unsafe snd_device_name_hint(-1, "pcm", &list) >= 0, let hints = unsafe list else {
      return []
    }
    defer { unsafe snd_device_name_free_hint(hints) }
    var found: [DeviceDescription] = []
    var place = 0
    while let hint = unsafe hints[place] {
      if let device = unsafe device(hint, direction) { found.append(device) }
      place += 1
    }
    return found
  }

  @unsafe private static func device(
    _ hint: UnsafeMutableRawPointer, _ direction: Direction
  ) -> DeviceDescription? {
    // Without an IOID the name serves both directions.
    let way = unsafe text("IOID", hint)
    let isOurs = way == nil || way == (direction == .capture ? "Input" : "Output")
    guard isOurs, let name = unsafe text("NAME", hint) else { return nil }
    let title = unsafe text("DESC", hint) ?? ""
    return DeviceDescription(
      name: name, title: title.split(separator: "\n").joined(separator: ", "),
      direction: direction, origin: .configured, holders: [])
  }

  @unsafe private static func text(_ key: String, _ hint: UnsafeMutableRawPointer) -> String? {
    guard let text = unsafe snd_device_name_get_hint(hint, key) else { return nil }
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }
}
