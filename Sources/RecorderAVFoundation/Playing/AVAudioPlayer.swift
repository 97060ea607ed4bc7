public import Foundation
internal import RecorderKit
internal import Synchronization

/// Plays a sound from a file or from memory.
///
/// All players of a program share one device, and their sounds mix.
///
/// ```swift
/// let player = try AVAudioPlayer(contentsOf: URL(fileURLWithPath: "rain.flac"))
/// player.numberOfLoops = -1
/// player.play()
/// ```
open class AVAudioPlayer: NSObject, @unchecked Sendable {
  // Unchecked: everything that changes is in mutexes.

  /// Unchecked: any thread may set the delegate, and the main one alone calls it.
  private struct DelegateBox: @unchecked Sendable {
    weak var delegate: (any AVAudioPlayerDelegate)?
  }

  private struct State {
    var playback: Playback
    var device: String?
    /// True once the device was asked for.
    var isUsed = false
    /// True while a start waits for its first frame.
    var isStarting = false
    /// True from an end to the next start or jump, while the position is the beginning.
    var isAtEnd = false
    var isMetering = false
    var meters: [Meter] = []
    var delegate = DelegateBox()
  }

  /// The place of the file; nil for a sound from memory.
  public let url: URL?
  /// The bytes of a sound from memory; nil for a file.
  public let data: Data?
  private let relay = Relay()
  private let state: Mutex<State>
  /// Held while the player begins or stops, so that two threads do so one after the other.
  private let order = Mutex(())

  /// The sound in a file, of which the head is read; the device is not opened.
  public convenience init(contentsOf url: URL) throws {
    guard url.isFileURL else { throw RecorderError.invalid("“\(url)” is no file of this machine") }
    try self.init(.file(url.path), url, nil)
  }

  /// The sound in the bytes of a file; the device is not opened.
  public convenience init(data: Data) throws {
    try self.init(.data([UInt8](data)), nil, data)
  }

  /// The sound in a file; the first bytes of it say of which kind it is, whatever the hint is.
  public convenience init(contentsOf url: URL, fileTypeHint utiString: String?) throws {
    try self.init(contentsOf: url)
  }

  /// The sound in the bytes of a file; the first of them say of which kind it is, whatever the hint is.
  public convenience init(data: Data, fileTypeHint utiString: String?) throws {
    try self.init(data: data)
  }

  private init(_ sound: Sound, _ url: URL?, _ data: Data?) throws {
    let playback = try Player.shared.playback(of: sound)
    (self.url, self.data) = (url, data)
    state = Mutex(State(playback: playback))
    super.init()
    relay.player.withLock { $0 = Relay.Weak(player: self) }
    playback.whenEnded { [relay] in relay.ended($0) }
  }

  deinit {
    guard state.withLock({ $0.isUsed }) else { return }
    playback.stop()
  }

  private var playback: Playback { state.withLock { $0.playback } }

  /// The listener; it is not kept alive.
  open weak var delegate: (any AVAudioPlayerDelegate)? {
    get { state.withLock { $0.delegate }.delegate }
    set {
      let box = DelegateBox(delegate: newValue)
      state.withLock { $0.delegate = box }
    }
  }

  /// Opens the device and decodes the beginning, so that the sound is heard at once when it is played; false where
  /// the device cannot be used.
  @discardableResult
  open func prepareToPlay() -> Bool {
    order.withLock { _ in
      begin()
      return (try? playback.prepareWaiting()) != nil
    }
  }

  /// Plays from the position, and returns with the first frame; false where the device cannot be used.
  @discardableResult
  open func play() -> Bool {
    order.withLock { _ in
      if isPlaying { return true }
      return start { player throws(RecorderError) in try player.playback.startWaiting() }
    }
  }

  /// Plays from the position at that time of `deviceCurrentTime`; false for one that has passed.
  ///
  /// Players that begin at the same time begin with the same frame of the device.
  @discardableResult
  open func play(atTime time: TimeInterval) -> Bool {
    order.withLock { _ in
      guard time.isFinite, time > HostClock.now else { return false }
      return start { player throws(RecorderError) in
        try player.playback.prepareWaiting()
        try player.playback.startWaiting(at: Duration(limiting: time))
      }
    }
  }

  /// Falls silent at the next frame, from which `play` continues; the device stays open.
  open func pause() {
    order.withLock { _ in
      guard state.withLock({ $0.isUsed }) else { return }
      try? playback.pauseWaiting()
    }
  }

  /// Stops, and gives the device back before it returns; the position stays.
  open func stop() {
    order.withLock { _ in
      guard state.withLock({ $0.isUsed }) else { return }
      try? playback.stopWaiting()
      RunningSounds.remove(self)
    }
  }

  /// True from `play` to a pause, a stop or the end.
  open var isPlaying: Bool { playback.state == .playing }

  /// The number of channels of the file.
  open var numberOfChannels: Int { playback.sound.format.channels }

  /// The length in seconds.
  open var duration: TimeInterval { playback.sound.duration?.seconds ?? 0 }

  /// The position in seconds; what is set is limited to the sound.
  open var currentTime: TimeInterval {
    get {
      if state.withLock({ $0.isAtEnd }) { return 0 }
      return playback.position.seconds
    }
    set {
      state.withLock { $0.isAtEnd = false }
      playback.seek(to: min(Duration(limiting: newValue), playback.sound.duration ?? .zero))
    }
  }

  /// A clock that never goes back, for `play(atTime:)`.
  open var deviceCurrentTime: TimeInterval { HostClock.now }

  /// The number of rounds after the first; negative is without end. While it plays, 0 ends it with this round.
  open var numberOfLoops: Int {
    get { playback.repeats ?? -1 }
    set { playback.repeats = newValue < 0 ? nil : newValue }
  }

