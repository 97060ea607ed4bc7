internal import Analysis
internal import Audio
internal import PipeWire

/// The result of removing one track's echo from another track.
package struct RemovedEcho: Hashable, Sendable {
  /// The result of the search for the echo.
  package enum State: String, Sendable {
    /// The echo was removed.
    case removed
    /// No echo was found, so nothing was changed.
    case absent
    /// The track is silent, so nothing was changed.
    case silent
    /// A possible echo was found, but less than 0.2 s of it is without speech, so nothing was
    /// changed.
    case unmeasured
  }

  /// The name of the track whose echo was searched for.
  package let track: String
  /// The result of the search.
  package let state: State
  /// The time from a sound to its first echo, or nil without an echo.
  package var delay: Duration?
  /// The reduction of the echo in decibels, measured in the passages without speech. Nil if there
  /// is less than 0.2 s of echo without speech.
  package var reduction: Double?
  /// The level of the echo without speech minus the level of the speech without echo, in decibels.
  /// Nil if the echo or the speech is alone for less than 0.2 s.
  package var excess: Double?
  /// The share of the time with both echo and speech, 0 to 1, or nil without an echo.
  package var overlap: Double?
}

extension RemovedEcho {
  /// Creates the result of a search after which no echo was removed.
  init(_ track: String, unchangedAfter finding: EchoSearch.Finding) {
    let state: State =
      switch finding {
      case .silent: .silent
      case .absent: .absent
      case .found: .unmeasured
      }
    self.init(track: track, state: state)
  }
}

/// The removal of one track's echo from another track. Each pass of an export measures the passages
/// again.
final class EchoRemoval {
  /// The channels of the microphone and of the loudspeaker in each frame.
  let tracks: EchoTracks
  private let path: EchoPath
  /// The rate of the frames.
  let rate: SampleRate
  /// The delay of the canceller's output in frames.
  let latency: Int
  /// The passages of the current pass.
  var passages: EchoPassages

  init(_ tracks: EchoTracks, _ path: EchoPath, at rate: SampleRate, latency: Int) {
    (self.tracks, self.path, self.rate, self.latency) = (tracks, path, rate, latency)
    passages = Self.passages(path, rate)
  }

  private static func passages(_ path: EchoPath, _ rate: SampleRate) -> EchoPassages {
    // The search measures the noise only at frequencies below half of its own rate. At a higher
    // rate the frames contain more noise, so the noise is multiplied by the ratio of the rates.
    let width = Double(min(rate.hertz, SampleRate.hz48000.hertz)) / Double(EchoSearch.rate.hertz)
    return EchoPassages(path, noise: path.noise * max(1, width))
  }

  /// The time from a sound to its first echo.
  var delay: Duration { FrameCount(path.delay).duration(at: EchoSearch.rate) }

  /// The delay that moves the loudspeaker's sound to shortly before its echo, in frames.
  var shift: Int { Int(FrameCount(delay - EchoTracks.lead, at: rate).value) }

  /// Begins a new pass.
  ///
  /// - Parameter early: the number of blocks before the first frame of the export.
  func begin(after early: Int) {
    passages = Self.passages(path, rate)
    passages.early = early
  }

  /// Ends the last pass and returns its result.
  func removed(_ track: String) -> RemovedEcho {
    passages.finish()
    return RemovedEcho(
      track: track, state: .removed, delay: delay, reduction: passages.reduction,
      excess: passages.excess, overlap: passages.overlap)
  }

  /// Returns the delay of the canceller's output in frames, at a rate. Throws if PipeWire's
  /// canceller cannot be used.
  static func latency(at rate: SampleRate) throws -> Int {
    try withRefusals { () throws(EchoCancellerError) in try EchoCanceller.latency(at: rate) }
  }
}

/// Runs a call of the echo canceller, and throws its error as a refusal of the export.
func withRefusals<Value: ~Copyable>(
  _ call: () throws(EchoCancellerError) -> Value
) throws(ExportRefusal) -> Value {
  do {
    return try call()
  } catch {
    switch error {
    case .noLibrary: throw .noEchoCanceller(missing: "libpipewire-0.3.so.0")
    case .noPlugin: throw .noEchoCanceller(missing: "libspa-aec-webrtc.so")
    case .failed: throw .noEchoCanceller(missing: nil)
    }
  }
}
