package import Audio
internal import CEbur128
internal import Linux

/// A meter of the loudness of a whole sound according to EBU R 128. It uses libebur128.
///
/// Unchecked `Sendable`: libebur128 does not bind a state to a thread, and a noncopyable value has
/// one owner at a time.
@safe package struct LoudnessMeter: ~Copyable, @unchecked Sendable {
  private var state: UnsafeMutablePointer<ebur128_state>?
  private let channels: Int

  /// Creates a meter without measurements. The C function is `ebur128_init`.
  ///
  /// - Parameter ofTracks: whether the channels belong to several tracks.
  package init(
    rate: SampleRate, channels: ChannelCount, ofTracks: Bool = false
  ) throws(AnalysisError) {
    if let words = ebur128.refusal {
      throw .missing(library: "libebur128.so.1", words: words)
    }
    let mode = CInt(EBUR128_MODE_I.rawValue | EBUR128_MODE_LRA.rawValue)
    let state = ebur128.functions.`init`(
      CUnsignedInt(channels.value), CUnsignedLong(rate.hertz), mode)
    guard let state = unsafe state else { throw .library("ebur128_init") }
    unsafe self.state = state
    self.channels = channels.value
    setWeights(ofTracks: ofTracks || self.channels > 8)
  }

  /// Sets the weights of channels that libebur128 would not weight correctly. The layouts of
  /// libebur128 have at most six channels.
  ///
  /// The seventh and the eighth channel get the weight of surround channels. The channels of tracks
  /// get the weight of front channels. Otherwise the fourth of six channels would not count,
  /// because it is the low-frequency channel in 5.1. More than eight channels are treated as the
  /// channels of tracks. The result of `set_channel` is ignored, because this function fails only
  /// for a channel that does not exist.
  private func setWeights(ofTracks: Bool) {
    let position = ofTracks ? EBUR128_CENTER : EBUR128_LEFT_SURROUND
    for channel in 0..<channels where channel >= 6 || ofTracks {
      _ = unsafe ebur128.functions.set_channel(
        state, CUnsignedInt(channel), CInt(position.rawValue))
    }
  }

  deinit {
    var state = unsafe state
    unsafe ebur128.functions.destroy(&state)
  }

  /// Adds whole frames.
  package mutating func add(_ samples: Span<Float>) throws(AnalysisError) {
    let frames = samples.count / channels
    let code = unsafe samples.withUnsafeBufferPointer {
      unsafe ebur128.functions.add_frames_float(state, $0.baseAddress, frames)
    }
    if code != CInt(EBUR128_SUCCESS.rawValue) { throw .library("ebur128_add_frames_float") }
  }

  /// The loudness of all frames so far.
  package var measured: MeasuredLoudness {
    unsafe MeasuredLoudness(
      integrated: value(ebur128.functions.loudness_global),
      range: value(ebur128.functions.loudness_range))
  }

  private func value(
    _ function: (UnsafeMutablePointer<ebur128_state>?, UnsafeMutablePointer<Double>?) -> CInt
  ) -> Double {
    var value = -Double.infinity
    _ = unsafe function(state, &value)
    return value
  }
}

/// The reason why a sound was not measured.
package enum AnalysisError: Error, Hashable, Sendable {
  /// A library is not installed: its file name and the system's error message.
  case missing(library: String, words: String)
  /// A function of a library failed.
  case library(String)
}

/// libebur128, which only two commands need.
private let ebur128 = unsafe LoadedLibrary(ebur128_functions(), load_ebur128)
