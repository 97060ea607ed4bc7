internal import Audio
internal import CALSA
internal import Linux

/// An open and configured PCM of ALSA's; `Capture` and `Playback` are its two uses.
///
/// One thread owns it at a time and may hand it to another, which alsa-lib allows.
package struct PCM: ~Copyable, @unchecked Sendable {
  let handle: PCMHandle
  let direction: Direction
  /// The setup that was negotiated.
  package let setup: StreamSetup
  let polls: PollDescriptors
  let status: PCMStatus

  init(
    opening device: String, _ direction: Direction, _ request: DeviceRequest
  ) throws(DeviceError) {
    try NodeName(device)?.verify(direction)
    let handle = try Self.handle(of: device, direction)
    let setup = try Self.configure(handle, direction, request)
    let polls = try unfailing { () throws(ALSAError) in try PollDescriptors(of: handle) }
    let status = try unfailing { () throws(ALSAError) in try PCMStatus(for: device) }
    self.direction = direction
    self.setup = setup
    self.polls = polls
    self.status = status
    self.handle = handle
  }

  private static func handle(
    of device: String, _ direction: Direction
  ) throws(DeviceError) -> PCMHandle {
    do throws(ALSAError) {
      return try PCMHandle(opening: device, direction)
    } catch {
      throw NodeName.mistaken(device, direction) ?? DeviceError(opening: error, direction)
    }
  }

  private static func configure(
    _ handle: borrowing PCMHandle, _ direction: Direction, _ request: DeviceRequest
  ) throws(DeviceError) -> StreamSetup {
    let parameters = try unfailing { () throws(ALSAError) in
      let parameters = try HardwareParameters(of: handle)
      try parameters.reset()
      return parameters
    }
    let able = parameters.capabilities()
    try parameters.settle(request, able)
    let isKernelHardware = handle.isKernelHardware()
    guard var setup = parameters.setup(isKernelHardware: isKernelHardware) else {
      throw .failed(ALSAError("snd_pcm_hw_params", handle.device, .invalid))
    }
    setup.card = handle.card()
    try unfailing { () throws(ALSAError) in
      try SoftwareParameters(of: handle).install(
        period: snd_pcm_uframes_t(setup.period.value),
        runsOn: isKernelHardware && direction == .capture)
    }
    return setup
  }

  /// Gives the device up without closing it, for a frozen sound server that would never let it close.
  package consuming func abandon() { handle.abandon() }
}

/// Runs a step of an opening that fails only for a missing, busy or forbidden device.
func opened<Value: ~Copyable>(
  _ direction: Direction, _ step: () throws(ALSAError) -> Value
) throws(DeviceError) -> Value {
  do throws(ALSAError) {
    return try step()
  } catch {
    throw DeviceError(opening: error, direction)
  }
}

/// Runs a step that fails for no reason that a user could remedy.
func unfailing<Value: ~Copyable>(
  _ step: () throws(ALSAError) -> Value
) throws(DeviceError) -> Value {
  do throws(ALSAError) { return try step() } catch { throw .failed(error) }
}