  /// The factor of the samples; beyond 1 it amplifies, and what passes full scale is limited.
  open var volume: Float {
    get { Float(playback.volume) }
    set { playback.volume = Double(newValue) }
  }

  /// Moves to a volume in a straight line.
  open func setVolume(_ volume: Float, fadeDuration duration: TimeInterval) {
    playback.setVolume(Double(volume), within: Duration(limiting: duration))
  }

  /// The place between left, −1, and right, 1.
  open var pan: Float {
    get { Float(playback.pan) }
    set { playback.pan = Double(newValue) }
  }

  /// The device that it plays on, by its name in `recorder devices`; nil is the one of `RECORDER_PLAYBACK_DEVICE`, or
  /// the default. A player that plays is stopped.
  open var currentDevice: String? {
    get { state.withLock { $0.device } }
    set {
      stop()
      order.withLock { _ in move(to: newValue) }
    }
  }

  /// The format of the frames in the file.
  open var format: AVAudioFormat {
    AVAudioFormat(playback.sound.format, as: .pcmFormatFloat32, interleaved: false)
  }

  /// The format as settings.
  open var settings: [String: Any] { format.settings }
}

extension AVAudioPlayer {
  /// Not offered: another speed would be another pitch.
  @available(*, unavailable, message: "sounds are played at their own speed alone")
  public var enableRate: Bool {
    get { false }
    set {}
  }

  /// Not offered: another speed would be another pitch.
  @available(*, unavailable, message: "sounds are played at their own speed alone")
  public var rate: Float {
    get { 1 }
    set {}
  }
}

extension AVAudioPlayer {
  /// True where `updateMeters` measures.
  public var isMeteringEnabled: Bool {
    get { state.withLock { $0.isMetering } }
    set {
      state.withLock { ($0.isMetering, $0.meters) = (newValue, newValue ? $0.meters : []) }
      if newValue || state.withLock({ $0.isUsed }) { playback.measure(newValue) }
    }
  }

  /// Measures the last 50 ms that were played.
  public func updateMeters() {
    let measured = playback.measured.channels.map(Meter.init)
    state.withLock { if $0.isMetering { $0.meters = measured } }
  }

  /// The highest sample of a channel by the last `updateMeters`, in decibels of full scale; −160 is silence.
  public func peakPower(forChannel channelNumber: Int) -> Float {
    state.withLock { Meter.at(channelNumber, in: $0.meters).peak }
  }

  /// The mean of a channel by the last `updateMeters`, in decibels of full scale; −160 is silence.
  public func averagePower(forChannel channelNumber: Int) -> Float {
    state.withLock { Meter.at(channelNumber, in: $0.meters).average }
  }
}

extension AVAudioPlayer: RunningSound {
  /// Stops where it plays.
  func stopForSession() -> Bool {
    guard isPlaying else { return false }
    stop()
    return true
  }
}

extension AVAudioPlayer {
  private func move(to device: String?) {
    let (old, relay) = (playback, relay)
    guard let new = try? Speakers.player(on: device).playback(of: old.sound) else { return }
    (new.volume, new.pan, new.repeats) = (old.volume, old.pan, old.repeats)
    if old.position > .zero, !state.withLock({ $0.isAtEnd }) { new.seek(to: old.position) }
    if isMeteringEnabled { new.measure(true) }
    new.whenEnded { relay.ended($0) }
    state.withLock { ($0.playback, $0.device) = (new, device) }
  }

  private func begin() {
    state.withLock { $0.isUsed = true }
    RunningSounds.add(self)
  }

  private func start(_ body: (AVAudioPlayer) throws(RecorderError) -> Void) -> Bool {
    begin()
    state.withLock { ($0.isStarting, $0.isAtEnd) = (true, false) }
    defer { state.withLock { $0.isStarting = false } }
    return (try? body(self)) != nil
  }

  /// Tells the delegate of an end; that of a start which failed is the result of `play`.
  fileprivate func ended(_ end: Playback.End) {
    guard end != .stopped else { return }
    let isTold = state.withLock { state in
      state.isAtEnd = true
      if case .failed = end { return !state.isStarting }
      return true
    }
    guard isTold else { return }
    MainThread.deliver { [self] in
      if case .failed(let error) = end {
        delegate?.audioPlayerDecodeErrorDidOccur(self, error: error)
      }
      delegate?.audioPlayerDidFinishPlaying(self, successfully: end == .finished)
    }
  }
}

/// The devices that players play on, one mixer each.
private enum Speakers {
  private static let players = Mutex<[String: Player]>([:])

  static func player(on device: String?) -> Player {
    guard let device else { return .shared }
    return players.withLock { players in
      if let player = players[device] { return player }
      let player = Player(on: Device(device))
      players[device] = player
      return player
    }
  }
}

/// The way from a playback's ends to its player, which it does not keep alive.
private final class Relay: Sendable {
  struct Weak: Sendable {
    weak let player: AVAudioPlayer?
  }

  let player = Mutex<Weak?>(nil)

  func ended(_ end: Playback.End) { player.withLock { $0?.player }?.ended(end) }
}

/// A listener of a player; it is called on the main thread, in order, and need not have any of these methods.
public protocol AVAudioPlayerDelegate: NSObjectProtocol {
  /// The sound has come to its end, or cannot be played any further; a stop and a pause are no such end.
  @preconcurrency @MainActor
  func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool)
  /// The sound is broken, or the device went away for good.
  @preconcurrency @MainActor
  func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?)
}

extension AVAudioPlayerDelegate {
  /// Does nothing.
  @preconcurrency @MainActor
  public func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {}
  /// Does nothing.
  @preconcurrency @MainActor
  public func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) {}
}
