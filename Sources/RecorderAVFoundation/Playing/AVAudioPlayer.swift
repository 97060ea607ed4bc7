public import Foundation
internal import RecorderKit
internal import Synchronization

/// Plays a sound from a file or from memory.
///
/// All players of a program share one device by default, and their sounds are mixed.
///
/// ```swift
/// let player = try AVAudioPlayer(contentsOf: URL(fileURLWithPath: "rain.flac"))
/// player.numberOfLoops = -1
/// player.play()
/// ```
open class AVAudioPlayer: NSObject, @unchecked Sendable {
  // Unchecked: all mutable state is in mutexes.

  /// Unchecked: any thread may set the delegate, but only the main thread calls it.
  private struct DelegateBox: @unchecked Sendable {
    weak var delegate: (any AVAudioPlayerDelegate)?
  }

  private struct State {
    var playback: Playback
    var device: String?
    /// Whether the player has been prepared or started.
    var isUsed = false
    /// Whether a start is waiting for its first frame.
    var isStarting = false
    var meters = Meters()
    var delegate = DelegateBox()
  }

  /// The location of the file, or nil for a sound in memory.
  public let url: URL?
  /// The bytes of a sound in memory, or nil for a file.
  public let data: Data?
  private let state: Mutex<State>
  /// A lock that serializes starts and stops on several threads.
  private let order = Mutex(())

  /// Creates a player for a sound file. Reads the header of the file, but does not open the device.
  public convenience init(contentsOf url: URL) throws {
    guard url.isFileURL else {
      throw RecorderError.invalid("“\(url)” is not a file on this machine")
    }
    try self.init(.file(url.path), url, nil)
  }

  /// Creates a player for the bytes of a sound file. Does not open the device.
  public convenience init(data: Data) throws {
    try self.init(.data([UInt8](data)), nil, data)
  }

  /// Creates a player for a sound file. The first bytes of the file determine its type. The hint is
  /// ignored.
  public convenience init(contentsOf url: URL, fileTypeHint utiString: String?) throws {
    try self.init(contentsOf: url)
  }

  /// Creates a player for the bytes of a sound file. The bytes determine the type. The hint is
  /// ignored.
  public convenience init(data: Data, fileTypeHint utiString: String?) throws {
    try self.init(data: data)
  }

  private init(_ sound: Sound, _ url: URL?, _ data: Data?) throws {
    let playback = try Player.shared.playback(of: sound)
    (self.url, self.data) = (url, data)
    state = Mutex(State(playback: playback))
    super.init()
    playback.whenEnded { [weak self] in self?.ended($0) }
  }

  deinit {
    guard state.withLock({ $0.isUsed }) else { return }
    playback.stop()
  }

  private var playback: Playback { state.withLock { $0.playback } }

  /// The delegate, held weakly.
  open weak var delegate: (any AVAudioPlayerDelegate)? {
    get { state.withLock { $0.delegate }.delegate }
    set {
      let box = DelegateBox(delegate: newValue)
      state.withLock { $0.delegate = box }
    }
  }

  /// Opens the device and decodes the sound, so that `play` starts immediately. Returns false if
  /// the device or the sound cannot be used.
  @discardableResult
  open func prepareToPlay() -> Bool {
    order.withLock { _ in
      begin()
      return (try? playback.prepareWaiting()) != nil
    }
  }

  /// Plays from the current position, and returns once the first frame is written. Returns false if
  /// the device or the sound cannot be used.
  @discardableResult
  open func play() -> Bool {
    order.withLock { _ in
      if isPlaying { return true }
      return start { player throws(RecorderError) in try player.playback.startWaiting() }
    }
  }

  /// Plays from the current position, at a time on the clock of `deviceCurrentTime`. Returns false
  /// if the time has passed, or if the device or the sound cannot be used.
  ///
  /// Players with the same start time begin at the same frame of the device.
  @discardableResult
  open func play(atTime time: TimeInterval) -> Bool {
    order.withLock { _ in
      guard time.isFinite, time > HostClock.now else { return false }
      return start { player throws(RecorderError) in
        try player.playback.prepareWaiting()
        try player.playback.startWaiting(at: HostClock.instant(at: time))
      }
    }
  }

  /// Pauses at the next frame; `play` continues there. The device stays open.
  open func pause() {
    order.withLock { _ in
      guard state.withLock({ $0.isUsed }) else { return }
      try? playback.pauseWaiting()
    }
  }

  /// Stops the sound, and keeps the position. Closes the device before it returns, unless another
  /// sound plays on the device.
  open func stop() {
    order.withLock { _ in
      guard state.withLock({ $0.isUsed }) else { return }
      try? playback.stopWaiting()
      RunningSounds.remove(self)
    }
  }

  /// Whether the sound is playing: true from `play` until a pause, a stop or the end.
  open var isPlaying: Bool { playback.state == .playing }

  /// The number of channels of the file.
  open var numberOfChannels: Int { playback.sound.format.channelCount }

  /// The duration in seconds, or 0 if the file does not state it.
  open var duration: TimeInterval { playback.sound.duration?.seconds ?? 0 }

