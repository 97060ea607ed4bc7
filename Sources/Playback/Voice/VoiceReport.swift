package import Audio

/// What a voice is doing.
package enum VoiceState: BitwiseCopyable, Hashable, CaseIterable, Sendable {
  /// Silent, at a position from which it can go on.
  case stopped
  case playing
  case paused
  /// Played to the end.
  case ended
}

/// How a voice stood when the last period was made.
package struct VoiceReport: BitwiseCopyable, Hashable, Sendable {
  package var state: VoiceState
  /// The next frame that will be made.
  package var position: FrameCount
  /// Plays not yet ended, the one under way included.
  package var playsLeft: Int
  package var loops: Bool
  package var volume: Float
  package var isMuted: Bool
  /// The largest magnitude of the period, 1 being full scale.
  package var peak: Float
  /// Whether it is silent and will stay so until it is told otherwise.
  package var isAtRest: Bool
  /// Whether it was told something that this does not yet show.
  package internal(set) var isPending = false
  /// CLOCK_MONOTONIC just before the first frame of the latest play was written.
  package var started: Duration? {
    startedNanoseconds.map { .nanoseconds($0) }
  }
  var startedNanoseconds: Int64?
  /// The last order that it has obeyed.
  var sequence: Int
  /// The frames of the output up to the end of the last period to which it added something.
  var lastFrame: Int64 = 0
}

extension VoiceReport {
  /// The same as it is heard, where the device has played the first `played` frames of the output.
  func heard(_ played: Int64, length: FrameCount) -> VoiceReport {
    let late = FrameCount(max(0, lastFrame - played))
    guard late > 0, state == .playing || state == .ended else { return self }
    var report = self
    report.state = .playing
    let place = position - late
    report.position = place >= 0 || !loops ? max(0, place) : max(0, place + length)
    return report
  }
}

extension VoiceReport {
  /// Of a slot that no voice has had.
  static let atRest = VoiceReport(.stopped, isAtRest: true)
  /// Of a voice whose first period is still to come.
  static let beginning = VoiceReport(.playing, isAtRest: false)
  /// Of a voice that is to be silent first.
  static let prepared = VoiceReport(.stopped, isAtRest: false)

  private init(_ state: VoiceState, isAtRest: Bool) {
    self.init(
      state: state, position: 0, playsLeft: 1, loops: false, volume: 1, isMuted: false, peak: 0,
      isAtRest: isAtRest, startedNanoseconds: nil, sequence: 0)
  }
}
