internal import CommandLine
internal import Devices
internal import Linux
internal import Synchronization

/// Opens a device on a thread of its own, because a frozen sound server never answers.
enum DeviceOpening {
  /// How long a device may take.
  private static let patience = Duration.seconds(10)

  private final class Answer: Sendable {
    let event: Event
    let device = Mutex<CaptureDevice?>(nil)
    let error = Mutex<DeviceError?>(nil)

    init() throws(SystemError) { event = try Event() }
  }

  /// The device, or why it cannot be recorded from; a signal that means an end is one.
  static func open(
    _ name: String, _ request: DeviceRequest, unless stop: StopSignals
  ) throws(Failure) -> CaptureDevice {
    let answer: Answer
    let hasAnswered: Bool
    do throws(SystemError) {
      let made = try Answer()
      _ = try Thread("opening") { Self.open(name, request, telling: made) }
      hasAnswered = try wait(for: made, unless: stop)
      answer = made
    } catch {
      throw Failure(.failed, Message("cannot open the device: \(error)"))
    }
    if let device = answer.device.withLock({ $0.take() }) { return device }
    if let error = answer.error.withLock({ $0 }) {
      throw Failure(.device, Message(error.finding, advice: error.advice(for: name, .capture)))
    }
    precondition(!hasAnswered, "an answer is a device or an error")
    if stop.hasCome {
      throw Failure(
        .nothingCaptured, Message("stopped before \(quoted(name)) was open; nothing was recorded"))
    }
    throw Failure(
      .device,
      Message(
        "\(quoted(name)) did not answer within \(patience.components.seconds) s",
        advice: "restart the sound server, or give another --device"))
  }

  /// Whether there is an answer, in the end.
  private static func wait(
    for answer: Answer, unless stop: StopSignals
  ) throws(SystemError) -> Bool {
    let deadline = KernelClock.monotonic.now + patience
    var poll = Poll(capacity: 2)
    poll.add(answer.event.descriptor.number)
    poll.add(stop.number)
    while poll[0].isEmpty, !stop.hasCome {
      guard try poll.wait(upTo: deadline - KernelClock.monotonic.now) > 0 else { break }
      stop.take()
    }
    return !poll[0].isEmpty
  }

  private static func open(_ name: String, _ request: DeviceRequest, telling answer: Answer) {
    do throws(DeviceError) {
      let device = Handoff(try CaptureDevice(name, request))
      answer.device.withLock { $0 = device.take() }
    } catch {
      answer.error.withLock { $0 = error }
    }
    answer.event.signal()
  }
}