  /// The position in seconds. A new position is limited to the length of the sound.
  open var currentTime: TimeInterval {
    get {
      let playback = playback
      return playback.isAtEnd ? 0 : playback.position.seconds
    }
    set {
      let position = Duration(limiting: newValue)
      playback.seek(to: playback.sound.duration.map { min(position, $0) } ?? position)
    }
  }

  /// The current time of a monotonic clock, for `play(atTime:)`.
  open var deviceCurrentTime: TimeInterval { HostClock.now }

  /// The number of repetitions after the first round. A negative number repeats the sound until it
  /// is stopped. The value 0, set during playback, ends the sound after the current round.
  open var numberOfLoops: Int {
    get { playback.repetition.plays.map { $0 - 1 } ?? -1 }
    set { playback.repetition = newValue < 0 ? .forever : .times(min(newValue, .max - 1) + 1) }
  }

  /// The gain as a factor. Values above 1 amplify, and samples beyond full scale are limited.
  open var volume: Float {
    get { Float(playback.volume) }
    set { playback.volume = Double(newValue) }
  }

  /// Fades linearly to a volume.
  open func setVolume(_ volume: Float, fadeDuration duration: TimeInterval) {
    playback.setVolume(Double(volume), within: Duration(limiting: duration))
  }

  /// The pan, from −1 (left) to 1 (right).
  open var pan: Float {
    get { Float(playback.pan) }
    set { playback.pan = Double(newValue) }
  }

  /// The playback device, by its name in `recorder devices`. Nil means the device in
  /// `RECORDER_PLAYBACK_DEVICE`, or the default device. Setting this property stops the player.
  open var currentDevice: String? {
    get { state.withLock { $0.device } }
    set {
      stop()
      order.withLock { _ in move(to: newValue) }
    }
  }

  /// The rate and the channels of the file, with deinterleaved `Float` samples.
  open var format: AVAudioFormat {
    AVAudioFormat(playback.sound.format, as: .pcmFormatFloat32, interleaved: false)
  }

  /// The format as a settings dictionary.
  open var settings: [String: Any] { format.settings }
}

extension AVAudioPlayer {
  /// Unavailable: another speed would change the pitch.
  @available(*, unavailable, message: "the rate of a sound cannot be changed")
  public var enableRate: Bool {
    get { false }
    set {}
  }

  /// Unavailable: another speed would change the pitch.
  @available(*, unavailable, message: "the rate of a sound cannot be changed")
  public var rate: Float {
    get { 1 }
    set {}
  }
}

extension AVAudioPlayer {
  /// Whether `updateMeters` measures the level.
  public var isMeteringEnabled: Bool {
    get { state.withLock { $0.meters.isOn } }
    set {
      state.withLock { $0.meters.isOn = newValue }
      if newValue || state.withLock({ $0.isUsed }) { playback.measure(newValue) }
    }
  }

  /// Updates the meters with the last 50 ms that were played, for each channel of the device.
  public func updateMeters() {
    let measured = playback.measured
    state.withLock { $0.meters.update(measured) }
  }

  /// Returns the peak of a channel at the last `updateMeters`, in dBFS; −160 is silence.
  public func peakPower(forChannel channelNumber: Int) -> Float {
    state.withLock { $0.meters[channelNumber].peak }
  }

  /// Returns the RMS level of a channel at the last `updateMeters`, in dBFS; −160 is silence.
  public func averagePower(forChannel channelNumber: Int) -> Float {
    state.withLock { $0.meters[channelNumber].average }
  }
}

extension AVAudioPlayer: RunningSound {
  /// Stops the player if it is playing. Returns true if it was playing.
  func stopForSession() -> Bool {
    guard isPlaying else { return false }
    stop()
    return true
  }
}

extension AVAudioPlayer {
  private func move(to device: String?) {
    let old = playback
    guard let new = try? Speakers.player(on: device).playback(of: old.sound) else { return }
    (new.volume, new.pan, new.repetition) = (old.volume, old.pan, old.repetition)
    if old.position > .zero, !old.isAtEnd { new.seek(to: old.position) }
    if isMeteringEnabled { new.measure(true) }
    new.whenEnded { [weak self] in self?.ended($0) }
    state.withLock { ($0.playback, $0.device) = (new, device) }
  }

  private func begin() {
    state.withLock { $0.isUsed = true }
    RunningSounds.add(self)
  }

  private func start(_ body: (AVAudioPlayer) throws(RecorderError) -> Void) -> Bool {
    begin()
    state.withLock { $0.isStarting = true }
    defer { state.withLock { $0.isStarting = false } }
    return (try? body(self)) != nil
  }

  /// Reports an end to the delegate. A failed start is not reported, because `play` returns false.
  private func ended(_ end: Playback.End) {
    guard end != .stopped else { return }
    if case .failed = end, state.withLock({ $0.isStarting }) { return }
    MainThread.deliver { [self] in
      if case .failed(let error) = end {
        delegate?.audioPlayerDecodeErrorDidOccur(self, error: error)
      }
      delegate?.audioPlayerDidFinishPlaying(self, successfully: end == .finished)
    }
  }
}
