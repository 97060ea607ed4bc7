public import Foundation
internal import RecorderKit
internal import Synchronization

/// Records into a file.
///
/// The file of a former recording stays until the new one is whole. Recording needs the permission, and never asks for
/// it: ask by `AVCaptureDevice.requestAccess(for:)` first.
///
/// ```swift
/// let settings: [String: Any] = [AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 1]
/// let recorder = try AVAudioRecorder(url: URL(fileURLWithPath: "memo.wav"), settings: settings)
/// guard recorder.record(forDuration: 60) else { return }
/// ```
open class AVAudioRecorder: NSObject, @unchecked Sendable {
  // Unchecked: everything that changes is in mutexes.

  /// Unchecked: any thread may set the delegate, and the main one alone calls it.
  private struct DelegateBox: @unchecked Sendable {
    weak var delegate: (any AVAudioRecorderDelegate)?
  }

  private struct State {
    var take: Take?
    var isMetering = false
    var meters: [Meter] = []
    var delegate = DelegateBox()
  }

  /// The place of the file.
  public let url: URL
  private let recorder: Recorder
  private let wish: [String: Any]
  private let state = Mutex(State())
  /// Held while the recorder begins, pauses or ends, so that two threads do so one after the other.
  private let order = Mutex(())

  /// A recorder with settings such as `AVSampleRateKey`, whose numbers may have any type; the ending of the name chooses the
  /// kind of file.
  ///
  /// Opus gets the next rate above that it knows, 48 kHz for 44.1 kHz. In CAF, ALAC is recorded as PCM.
  /// Nothing is opened or written. Throws for settings of a wrong type and for an encoding that is not written here.
  public init(url: URL, settings: [String: Any]) throws {
    guard url.isFileURL else { throw RecorderError.invalid("“\(url)” is no file of this machine") }
    let wish = try FileSettings(settings)
    let format = try AudioFileWriter.recordedFormat(
      url.path, wish.format(endingWith: url.pathExtension))
    var recorder = Recorder()
    recorder.rate = wish.rate == nil ? nil : format.rate
    recorder.channels = wish.channels
    recorder.sample = format.sample
    (self.url, self.recorder) = (url, recorder)
    // The file decides these.
    self.wish = settings.filter { $0.key != AVFormatIDKey && $0.key != AVSampleRateKey }
      .mapValues { FileSettings.number($0) ?? $0 }
    super.init()
  }

  /// A recorder of that format; the ending of the name chooses the kind of file.
  public convenience init(url: URL, format: AVAudioFormat) throws {
    try self.init(url: url, settings: format.settings)
  }

  deinit {
    // The file is completed all the same.
    state.withLock { $0.take }?.requestStop()
  }

  /// The listener; it is not kept alive.
  open weak var delegate: (any AVAudioRecorderDelegate)? {
    get { state.withLock { $0.delegate }.delegate }
    set {
      let box = DelegateBox(delegate: newValue)
      state.withLock { $0.delegate = box }
    }
  }

  /// Checks that it could record: the permission, the session and the directory.
  ///
  /// Nothing is written, and a file of that name stays as it is.
  @discardableResult
  open func prepareToRecord() -> Bool {
    mayRecord
  }

  /// Records, or resumes after a pause; returns once the first frame is captured.
  ///
  /// False where recording is not allowed, the category of the session is one for playing, or the device or the
  /// file cannot be used.
  @discardableResult
  open func record() -> Bool { begin(longest: nil, at: nil) }

  /// Records, and stops at that length; pauses do not count.
  @discardableResult
  open func record(forDuration duration: TimeInterval) -> Bool {
    begin(longest: duration, at: nil)
  }

  /// Records from that time of `deviceCurrentTime` on; at once if it has passed, as 0 has.
  ///
  /// The device is opened now, and what is heard before is not kept.
  @discardableResult
  open func record(atTime time: TimeInterval) -> Bool { begin(longest: nil, at: time) }

  /// Records from that time on, and stops at that length.
  @discardableResult
  open func record(atTime time: TimeInterval, forDuration duration: TimeInterval) -> Bool {
    begin(longest: duration, at: time)
  }

  /// Stops for a while; `record` resumes, and what is heard until then is not in the file.
  open func pause() {
    order.withLock { _ in
      guard let take = state.withLock({ $0.take }), take.state == .recording else { return }
      try? take.pauseWaiting()
    }
  }

  /// Ends the recording, and returns once the file is complete.
  open func stop() {
    order.withLock { _ in
      guard let take = state.withLock({ $0.take }) else { return }
      if let result = try? take.stopWaiting() { finish(take, result) }
    }
  }

  /// Deletes the file of a recording that has ended; false while it records, and where there is none.
  @discardableResult
  open func deleteRecording() -> Bool {
    order.withLock { _ in
      guard state.withLock({ $0.take == nil }) else { return false }
      return (try? FileManager.default.removeItem(at: url)) != nil
    }
  }

  /// True while frames are recorded; false in a pause.
  open var isRecording: Bool { state.withLock { $0.take }?.state == .recording }

  /// The length of the recording until this moment. In a pause it does not change; after the end it is 0.
  open var currentTime: TimeInterval { state.withLock { $0.take }?.duration.seconds ?? 0 }

  /// A clock that never goes back.
  open var deviceCurrentTime: TimeInterval { HostClock.now }

