package import Audio
package import Control
package import Devices
package import Linux
package import Playback
internal import Synchronization

/// A function that opens a device by its name. The environment variables of a client resolve the
/// name.
package typealias DeviceOpener =
  @Sendable (_ device: String, _ environment: PlayerEnvironment, _ request: DeviceRequest)
  throws(DeviceError) -> PlaybackDevice

/// The opening of a device. It runs on a separate thread, because a frozen sound server never
/// answers.
package final class OutputOpening: Sendable {
  /// The expected format of the device.
  package static let likely = StreamFormat(rate: .hz48000, channels: .stereo, sample: .float32)
  /// The longest time to wait for the device to open.
  private static let patience = Duration.seconds(10)

  let key: OutputKey
  let wakeup: Wakeup
  private let request: DeviceRequest
  private let since = KernelClock.monotonic.now
  private let opener: DeviceOpener
  private let answer = Mutex<Result<Output, SoundError>?>(nil)
  /// A voice table that is made while the device is being opened. The table is discarded if the
  /// device has another format.
  private let spare = Mutex<VoiceTable?>(nil)

  /// Starts to open a device before the player exists.
  package convenience init(
    _ device: String, _ environment: PlayerEnvironment, forLong isLong: Bool,
    by opener: @escaping DeviceOpener
  ) throws(SystemError) {
    self.init(OutputKey(device, environment), try Wakeup(), forLong: isLong, by: opener)
  }

  /// Starts to open a device. `wakeup` is signalled when the device is open or has failed to open.
  ///
  /// - Parameter isLong: true if the first sound is long, which allows longer periods.
  package init(
    _ key: OutputKey, _ wakeup: Wakeup, forLong isLong: Bool = false,
    by opener: @escaping DeviceOpener
  ) {
    self.key = key
    self.wakeup = wakeup
    request = Self.request(forLong: isLong)
    self.opener = opener
    do throws(SystemError) {
      _ = try Thread("opening", startsApart: true) { [self] in end(Result(catching: open)) }
    } catch {
      end(.failure(.system(error)))
    }
  }

  /// Makes the voice table before the device is open.
  package func prepare() {
    if spare.withLock({ $0 != nil }) { return }
    let table = VoiceTable(Self.likely)
    spare.withLock { $0 = table }
  }

  /// The output or the reason for the failure, or nil while the device is being opened.
  package var result: Result<Output, SoundError>? {
    if let answer = answer.withLock({ $0 }) { return answer }
    guard KernelClock.monotonic.now - since > Self.patience else { return nil }
    return .failure(.unanswered(device: key.device, after: Self.patience))
  }

  private func end(_ result: Result<Output, SoundError>) {
    answer.withLock { $0 = result }
    wakeup.signal()
  }

  private func open() throws(SoundError) -> Output {
    let (key, request, opener) = (key, request, opener)
    let device = try SoundError.of(key.device, opener(key.device, key.environment, request))
    let again = request.exactly(device.format)
    do throws(SystemError) {
      return try Output(on: device, spare: spare.withLock { $0.take() }) {
        try? opener(key.device, key.environment, again)
      }
    } catch {
      throw .system(error)
    }
  }

  /// Returns the request to the device. The buffer is small, because the frames in the buffer still
  /// play after a stop. The samples are floats, because floats are not rounded.
  ///
  /// PipeWire processes a fixed number of frames at a time. This number is a power of two that fits
  /// into the period: 1,024, or 2,048 for a long sound. With 2,048, PipeWire and this program wake
  /// half as often.
  private static func request(forLong isLong: Bool) -> DeviceRequest {
    var request = DeviceRequest(
      sample: .near(.float32), period: .nanoseconds(21_333_334), buffer: .nanoseconds(42_666_667))
    if isLong { request.stretch = 2 }
    return request
  }
}

/// A device name, and the environment variables that resolve it.
package struct OutputKey: Equatable, Sendable {
  let device: String
  let environment: PlayerEnvironment

  /// The environment variables that do not affect which device is opened.
  private static let others: Set<String> = [
    "XDG_DATA_HOME", "XDG_DATA_DIRS", "LC_ALL", "LC_MESSAGES", "LANG", "RECORDER_SOUND_THEME",
    "RECORDER_SOUND_PROFILE", PlayOrder.deviceVariable,
  ]

  /// The key of a device name in a program's environment.
  package init(_ device: String, _ environment: PlayerEnvironment) {
    self.device = device
    self.environment = environment.filter { !Self.others.contains($0.key) }
  }

  /// Compares the bytes.
  package static func == (left: OutputKey, right: OutputKey) -> Bool {
    left.device.isSameName(as: right.device)
      && left.environment.entries == right.environment.entries
  }
}

/// An event that wakes the thread that uses the player. The threads that open devices and decode
/// sounds signal this event.
package final class Wakeup: Sendable {
  private let event: Event

  /// An event that is not signalled.
  package init() throws(SystemError) { event = try Event() }

  /// The number of the descriptor that is readable while the event is signalled.
  package var number: Int32 { event.descriptor.number }
  /// Signals the event.
  package func signal() { event.signal() }
  /// Clears the event.
  package func clear() { event.clear() }
}
