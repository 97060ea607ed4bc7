internal import Audio
internal import Linux
package import PipeWire

/// A parsed device string: a built-in device, sound that this machine plays, or an ALSA PCM under any
/// name that ALSA knows.
package enum DeviceName: Hashable, Sendable {
  /// A PCM with ALSA's own name, such as `hw:0` or `default`.
  case alsa(String)
  /// A built-in capture device.
  case wave(Waveform)
  /// The built-in playback device `test:null`.
  case null
  /// Sound that a speaker or a program plays.
  case played(Source.Kind)

  /// Returns whether a device is built in: `test:…`.
  package static func isBuiltIn(_ device: String) -> Bool { device.begins(with: "test:") }

  /// Reads `test:…` as a built-in device, `output` and `app:…` as sound that is played, and any other
  /// text as an ALSA name.
  package init(_ text: String, for direction: Direction) throws(DeviceError) {
    if direction == .capture, Track.recordsSystemAudio(text) {
      self = .played(try Source.Kind(text))
      return
    }
    guard Self.isBuiltIn(text) else {
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

extension Source.Kind {
  /// Reads `output`, `output:NODE` or `app:NAME`.
  fileprivate init(_ device: String) throws(DeviceError) {
    guard let colon = device.utf8.firstIndex(of: UInt8(ascii: ":")) else {
      self = .defaultMonitor
      return
    }
    let name = String(Substring(device.utf8[colon...].dropFirst()))
    if name.isEmpty { throw .unnamed(device) }
    self = device.begins(with: "app:") ? .program(name) : .monitor(name)
  }
}
