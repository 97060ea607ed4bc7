package import Audio
package import Devices
internal import Linux
internal import Synchronization

/// Opens a device on a thread of its own, because opening never ends if the sound server hangs.
package enum DeviceOpening {
  /// The longest wait for the device to open.
  private static let patience = Duration.seconds(10)

  private final class Answer: Sendable {
    let event: Event
    let device = Mutex<CaptureDevice?>(nil)
    let error = Mutex<DeviceError?>(nil)

    init() throws(SystemError) { event = try Event() }
  }

  /// Opens the devices of all tracks. Throws the error of a device, `stoppedBeforeOpen` after a
  /// request to stop, or `deviceSilent` after `patience`.
  package static func open(
    _ tracks: [Track], _ request: DeviceRequest, unless stop: any StopRequest
  ) throws -> CaptureDevice {
    let (answer, name) = (try Answer(), tracks.devices)
    _ = try Thread("opening") { Self.open(tracks, request, telling: answer) }
    let hasAnswered = try wait(for: answer, unless: stop)
    if let device = answer.device.withLock({ $0.take() }) { return device }
    if let error = answer.error.withLock({ $0 }) {
      throw TakeError.device(name, error)
    }
    precondition(!hasAnswered, "an answer is a device or an error")
    if stop.hasCome { throw TakeError.stoppedBeforeOpen(name) }
    throw TakeError.deviceSilent(name, patience)
  }

  /// Waits for the answer; returns false after a stop or a timeout.
  private static func wait(
    for answer: Answer, unless stop: any StopRequest
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

  private static func open(_ tracks: [Track], _ request: DeviceRequest, telling answer: Answer) {
    do throws(DeviceError) {
      let device = Handoff(try CaptureDevice(tracks, request))
      answer.device.withLock { $0 = device.take() }
    } catch {
      answer.error.withLock { $0 = error }
    }
    answer.event.signal()
  }
}

/// A source of requests to stop, such as signals.
package protocol StopRequest: AnyObject {
  /// The number of the descriptor that is readable when a request may have arrived.
  var number: Int32 { get }
  /// Whether a request has arrived.
  var hasCome: Bool { get }
  /// The cause of the end if a request has arrived.
  var cause: EndCause { get }
  /// Reads the requests that have arrived.
  func take()
  /// Returns true if an event since the last call requires a check of the microphone access.
  func takeDoubt() -> Bool
}

extension StopRequest {
  /// An orderly stop.
  package var cause: EndCause { .stopped }
}
