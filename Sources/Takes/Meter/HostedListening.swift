package import Audio
package import Control
internal import Devices
internal import Files
internal import Linux
internal import Permission
package import Recording
internal import Synchronization

/// A capture without a file in the program that created it, on a thread of its own.
///
/// It needs the permission like any recording, `permission revoke` finds and ends it, and no command ever kills its
/// process. Its frames go to the listener that it was made with.
package final class HostedListening: StopRequest, Sendable {
  private struct State {
    var begun: (@Sendable (Result<StreamFormat, TakeError>) -> Void)?
    var ended: (@Sendable (TakeError?) -> Void)?
  }

  private let plan: RecordingPlan
  private let monitor: any TakeMonitor
  private let state = Mutex(State())
  private let stopping: Event
  private let isStopping = Atomic<Bool>(false)

  /// The time that a device has to stop.
  private static let patience = Duration.seconds(1)
  /// The time without a frame after which a device counts as gone.
  private static let longestSilence = Duration.seconds(5)

  /// A capture that has not begun; the device is not opened before `begin`.
  package init(of plan: RecordingPlan, to monitor: any TakeMonitor) throws(TakeError) {
    self.plan = plan
    self.monitor = monitor
    do throws(SystemError) {
      stopping = try Event()
    } catch {
      throw .step(.listen, error)
    }
  }

  /// Begins to capture.
  ///
  /// - Parameters:
  ///   - begun: gets the format of the frames once the device is open, or the reason where nothing
  ///     can be captured.
  ///   - ended: called after the last frame, with the reason unless `requestEnd` was; not where the
  ///     capture never began.
  package func begin(
    _ begun: @escaping @Sendable (Result<StreamFormat, TakeError>) -> Void,
    ended: @escaping @Sendable (TakeError?) -> Void
  ) {
    state.withLock { $0 = State(begun: begun, ended: ended) }
    do throws(SystemError) {
      _ = try Thread("listening") { [self] in run() }
    } catch {
      tell(.failure(.step(.listen, error)))
    }
  }

  /// Closes the device, soon.
  package func requestEnd() {
    isStopping.store(true, ordering: .releasing)
    stopping.signal()
  }

  private func tell(_ result: Result<StreamFormat, TakeError>) {
    let begun = state.withLock { $0.begun.take() }
    begun?(result)
  }

  private func run() {
    var failure: TakeError?
    do throws(TakeError) {
      try listen()
    } catch {
      failure = error
    }
    let (begun, ended) = state.withLock { state in
      defer { state = State() }
      return (state.begun, state.ended)
    }
    if let begun {
      begun(.failure(failure ?? .stoppedBeforeOpen(plan.capture.device)))
    } else {
      ended?(failure)
    }
  }
}

extension HostedListening {
  private func listen() throws(TakeError) {
    guard let session = SessionID(plan.identifier) else { throw .nameless }
    let guardian = try PermissionGuard(plan, session)
    try guardian.check()
    let presence = try MeterPresence(plan, isHosted: true)
    // After the presence is published: an earlier refusal is found here, and a later one waits for
    // the end.
    try guardian.consume(for: session)
    defer { _ = guardian.end(session) }
    let tap = try LiveTap(plan, guardian, to: monitor, unless: self)
    tell(.success(tap.stream))
    var end: TakeError?
    do throws(TakeError) {
      try follow(tap.recording, guardian, presence)
    } catch {
      end = error
    }
    close(tap.recording)
    if let end { throw end }
  }

