package import Audio
internal import CEbur128

/// The loudness of a programme by EBU R 128, measured by libebur128.
///
/// Unchecked `Sendable`: libebur128 does not bind a state to a thread, and a noncopyable value has
/// one owner at a time.
@safe package struct LoudnessMeter: ~Copyable, @unchecked Sendable {
  private var state: UnsafeMutablePointer<ebur128_state>?
  private let library: LoudnessLibrary
  private let channels: Int

  /// Creates a meter without measurements. The C function is `ebur128_init`.
  package init(rate: SampleRate, channels: ChannelCount) throws(AnalysisError) {
    let library = try LoudnessLibrary.get()
    let mode = CInt(EBUR128_MODE_I.rawValue | EBUR128_MODE_LRA.rawValue)
    let state = library.functions.`init`(
      CUnsignedInt(channels.value), CUnsignedLong(rate.hertz), mode)
    guard let state = unsafe state else { throw .library("ebur128_init") }
    unsafe self.state = state
    self.library = library
    self.channels = channels.value
    setWeights()
  }

  /// Sets the weights of the channels that libebur128 would skip. It knows layouts of up to six
  /// channels.
  ///
  /// The seventh and the eighth channel are surround channels, like two of the channels of 5.1. If
  /// there are more than eight, each channel is a track and is weighted as a front channel. The
  /// result is ignored, because the function fails only for a channel that does not exist.
  private func setWeights() {
    let position = channels > 8 ? EBUR128_CENTER : EBUR128_LEFT_SURROUND
    for channel in 0..<channels where channel >= 6 || channels > 8 {
      _ = unsafe library.functions.set_channel(
        state, CUnsignedInt(channel), CInt(position.rawValue))
    }
  }

  deinit {
    var state = unsafe state
    unsafe library.functions.destroy(&state)
  }

  /// Adds whole frames.
  package mutating func add(_ samples: Span<Float>) throws(AnalysisError) {
    let frames = samples.count / channels
    let code = unsafe samples.withUnsafeBufferPointer {
      unsafe library.functions.add_frames_float(state, $0.baseAddress, frames)
    }
    if code != CInt(EBUR128_SUCCESS.rawValue) { throw .library("ebur128_add_frames_float") }
  }

  /// The loudness of all frames so far.
  package var measured: MeasuredLoudness {
    unsafe MeasuredLoudness(
      integrated: value(library.functions.loudness_global),
      range: value(library.functions.loudness_range))
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

/// libebur128, loaded on first use, because only two commands need it.
///
/// Unchecked `Sendable`: it holds functions of a library that is never unloaded.
@safe private struct LoudnessLibrary: @unchecked Sendable {
  let functions: ebur128_functions

  private static let loaded = load()

  private static func load() -> Result<LoudnessLibrary, AnalysisError> {
    var functions = ebur128_functions()
    if let words = unsafe load_ebur128(&functions) {
      return .failure(.missing(library: "libebur128.so.1", words: unsafe String(cString: words)))
    }
    return .success(LoudnessLibrary(functions: functions))
  }

  static func get() throws(AnalysisError) -> LoudnessLibrary { try loaded.get() }
}
