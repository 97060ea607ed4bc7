internal import Linux

/// A parsed device string: a built-in device, or a PCM of ALSA by any name that ALSA knows.
package enum DeviceName: Hashable, Sendable {
  /// A PCM by ALSA's own name, such as `hw:0` or `default`.
  case alsa(String)
  /// A built-in capture device.
  case wave(Waveform)
  /// The built-in playback device `test:null`.
  case null

  /// Reads `test:…` as a built-in device and all else as a name of ALSA's.
  package init(_ text: String, for direction: Direction) throws(DeviceError) {
    guard text.begins(with: "test:") else {
      self = .alsa(text)
      return
    }
    let name = text.trimmingBytes(first: 5)
    switch direction {
    case .capture:
      if let wave = Waveform(Substring(name)) {
        self = .wave(wave)
        return
      }
    case .playback:
      if name == "null" {
        self = .null
        return
      }
    }
    throw .unknownBuiltIn(name: text, direction: direction)
  }
}