  /// Waits for the end of the capture; throws unless it was asked for.
  private func follow(
    _ recording: Recording, _ guardian: PermissionGuard, _ presence: MeterPresence
  ) throws(TakeError) {
    var poll = Poll(capacity: 16)
    var stall = Stall()
    while !hasCome {
      if let end = recording.end { throw Self.failure(of: end, on: plan.capture.device) }
      poll.removeAll()
      poll.add(number)
      poll.add(recording.ended.descriptor.number)
      guardian.enlist(in: &poll)
      presence.enlist(in: &poll)
      let left = guardian.deadline.map { $0 - KernelClock.monotonic.now } ?? .seconds(1)
      do throws(SystemError) {
        try poll.wait(upTo: max(.milliseconds(1), min(.seconds(1), left)))
      } catch {
        throw .step(.listen, error)
      }
      presence.serve(poll) { () throws(TakeError) in
        try guardian.check()
      } _: {
        requestEnd()
      } refusal: {
        PlainHost().refusal(for: $0)
      }
      if guardian.findsLoss(poll) { try guardian.check() }
      if stall.isOver(recording, allowing: Self.longestSilence + (plan.reconnect ?? .zero)) {
        throw .noFirstFrame(device: plan.capture.device, .deviceStalled)
      }
    }
  }

  /// Ends the capture, and waits until the device is closed.
  private func close(_ recording: Recording) {
    recording.cut()
    guard (try? recording.ended.descriptor.wait(upTo: Self.patience)) != true else { return }
    recording.abandonCapture(.stalled(Self.patience))
  }

  private static func failure(of end: RecordingEnd, on device: String) -> TakeError {
    switch end.capture {
    case .disconnected(let words), .failed(let words):
      .noFirstFrame(device: device, .device(words))
    case .stalled: .noFirstFrame(device: device, .deviceStalled)
    case .stopped, nil: .noFirstFrame(device: device, nil)
    }
  }
}

extension HostedListening {
  /// The descriptor that is readable after a request to end.
  package var number: Int32 { stopping.descriptor.number }
  /// True after a request to end.
  package var hasCome: Bool { isStopping.load(ordering: .acquiring) }
  /// Does nothing: the request stays.
  package func take() {}
  /// Always false.
  package func takeDoubt() -> Bool { false }
}

/// A capture whose frames go to a listener alone: no file is written.
private struct LiveTap {
  /// The engine: its threads capture and convert.
  let recording: Recording
  /// The format of the frames that the listener gets.
  let stream: StreamFormat

  /// Opens the device and starts the capture.
  ///
  /// - Parameter plan: the device and the client; of the output only the samples count.
  init(
    _ plan: RecordingPlan, _ guardian: PermissionGuard, to monitor: any TakeMonitor,
    unless stop: any StopRequest
  ) throws(TakeError) {
    let name = plan.capture.device
    let device = try DeviceOpening.open(name, TakeFormats.request(plan), unless: stop)
    // A second check, because the permission may have been revoked while the device was opened.
    try guardian.check(opened: device.setup.card)
    try guardian.tellStart()
    let formats = try TakeFormats(plan, device: device.format)
    let converter = try formats.converter()
    stream = formats.file
    var settings = RecordingSettings()
    settings.changes = formats.changes
    settings.patience = plan.reconnect
    settings.monitor = monitor
    let request = DeviceRequest(
      exactly: formats.device, period: plan.capture.period, buffer: plan.capture.buffer)
    let mayReopen = guardian.reopening
    do throws(SystemError) {
      recording = try Recording(
        from: device, to: TapSink(stream: formats.file), converter: converter, settings,
        files: TakeFiles { _, _, _ in },
        reopen: {
          guard let device = try? CaptureDevice(name, request), mayReopen(device.setup.card) else {
            return nil
          }
          return device
        })
    } catch {
      throw .step(.listen, error)
    }
  }
}

/// The end of the frames, of which the listener has a copy by then.
private struct TapSink: TakeFile, ~Copyable {
  typealias Failure = SystemError

  let stream: StreamFormat
  private(set) var bytesWritten: Int64 = 0

  init(stream: StreamFormat) { self.stream = stream }

  mutating func write(_ frames: RawSpan) { bytesWritten += Int64(frames.byteCount) }

  mutating func refresh() {}

  func note(_ event: PlacedEvent) {}
}
