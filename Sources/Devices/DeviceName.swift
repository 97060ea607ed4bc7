internal import Linux

/// A parsed device string: a built-in device, or an ALSA PCM under any name that ALSA knows.
package enum DeviceName: Hashable, Sendable {
  /// A PCM with ALSA's own name, such as `hw:0` or `default`.
  case alsa(String)
  /// A built-in capture device.
  case wave(Waveform)
  /// The built-in playback device `test:null`.
  case null

  /// Reads `test:…` as a built-in device and any other text as an ALSA name.
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

  /// Returns whether a capture device delivers sound that this computer plays: `output`,
  /// `output:NODE` or `app:NAME`.
  package static func recordsSystemAudio(_ device: String) -> Bool {
    device.isSameName(as: "output") || device.begins(with: "output:") || device.begins(with: "app:")
  }
}
