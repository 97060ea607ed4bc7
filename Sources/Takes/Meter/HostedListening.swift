package import Audio
package import Control
internal import Devices
internal import Files
internal import Linux
internal import Permission
package import Recording
internal import Synchronization

/// A capture without a file, inside the program that created it. It has its own thread.
///
/// It needs the permission like any recording. `permission revoke` finds it and ends it. No command
/// ever kills its process. The frames go to the monitor that it was created with.
package final class HostedListening: StopRequest, Sendable {
  private struct State {
    var begun: (@Sendable (Result<StreamFormat, any Error>) -> Void)?
    var ended: (@Sendable ((any Error)?) -> Void)?
  }

  private let plan: RecordingPlan
  private let monitor: any TakeMonitor
  private let state = Mutex(State())
  private let stopping: Event
  private let isStopping = Atomic<Bool>(false)

  /// The longest wait for the device to stop.
  private static let patience = Duration.seconds(1)

  /// A capture that has not begun. The device is not opened before `begin`.
  package init(of plan: RecordingPlan, to monitor: any TakeMonitor) throws {
    self.plan = plan
    self.monitor = monitor
    stopping = try Event()
  }

  /// Begins to capture.
  ///
  /// - Parameters:
  ///   - begun: receives the format of the frames once the device is open, or the error if the
  ///     capture cannot begin.
  ///   - ended: called after the last frame, with the error, or with nil after `requestEnd`. It is
  ///     not called if the capture never began.
  package func begin(
    _ begun: @escaping @Sendable (Result<StreamFormat, any Error>) -> Void,
    ended: @escaping @Sendable ((any Error)?) -> Void
  ) {
    state.withLock { $0 = State(begun: begun, ended: ended) }
    do throws(SystemError) {
      _ = try Thread("listening") { [self] in run() }
    } catch {
      reportBegin(.failure(error))
    }
  }

  /// Requests the end of the capture. The device is closed soon after.
  package func requestEnd() {
    isStopping.store(true, ordering: .releasing)
    stopping.signal()
  }

  private func reportBegin(_ result: Result<StreamFormat, any Error>) {
    let begun = state.withLock { $0.begun.take() }
    begun?(result)
  }

  private func run() {
    var failure: (any Error)?
    do {
      try listen()
    } catch {
      failure = error
    }
    let (begun, ended) = state.withLock { state in
      defer { state = State() }
      return (state.begun, state.ended)
    }
    if let begun {
      begun(.failure(failure ?? TakeError.stoppedBeforeOpen(plan.capture.device)))
    } else {
      ended?(failure)
    }
  }
}

extension HostedListening {
  private func listen() throws {
    guard let session = SessionID(plan.identifier) else { throw TakeError.nameless }
    let watch = try AccessWatch(plan, session)
    try watch.check()
    let presence = try MeterPresence(plan, isHosted: true)
    // Take the grant after the presence is published. This call detects an earlier revocation. A
    // later revocation finds the presence, and waits for the end of the capture.
    try watch.consume(for: session)
    defer { _ = watch.end(session) }
    let capture = try MonitoredCapture(plan, watch, to: monitor, unless: self)
    reportBegin(.success(capture.stream))
    defer { close(capture.recording) }
    try follow(capture.recording, watch, presence)
  }

  /// Waits for the end of the capture. Throws unless the end was requested.
  private func follow(
    _ recording: Recording, _ watch: AccessWatch, _ presence: MeterPresence
  ) throws {
    var poll = Poll(capacity: 16)
    var stall = Stall(checkedEvery: .seconds(4))
    while !hasCome {
      if let end = recording.end { throw failure(of: recording, end.capture) }
      poll.removeAll()
      poll.add(number)
      poll.add(recording.ended.descriptor.number)
      watch.enlist(in: &poll)
      presence.enlist(in: &poll)
      let left = watch.deadline.map { $0 - KernelClock.monotonic.now } ?? .seconds(1)
      try poll.wait(upTo: max(.milliseconds(1), min(.seconds(1), left)))
      presence.serve(poll) {
        try watch.check()
      } _: {
        requestEnd()
      } refusal: {
        PlainHost().refusal(for: $0)
      }
      if watch.findsLoss(poll) { try watch.check() }
      if stall.isOver(recording, allowing: plan.reconnect ?? .zero) {
        throw failure(of: recording, nil)
      }
    }
  }

  /// Ends the capture, and waits until the device is closed.
  private func close(_ recording: Recording) {
    recording.cut()
    guard (try? recording.ended.descriptor.wait(upTo: Self.patience)) != true else { return }
    recording.abandonCapture(.stalled(Self.patience))
  }

  /// Returns the error for a capture that ended without a request.
  private func failure(of recording: Recording, _ end: CaptureEnd?) -> TakeError {
    let cause: EndCause =
      switch end {
      case .disconnected(let words), .failed(let words): .device(words)
      case .stalled, .stopped, nil: .deviceStalled
      }
    let device = plan.capture.device
    return recording.captured > 0
      ? .captureEnded(device: device, cause) : .noFirstFrame(device: device, cause)
  }
}

extension HostedListening {
  /// The descriptor that is readable once the end was requested.
  package var number: Int32 { stopping.descriptor.number }
  /// Whether the end was requested.
  package var hasCome: Bool { isStopping.load(ordering: .acquiring) }
  /// Does nothing, because `requestEnd` has stored the request.
  package func take() {}
  /// Always false.
  package func takeDoubt() -> Bool { false }
}

/// A capture whose frames go only to a monitor, without a file.
private struct MonitoredCapture {
  /// The recording, whose threads capture and convert.
  let recording: Recording
  /// The format of the frames that the monitor receives.
  let stream: StreamFormat

  /// Opens the device and starts the capture.
  ///
  /// - Parameter plan: the plan of the capture. Its output is used only for the format of the
  ///   samples.
  init(
    _ plan: RecordingPlan, _ watch: AccessWatch, to monitor: any TakeMonitor,
    unless stop: any StopRequest
  ) throws {
    let device = try DeviceOpening.open(
      plan.capture.tracks, TakeFormats.request(plan), unless: stop)
    // Check again, because the permission may have been revoked while the device was being opened.
    try watch.check(opened: device)
    try watch.tellStart()
    let formats = try TakeFormats(plan, device: device.setup)
    let converter = try formats.converter()
    stream = formats.file
    var settings = RecordingSettings()
    settings.changes = formats.changes
    settings.patience = plan.reconnect
    settings.monitor = monitor
    let request = DeviceRequest(
      exactly: formats.device, period: plan.capture.period, buffer: plan.capture.buffer)
    let mayReopen = watch.reopening
    recording = try Recording(
      from: device, to: CountingSink(stream: formats.file), converter: converter, settings,
      files: TakeFiles { _, _, _ in },
      reopen: {
        guard let device = try? CaptureDevice(formats.sources, request),
          mayReopen(device)
        else { return nil }
        return device
      })
  }
}

/// A sink that only counts the bytes. The monitor already has the frames.
private struct CountingSink: TakeFile, ~Copyable {
  typealias Failure = SystemError

  let stream: StreamFormat
  private(set) var bytesWritten: Int64 = 0

  init(stream: StreamFormat) { self.stream = stream }

  mutating func write(_ frames: RawSpan) { bytesWritten += Int64(frames.byteCount) }

  mutating func refresh() {}

  func note(_ event: PositionedEvent) {}
}
