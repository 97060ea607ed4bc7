internal import Audio
internal import CommandLine
internal import Devices
internal import Linux
internal import Playback
internal import Synchronization

/// A device that is being opened, on a thread of its own: a frozen sound server never answers.
final class OutputOpening: Sendable {
  /// How long a device may take.
  static let patience = Duration.seconds(10)

  let since = KernelClock.monotonic.now
  let key: OutputKey
  let news: News
  private let answer = Mutex<Result<Output, Failure>?>(nil)
  /// Made while the device is opened; in vain where that has another format.
  private let spare = Mutex<VoiceDesk?>(nil)

  /// What the device probably is.
  static let likely = StreamFormat(rate: .hz48000, channels: .stereo, sample: .float32)

  /// Begins to open it; `news` tells the end.
  init(_ key: OutputKey, _ news: News) {
    self.key = key
    self.news = news
    do throws(SystemError) {
      _ = try Thread("opening") { [self] in self.run() }
    } catch {
      answer.withLock { $0 = .failure(Failure(.failed, Message("cannot open a device: \(error)"))) }
      news.signal()
    }
  }

  /// Does what can be done of an output before its device is there.
  func prepare() {
    if spare.withLock({ $0 != nil }) { return }
    let desk = VoiceDesk(Self.likely)
    spare.withLock { $0 = desk }
  }

  /// What came of it; nil while it goes on.
  var result: Result<Output, Failure>? {
    if let answer = answer.withLock({ $0 }) { return answer }
    guard KernelClock.monotonic.now - since > Self.patience else { return nil }
    return .failure(
      Failure(
        .device,
        Message(
          "\(quoted(key.device)) did not answer within \(Self.patience.components.seconds) s",
          advice: "restart the sound server, or give another --device")))
  }

  private func run() {
    let result = open()
    answer.withLock { $0 = result }
    news.signal()
  }

  private func open() -> Result<Output, Failure> {
    let (key, request) = (key, Self.request)
    do {
      let device = try key.inSurroundings { () throws(DeviceError) in
        try PlaybackDevice(key.device, request)
      }
      let again = DeviceRequest(
        exactly: device.format, period: request.period, buffer: request.buffer)
      return .success(
        try Output(on: device, spare: spare.withLock { $0.take() }) {
          try? key.inSurroundings { () throws(DeviceError) in
            try PlaybackDevice(key.device, again)
          }
        })
    } catch let error as DeviceError {
      return .failure(
        Failure(
          .device,
          Message(
            "cannot play: " + error.finding,
            advice: error.advice(for: key.device, .playback)
              + ["\"recorder doctor\" says what is wrong"])))
    } catch {
      return .failure(Failure(.failed, Message("cannot play: \(error)")))
    }
  }

  /// A small buffer, because what is in it is heard after a stop; floats, because nothing is rounded.
  private static let request = DeviceRequest(
    sample: .near(.float32), period: .milliseconds(20), buffer: .milliseconds(40))
}

/// Ends the wait of the player's main thread.
final class News: Sendable {
  private let event: Event

  init() throws(SystemError) { event = try Event() }

  /// The same, with the failure of the player that has none.
  static func made() throws(Failure) -> News {
    do throws(SystemError) {
      return try News()
    } catch {
      throw Failure(.failed, Message("cannot wait for devices: \(error)"))
    }
  }

  var number: Int32 { event.descriptor.number }
  func signal() { event.signal() }
  func clear() { event.clear() }
}