  /// The settings of the file; `AVAudioFormat.settings` says how to read the numbers.
  open var settings: [String: Any] { wish.merging(format.settings) { given, _ in given } }

  /// The format of the frames in the file.
  open var format: AVAudioFormat {
    let known = state.withLock { $0.take }?.format
    let format =
      known
      ?? RecorderKit.AudioFormat(
        rate: recorder.rate ?? 48_000, channels: recorder.channels ?? 2,
        sample: recorder.sample ?? .int16)
    return AVAudioFormat(stored: format, encoding: AudioFormatID(endingWith: url.pathExtension))
  }
}

extension AVAudioRecorder {
  /// True where the session, the permission and the directory let it record.
  private var mayRecord: Bool {
    AVAudioSession.sharedInstance().allowsRecording
      && AVCaptureDevice.authorizationStatus(for: .audio) == .authorized && isPlaceUsable
  }

  /// True where the file would lie in a directory that can be written to, and is none itself.
  private var isPlaceUsable: Bool {
    let directory = url.deletingLastPathComponent().path
    return FileManager.default.isWritableFile(atPath: directory)
      && Self.isDirectory(directory) && !Self.isDirectory(url.path)
  }

  private static func isDirectory(_ path: String) -> Bool {
    var isDirectory: ObjCBool = false
    return unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
      && isDirectory.boolValue
  }

  fileprivate func begin(longest: TimeInterval?, at moment: TimeInterval?) -> Bool {
    order.withLock { _ in
      if let take = state.withLock({ $0.take }) { return goOn(with: take) }
      guard mayRecord else { return false }
      var recorder = recorder
      if let longest {
        guard longest > 0, longest.isFinite else { return false }
        recorder.longest = Duration(limiting: longest)
      }
      if let moment {
        guard moment.isFinite else { return false }
        recorder.isArmed = moment > HostClock.now
      }
      guard let take = try? recorder.startWaiting(to: url.path, replacing: true) else {
        return false
      }
      state.withLock { $0.take = take }
      RunningSounds.add(self)
      take.whenEnded { [weak self] result in self?.finish(take, result) }
      if let moment, recorder.isArmed { Self.trigger(take, at: moment) }
      return true
    }
  }

  private static func trigger(_ take: Take, at moment: TimeInterval) {
    let timer = DispatchSource.makeTimerSource(flags: .strict)
    // The timer lives as long as what it does, which is once.
    timer.setEventHandler {
      take.trigger(since: Duration(limiting: moment))
      timer.cancel()
    }
    let wait = Duration(limiting: moment - HostClock.now).seconds
    timer.schedule(deadline: .now() + wait, leeway: .nanoseconds(0))
    timer.activate()
  }

  private func goOn(with take: Take) -> Bool {
    guard take.state == .paused else { return take.state == .recording }
    return (try? take.resumeWaiting()) != nil
  }

  /// Tells the delegate of an end, once for each recording.
  private func finish(_ take: Take, _ result: Take.Result) {
    let isOurs = state.withLock { state in
      guard state.take === take else { return false }
      (state.take, state.meters) = (nil, [])
      return true
    }
    guard isOurs else { return }
    RunningSounds.remove(self)
    let fault = result.fault(at: url.path)
    let isWhole = [.stopped, .duration, .size].contains(result.reason)
    MainThread.deliver { [self] in
      if let fault { delegate?.audioRecorderEncodeErrorDidOccur(self, error: fault) }
      delegate?.audioRecorderDidFinishRecording(self, successfully: isWhole)
    }
  }
}

extension AVAudioRecorder: RunningSound {
  /// Stops where it records.
  func stopForSession() -> Bool {
    guard isRecording else { return false }
    stop()
    return true
  }
}

extension AVAudioRecorder {
  /// True where `updateMeters` measures; it costs next to nothing here.
  public var isMeteringEnabled: Bool {
    get { state.withLock { $0.isMetering } }
    set { state.withLock { ($0.isMetering, $0.meters) = (newValue, newValue ? $0.meters : []) } }
  }

  /// Measures what was recorded in the last moments.
  public func updateMeters() {
    state.withLock { state in
      guard state.isMetering, let take = state.take else { return }
      state.meters = take.level.channels.map(Meter.init)
    }
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

extension Take.Result {
  /// The reason of an end that nobody wished for; nil where the device went away.
  fileprivate func fault(at path: String) -> RecorderError? {
    switch reason {
    case .permission, .expired: .notAuthorized(.denied)
    case .disk: .file(path, why: message ?? "the disk is full")
    case .stopped, .duration, .size, .device, .discarded: nil
    }
  }
}

/// A listener of a recorder; it is called on the main thread, in order, and need not have any of these methods.
public protocol AVAudioRecorderDelegate: NSObjectProtocol {
  /// The recording has ended; false where it was not by the program's own wish or at its length.
  @preconcurrency @MainActor
  func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool)
  /// The recording had to be ended, because the disk is full or access to the microphone was revoked.
  @preconcurrency @MainActor
  func audioRecorderEncodeErrorDidOccur(_ recorder: AVAudioRecorder, error: (any Error)?)
}

extension AVAudioRecorderDelegate {
  /// Does nothing.
  @preconcurrency @MainActor
  public func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool)
  {}
  /// Does nothing.
  @preconcurrency @MainActor
  public func audioRecorderEncodeErrorDidOccur(
    _ recorder: AVAudioRecorder, error: (any Error)?
  ) {}
}
