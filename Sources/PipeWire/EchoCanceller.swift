package import Audio
internal import CPipeWire
internal import Linux

/// The reason why an echo cannot be removed.
package enum EchoCancellerError: Error, Hashable, Sendable {
  /// PipeWire's library is not installed.
  case noLibrary
  /// PipeWire's echo canceller is not installed.
  case noPlugin
  /// The echo canceller does not support the rate or the number of channels, or failed.
  case failed
}

/// PipeWire's echo canceller, which subtracts the sound of a loudspeaker from a microphone. It
/// adapts itself to the room while it works.
///
/// Unchecked `Sendable`: a plugin is bound to no thread, and a noncopyable value has one owner at a
/// time.
@safe package struct EchoCanceller: ~Copyable, @unchecked Sendable {
  /// The number of frames that one call processes: 10 ms. If the rate is not a multiple of 100 Hz,
  /// this number is rounded down. The microphone and the loudspeaker stay aligned, because both use
  /// the same number.
  package let blockSize: Int
  private let channels: Int
  private let plugin: UnsafeMutablePointer<pipewire_plugin>
  private let canceller: UnsafeMutableRawPointer

  /// The rates that were tested. WebRTC ends the process at 1 kHz.
  private static let rates = 4_000...768_000
  /// Options that turn filters off. WebRTC applies these filters by default, but they would also
  /// change the speech.
  private static let options = [
    "high_pass_filter", "noise_suppression", "voice_detection", "gain_control",
    "transient_suppression",
  ].map { ("webrtc.\($0)", "false") }

  /// Creates a canceller for a microphone.
  package init(rate: SampleRate, channels: ChannelCount) throws(EchoCancellerError) {
    guard Self.rates.contains(rate.hertz) else { throw .failed }
    guard Library.failure == nil else { throw .noLibrary }
    let loaded = unsafe pipeWire.load_spa_handle(
      "aec/libspa-aec-webrtc", "audio.aec", nil, 0, nil)
    guard let loaded = unsafe loaded else { throw .noPlugin }
    let hertz = UInt32(rate.hertz / 100 * 100)
    guard let found = unsafe pipewire_canceller(loaded),
      unsafe withDictionary(
        Self.options,
        { unsafe pipewire_start_canceller(found, $0, hertz, UInt32(channels.value)) }) >= 0
    else {
      _ = unsafe pipeWire.unload_spa_handle(loaded)
      throw .failed
    }
    unsafe plugin = loaded
    unsafe canceller = found
    blockSize = rate.hertz / 100
    self.channels = channels.value
  }

  deinit { _ = unsafe pipeWire.unload_spa_handle(plugin) }

  /// Removes the echo from a block of the microphone. The block has all samples of the first
  /// channel, then all samples of the second channel, and so on.
  ///
  /// - Parameter played: a block of the loudspeaker, with one channel.
  package mutating func process(
    _ recorded: inout [Float], removing played: [Float]
  ) throws(EchoCancellerError) {
    let count = blockSize
    precondition(recorded.count == channels * count && played.count == count, "not one block")
    // The plugin may write to its inputs.
    var inputs = recorded
    for _ in 0..<channels { inputs += played }
    let code = unsafe inputs.withUnsafeMutableBufferPointer { inputs in
      unsafe recorded.withUnsafeMutableBufferPointer { outputs in
        unsafe pipewire_cancel(
          canceller, inputs.baseAddress, outputs.baseAddress, UInt32(channels), UInt32(count))
      }
    }
    if code < 0 { throw .failed }
  }

  /// Measures the delay of the output in frames. This delay depends on the rate and on the version
  /// of WebRTC.
  package static func latency(at rate: SampleRate) throws(EchoCancellerError) -> Int {
    var canceller = try EchoCanceller(rate: rate, channels: .mono)
    let size = canceller.blockSize
    let silence = [Float](repeating: 0, count: size)
    let (first, last) = (20, 40)
    var (frame, peak) = (0, Float(0))
    for index in 0..<last {
      var block = silence
      if index == first { block[0] = 0.5 }
      try canceller.process(&block, removing: silence)
      for (offset, sample) in block.enumerated() where abs(sample) > peak {
        (frame, peak) = (index * size + offset, abs(sample))
      }
    }
    guard frame >= first * size else { throw .failed }
    return frame - first * size
  }
}
