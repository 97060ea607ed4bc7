public import Foundation
internal import RecorderKit
internal import Synchronization

/// Records into a file.
///
/// An existing file is kept until the new recording is complete. Recording needs the permission but
/// never asks for it: call `AVCaptureDevice.requestAccess(for:)` first.
///
/// ```swift
/// let settings: [String: Any] = [AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 1]
/// let recorder = try AVAudioRecorder(url: URL(fileURLWithPath: "memo.wav"), settings: settings)
/// guard recorder.record(forDuration: 60) else { return }
/// ```
open class AVAudioRecorder: NSObject, @unchecked Sendable {
  // Unchecked: all mutable state is in mutexes.

  /// Unchecked: any thread may set the delegate, but only the main thread calls it.
  private struct DelegateBox: @unchecked Sendable {
    weak var delegate: (any AVAudioRecorderDelegate)?
  }

  private struct State {
    var take: Take?
    var meters = Meters()
    var delegate = DelegateBox()
  }

  /// The location of the file.
  public let url: URL
  private let recorder: Recorder
  private let wish: [String: Any]
  private let state = Mutex(State())
  /// A lock that serializes starts, pauses and stops on several threads.
  private let order = Mutex(())

  /// Creates a recorder with settings such as `AVSampleRateKey`. The numbers may have any numeric
  /// type. The filename extension chooses the file format.
  ///
  /// Opus uses the next higher rate that it supports, such as 48 kHz for 44.1 kHz. In CAF, ALAC is
  /// recorded as PCM.
  ///
  /// Nothing is opened or written. Throws for settings of a wrong type and for an encoding that
  /// this library does not write.
  public init(url: URL, settings: [String: Any]) throws {
    guard url.isFileURL else {
      throw RecorderError.invalid("“\(url)” is not a file on this machine")
    }
    let wish = try FileSettings(settings)
    let format = try AudioFileWriter.recordedFormat(
      url.path, wish.format(endingWith: url.pathExtension))
    var recorder = Recorder()
    recorder.sampleRate = wish.rate == nil ? nil : format.sampleRate
    recorder.channelCount = wish.channels
    recorder.sampleFormat = format.sampleFormat
    (self.url, self.recorder) = (url, recorder)
    // The property `settings` takes these two values from `format`.
    self.wish = settings.filter { $0.key != AVFormatIDKey && $0.key != AVSampleRateKey }
      .mapValues { FileSettings.number($0) ?? $0 }
    super.init()
  }

  /// Creates a recorder for a sample format. The filename extension chooses the file format.
  public convenience init(url: URL, format: AVAudioFormat) throws {
    try self.init(url: url, settings: format.settings)
  }

  deinit {
    // Ends the recording. Its file is still completed.
    state.withLock { $0.take }?.requestStop()
  }

  /// The delegate, held weakly.
  open weak var delegate: (any AVAudioRecorderDelegate)? {
    get { state.withLock { $0.delegate }.delegate }
    set {
      let box = DelegateBox(delegate: newValue)
      state.withLock { $0.delegate = box }
    }
  }

  /// Returns whether the permission, the session and the directory allow recording.
  ///
  /// Nothing is written, and an existing file stays as it is.
  @discardableResult
  open func prepareToRecord() -> Bool {
    mayRecord
  }

  /// Starts to record, or resumes after a pause. Returns once the first frame is captured. A resume
  /// removes the time limit of the recording. If the former recording is ending, first waits until
  /// its file is complete.
  ///
  /// Returns false if recording is not allowed, if the category of the session does not permit it,
  /// or if the device or the file cannot be used.
  @discardableResult
  open func record() -> Bool { begin(longest: nil, at: nil) }

  /// Records, and stops when the length of the recording, without pauses, reaches `duration`. A
  /// paused recording resumes, and its length so far is included.
  @discardableResult
  open func record(forDuration duration: TimeInterval) -> Bool {
    begin(longest: duration, at: nil)
  }

  /// Records from a time on the clock of `deviceCurrentTime`. If this time has passed, or is 0,
  /// records immediately.
  ///
  /// The device is opened immediately, but frames before the given time are not recorded. A paused
  /// recording resumes at the given time, without a limit. If it is paused again before this time,
  /// it does not resume.
  @discardableResult
  open func record(atTime time: TimeInterval) -> Bool { begin(longest: nil, at: time) }

  /// Records from a time on the clock of `deviceCurrentTime`, and stops when the length of the
  /// recording reaches `duration`. A paused recording resumes at the given time, and its length so
  /// far is included.
  @discardableResult
  open func record(atTime time: TimeInterval, forDuration duration: TimeInterval) -> Bool {
    begin(longest: duration, at: time)
  }

  /// Pauses the recording; `record` resumes it. Sound during the pause is not recorded.
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

