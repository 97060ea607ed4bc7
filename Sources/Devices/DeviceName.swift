internal import Audio
internal import Linux
package import PipeWire

/// A parsed device string: a built-in device, sound that this machine plays, or the name of an ALSA
/// PCM.
package enum DeviceName: Hashable, Sendable {
  /// A PCM, by its ALSA name, such as `hw:0` or `default`.
  case alsa(String)
  /// A built-in capture device, and the error of its clock in parts per million.
  case wave(Waveform, clockError: Int = 0)
  /// The built-in playback device `test:null`.
  case null
  /// Sound that a speaker or a program plays.
  case played(Source.Kind)

  /// Returns whether a device is built in: `test:…`.
  package static func isBuiltIn(_ device: String) -> Bool { device.begins(with: "test:") }

  /// Parses a device string. `test:…` is a built-in device. For capture, `output`, `output:…` and
  /// `app:…` are sound that this machine plays. Any other text is an ALSA name.
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
      if let device = Self.wave(name) {
        self = device
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

  /// Reads a waveform, such as `tone:440`. The error of its clock may follow, such as `@+150ppm`.
  private static func wave(_ name: String) -> DeviceName? {
    let parts = name.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    guard let wave = Waveform(parts[0]) else { return nil }
    guard parts.count > 1 else { return .wave(wave) }
    guard parts[1].ends(with: "ppm"), let error = Int(parts[1].dropLast(3)),
      (-mostClockError...mostClockError).contains(error)
    else { return nil }
    return .wave(wave, clockError: error)
  }

  /// 10 %, in parts per million.
  private static var mostClockError: Int { 100_000 }
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
