package import Audio
internal import CSoxr
internal import Linux

/// A resampler for interleaved samples, based on soxr. The output is as long as the input times the
/// ratio of the rates, rounded to the nearest frame.
///
/// Unchecked: soxr does not bind a resampler to a thread, and a noncopyable value has one owner at
/// a time.
@safe package struct Resampler: ~Copyable, @unchecked Sendable {
  /// The precision of the result.
  package enum Quality: Sendable {
    /// 20 bits, at about half the cost of `veryHigh`.
    case high
    /// 28 bits.
    case veryHigh
  }

  /// The outcome of one call, in frames.
  package struct Progress: Hashable, Sendable {
    /// The number of input frames that were used.
    package let consumed: Int
    /// The number of frames that were written to the output.
    package let produced: Int
  }

  private let pointer: soxr_t
  private let channels: Int
  private let rates: (input: Int, output: Int)
  private var consumed: Int64 = 0
  private var produced: Int64 = 0

  /// The corresponding C function is `soxr_create`.
  package init(
    from input: SampleRate, to output: SampleRate, channels: ChannelCount,
    quality: Quality = .veryHigh
  ) throws(ResamplerError) {
    try Self.prepare()
    var failure: soxr_error_t? = nil
    var recipe = soxr.functions.quality_spec(quality.recipe, 0)
    let opened = unsafe soxr.functions.create(
      Double(input.hertz), Double(output.hertz), CUnsignedInt(channels.value), &failure, nil,
      &recipe, nil)
    try unsafe Self.check("soxr_create", unsafe failure)
    guard let opened = unsafe opened else {
      throw ResamplerError(function: "soxr_create", words: "no resampler")
    }
    unsafe self.pointer = opened
    self.channels = channels.value
    self.rates = (input.hertz, output.hertz)
  }

  deinit { unsafe soxr.functions.destroy(pointer) }

  /// Loads soxr now, for a process that must not load it later.
  package static func prepare() throws(ResamplerError) {
    if let words = soxr.refusal { throw ResamplerError(function: "dlopen", words: words) }
  }

  /// Processes frames of input and fills `output` as far as possible.
  package mutating func process(
    _ input: Span<Float>, into output: inout MutableSpan<Float>
  ) throws(ResamplerError) -> Progress {
    let (frames, room) = (input.count / channels, output.count / channels)
    let progress = try unsafe input.withUnsafeBufferPointer { input throws(ResamplerError) in
      try unsafe run(input.baseAddress, frames, into: &output, room)
    }
    consumed += Int64(progress.consumed)
    produced += Int64(progress.produced)
    return progress
  }

  /// Fills `output` with the remaining frames after the end of the input. Returns the number of
  /// frames, or 0 if no frames remain.
  package mutating func flush(into output: inout MutableSpan<Float>) throws(ResamplerError) -> Int {
    let room = min(Int64(output.count / channels), length - produced)
    guard room > 0 else { return 0 }
    let filled = try unsafe run(nil, 0, into: &output, Int(room)).produced
    // If the length was rounded up, soxr can produce one frame less than `length`. A silent frame
    // replaces the missing frame.
    for index in (filled * channels)..<(Int(room) * channels) { output[index] = 0 }
    produced += room
    return Int(room)
  }

  /// The number of output frames for the whole input, rounded to the nearest frame.
  private var length: Int64 {
    let (high, low) = consumed.multipliedFullWidth(by: Int64(rates.output))
    let doubled = (Int128(high) << 64 | Int128(low)) * 2 + Int128(rates.input)
    return Int64(doubled / (Int128(rates.input) * 2))
  }

  private func run(
    _ input: UnsafePointer<Float>?, _ frames: Int, into output: inout MutableSpan<Float>,
    _ room: Int
  ) throws(ResamplerError) -> Progress {
    var (taken, made) = (0, 0)
    let failure = unsafe output.withUnsafeMutableBufferPointer { output in
      unsafe soxr.functions.process(
        pointer, input, frames, &taken, output.baseAddress, room, &made)
    }
    try unsafe Self.check("soxr_process", unsafe failure)
    return Progress(consumed: taken, produced: made)
  }

  private static func check(_ function: String, _ failure: soxr_error_t?) throws(ResamplerError) {
    guard let failure = unsafe failure else { return }
    throw ResamplerError(function: function, words: unsafe String(cString: failure))
  }
}

extension Resampler.Quality {
  fileprivate var recipe: CUnsignedLong {
    switch self {
    case .high: 4
    case .veryHigh: CUnsignedLong(SOXR_28_BITQ)
    }
  }
}

/// soxr, which is loaded at its first use. It is not loaded earlier, because few takes are
/// resampled, and soxr takes 0.4 MB of memory, including the thread library that it needs.
private let soxr = unsafe LoadedLibrary(soxr_functions(), load_soxr)

/// The reason why a stream could not be resampled.
package struct ResamplerError: Error, Hashable, Sendable {
  /// The soxr function that failed.
  package let function: String
  /// The message from soxr.
  package let words: String
}

extension ResamplerError: CustomStringConvertible {
  /// The message from soxr, such as `invalid rate`.
  package var description: String { words }
}