  /// Deletes the file of a recording that has ended, and its sidecar. Waits until the file is
  /// complete. Returns false during a recording, and if there is no file.
  @discardableResult
  open func deleteRecording() -> Bool {
    order.withLock { _ in
      guard liveTake == nil else { return false }
      return (try? Recorder.removeFile(at: url.path)) != nil
    }
  }

  /// Whether frames are being recorded; false during a pause.
  open var isRecording: Bool { state.withLock { $0.take }?.state == .recording }

  /// The length of the recording so far, in seconds. It does not change during a pause, and is 0
  /// after the end.
  open var currentTime: TimeInterval { state.withLock { $0.take }?.duration.seconds ?? 0 }

  /// The current time of a monotonic clock, for `record(atTime:)`.
  open var deviceCurrentTime: TimeInterval { HostClock.now }

  /// The settings of the file. `AVAudioFormat.settings` explains how to read the numbers.
  open var settings: [String: Any] { wish.merging(format.settings) { given, _ in given } }

  /// The format of the frames in the file.
  open var format: AVAudioFormat {
    let known = state.withLock { $0.take }?.format
    let format =
      known
      ?? RecorderKit.AudioFormat(
        sampleRate: recorder.sampleRate ?? 48_000, channelCount: recorder.channelCount ?? 2,
        sampleFormat: recorder.sampleFormat ?? .int16)
    return AVAudioFormat(stored: format, encoding: AudioFormatID(endingWith: url.pathExtension))
  }
}

extension AVAudioRecorder {
  /// Whether the session, the permission and the directory allow recording.
  private var mayRecord: Bool {
    AVAudioSession.sharedInstance().allowsRecording
      && AVCaptureDevice.authorizationStatus(for: .audio) == .authorized && isDirectoryUsable
  }

  /// Whether the directory of the file exists and is writable, and the file itself is not a
  /// directory.
  private var isDirectoryUsable: Bool {
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
      guard longest.map({ $0 > 0 && $0.isFinite }) != false, moment?.isFinite != false else {
        return false
      }
      let limit = longest.map { Duration(limiting: $0) }
      if let take = liveTake { return goOn(with: take, upTo: limit, at: moment) }
      guard mayRecord else { return false }
      var recorder = recorder
      recorder.maximumDuration = limit
      if let moment { recorder.isArmed = moment > HostClock.now }
      guard let take = try? recorder.startWaiting(to: url.path, replacingExisting: true) else {
        return false
      }
      state.withLock { $0.take = take }
      RunningSounds.add(self)
      take.whenEnded { [weak self] result in self?.finish(take, result) }
      if let moment, recorder.isArmed { Self.trigger(take, at: moment) }
      return true
    }
  }

  /// The recording that has not ended, or nil if there is none. If it is ending, waits until its
  /// file is complete.
  private var liveTake: Take? {
    guard let take = state.withLock({ $0.take }) else { return nil }
    if [.recording, .paused].contains(take.state) { return take }
    guard let result = try? take.stopWaiting() else { return take }
    finish(take, result)
    return nil
  }

  private static func trigger(_ take: Take, at moment: TimeInterval) {
    let timer = DispatchSource.makeTimerSource(flags: .strict)
    // The handler runs once. It keeps the timer alive until then.
    timer.setEventHandler {
      take.trigger(since: HostClock.instant(at: moment))
      timer.cancel()
    }
    let wait = Duration(limiting: moment - HostClock.now).seconds
    timer.schedule(deadline: .now() + wait, leeway: .nanoseconds(0))
    timer.activate()
  }

  private func goOn(with take: Take, upTo longest: Duration?, at moment: TimeInterval?) -> Bool {
    guard take.state == .paused else { return take.state == .recording }
    let instant = moment.map { HostClock.instant(at: $0) }
    return (try? take.resumeWaiting(upTo: longest, at: instant)) != nil
  }

  /// Reports the end to the delegate, once for each recording.
  private func finish(_ take: Take, _ result: Take.Result) {
    let isOurs = state.withLock { state in
      guard state.take === take else { return false }
      state.take = nil
      state.meters.clear()
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
  /// Stops the recorder if it is recording. Returns true if it was recording.
  func stopForSession() -> Bool {
    guard isRecording else { return false }
    stop()
    return true
  }
}

extension AVAudioRecorder {
  /// Whether `updateMeters` measures the level.
  public var isMeteringEnabled: Bool {
    get { state.withLock { $0.meters.isOn } }
    set { state.withLock { $0.meters.isOn = newValue } }
  }

  /// Updates the meters with the current level of the recording if metering is enabled.
  public func updateMeters() {
    state.withLock { state in
      if state.meters.isOn, let take = state.take { state.meters.update(take.currentLevels) }
    }
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
