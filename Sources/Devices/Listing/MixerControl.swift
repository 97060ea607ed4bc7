internal import CALSA
internal import Linux

/// A mixer's switch or volume that affects a stream.
package struct MixerControl: Hashable, Sendable {
  /// The mixer's own name for the control, such as `Capture`.
  package let name: String
  /// The direction of the streams that it controls.
  package let direction: Direction
  /// Whether it mutes every channel.
  package let isMuted: Bool
  /// The volume of the loudest channel, from 0 to 1, or nil if it has no volume.
  package let volume: Double?

  /// A control as the mixer reports it; `volume` is from 0 to 1.
  package init(name: String, direction: Direction, isMuted: Bool, volume: Double?) {
    self.name = name
    self.direction = direction
    self.isMuted = isMuted
    self.volume = volume
  }

  /// Whether the switch or the volume silences every channel.
  package var isSilent: Bool { isMuted || volume == 0 }
}

extension [MixerControl] {
  /// The controls that silence the stream, or none if any sound passes.
  ///
  /// A card has many controls, and most of them belong to sources that are not in use. If a main
  /// control for all sources exists, it decides alone. Otherwise the stream is silent only if all
  /// controls are silent.
  package var silencing: [MixerControl] {
    let sources = filter { !$0.name.begins(with: "IEC958") && !$0.name.holds("Boost") }
    let main = sources.filter { ["Capture", "Master"].contains($0.name) }
    let deciding = main.isEmpty ? sources : main
    return deciding.allSatisfy(\.isSilent) ? deciding : []
  }
}

/// The mixer of one card or of a sound server, closed when this value is destroyed.
@safe private struct MixerHandle: ~Copyable {
  private let pointer: OpaquePointer

  /// Opens the mixer. Returns nil if it does not exist or the user has no access. The corresponding
  /// C functions are `snd_mixer_open`, `snd_mixer_attach` and `snd_mixer_load`.
  init?(_ device: String) {
    guard ALSA.refusal == nil else { return nil }
    var opened: OpaquePointer?
    guard unsafe alsa.mixer_open(&opened, 0) >= 0, let opened = unsafe opened else { return nil }
    guard unsafe alsa.mixer_attach(opened, device) >= 0,
      unsafe alsa.mixer_selem_register(opened, nil, nil) >= 0,
      unsafe alsa.mixer_load(opened) >= 0
    else {
      _ = unsafe alsa.mixer_close(opened)
      return nil
    }
    unsafe pointer = opened
  }

  deinit { _ = unsafe alsa.mixer_close(pointer) }

  /// Returns the controls that affect streams in this direction.
  func controls(_ direction: Direction) -> [MixerControl] {
    var found: [MixerControl] = []
    var element = unsafe alsa.mixer_first_elem(pointer)
    while let current = unsafe element {
      if let control = unsafe control(current, direction) { found.append(control) }
      unsafe element = alsa.mixer_elem_next(current)
    }
    return found
  }

  @unsafe private func control(
    _ element: OpaquePointer, _ direction: Direction
  ) -> MixerControl? {
    guard let name = unsafe alsa.mixer_selem_get_name(element) else { return nil }
    let isMuted = unsafe isMuted(element, direction)
    let volume = unsafe volume(element, direction)
    guard isMuted != nil || volume != nil else { return nil }
    return unsafe MixerControl(
      name: String(cString: name), direction: direction, isMuted: isMuted ?? false,
      volume: volume)
  }

  /// Returns whether every channel is muted, or nil if there is no switch.
  @unsafe private func isMuted(_ element: OpaquePointer, _ direction: Direction) -> Bool? {
    let isCapture = direction == .capture
    let has =
      unsafe isCapture
      ? alsa.mixer_selem_has_capture_switch(element) : alsa.mixer_selem_has_playback_switch(element)
    guard has == 1 else { return nil }
    return unsafe !channels(of: element, direction).contains { channel in
      var value: CInt = 0
      let result =
        unsafe isCapture
        ? alsa.mixer_selem_get_capture_switch(element, channel, &value)
        : alsa.mixer_selem_get_playback_switch(element, channel, &value)
      return result >= 0 && value != 0
    }
  }

  /// Returns the volume of the loudest channel, from 0 to 1, or nil if there is no volume for this
  /// direction alone.
  @unsafe private func volume(_ element: OpaquePointer, _ direction: Direction) -> Double? {
    let isCapture = direction == .capture
    // A volume for both directions is a boost. It is usually 0, but this does not mean silence.
    guard unsafe alsa.mixer_selem_has_common_volume(element) == 0 else { return nil }
    var (least, most) = (CLong(0), CLong(0))
    let has =
      unsafe isCapture
      ? alsa.mixer_selem_has_capture_volume(element) : alsa.mixer_selem_has_playback_volume(element)
    guard has == 1 else { return nil }
    _ =
      unsafe isCapture
      ? alsa.mixer_selem_get_capture_volume_range(element, &least, &most)
      : alsa.mixer_selem_get_playback_volume_range(element, &least, &most)
    guard most > least else { return nil }
    let values = unsafe channels(of: element, direction).map { channel in
      var value: CLong = least
      _ =
        unsafe isCapture
        ? alsa.mixer_selem_get_capture_volume(element, channel, &value)
        : alsa.mixer_selem_get_playback_volume(element, channel, &value)
      return value
    }
    return values.max().map { Double($0 - least) / Double(most - least) }
  }

  @unsafe private func channels(
    of element: OpaquePointer, _ direction: Direction
  ) -> [snd_mixer_selem_channel_id_t] {
    (0...SND_MIXER_SCHN_LAST.rawValue).map { snd_mixer_selem_channel_id_t(rawValue: $0) }.filter {
      unsafe direction == .capture
        ? alsa.mixer_selem_has_capture_channel(element, $0) == 1
        : alsa.mixer_selem_has_playback_channel(element, $0) == 1
    }
  }
}

extension MixerControl {
  /// Returns the controls of the device with this ALSA name, or none if the device has no mixer.
  package static func controls(of device: String, _ direction: Direction) -> [MixerControl] {
    MixerHandle(device)?.controls(direction) ?? []
  }
}
