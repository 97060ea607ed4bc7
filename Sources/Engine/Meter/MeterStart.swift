internal import CommandLine
internal import Audio
internal import Control
internal import Devices
internal import Files
internal import Linux
internal import Recording
internal import Takes

/// A meter that is running.
struct Listening {
  let recording: Recording
  let memory: Ear.Memory
  let rate: SampleRate
}

/// Starts the capture for a meter.
enum MeterStart {
  /// Starts a recording without a file, with a recording's handling of devices that fail.
  static func listen(
    _ plan: MeterPlan, _ guardian: PermissionGuard, unless stop: StopSignals
  ) throws(TakeError) -> Listening {
    let device = try DeviceOpening.open(
      plan.recording.capture.device, TakeFormats.request(plan.recording),
      unless: stop)
    // A second check, because the permission may have been revoked while the device was opened.
    try guardian.check(opened: device.setup.card)
    let format = device.format
    var settings = RecordingSettings()
    settings.limits = TakeLimits(frames: plan.duration.map { FrameCount($0, at: format.rate) })
    let ear = Ear(format)
    let memory = ear.memory
    do throws(SystemError) {
      let recording = try Recording(
        from: device, to: ear, converter: Resampler?.none, settings,
        files: TakeFiles { _, _, _ in }, reopen: { nil })
      return Listening(recording: recording, memory: memory, rate: format.rate)
    } catch {
      throw .step(.listen, error)
    }
  }
}
