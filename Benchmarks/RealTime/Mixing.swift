import Audio
import RealTime

/// Benchmarks of gain, mixing and channel maps with stereo floats.
enum Mixing {
  private static let frames = 2_400

  static func run() {
    let voice = (0..<2 * frames).map { Float($0 % 100) / 200 }
    apply(Gain(0.5, channels: .stereo), to: voice, "gain that stands")
    apply(moving, to: voice, "gain that moves")
    mix(Gain(0.5, channels: .stereo), voice, "mix a voice with a gain that stands")
    mix(moving, voice, "mix a voice with a gain that moves")
    map(ChannelMap(mixing: [0..<2], of: .stereo, to: .mono), voice, "mean of stereo")
    if let swap = ChannelMap(selecting: [1, 0], of: .stereo) { map(swap, voice, "swap of stereo") }
  }

  private static var moving: Gain {
    var gain = Gain(0, channels: .stereo)
    gain.move(to: 1, within: 1 << 40)
    return gain
  }

  private static func apply(_ gain: Gain, to voice: [Float], _ name: String) {
    var (gain, samples) = (gain, voice)
    Stopwatch.report(name, samples: voice.count) {
      var span = samples.mutableSpan
      gain.apply(to: &span)
    }
  }

  private static func mix(_ gain: Gain, _ voice: [Float], _ name: String) {
    var gain = gain
    var mixer = Mixer(capacity: FrameCount(frames), channels: .stereo)
    mixer.begin(frames)
    Stopwatch.report(name, samples: voice.count) { mixer.add(voice.span, gain: &gain) }
  }

  private static func map(_ map: ChannelMap, _ voice: [Float], _ name: String) {
    var mapped = [Float](repeating: 0, count: voice.count)
    Stopwatch.report(name, samples: voice.count) {
      var span = mapped.mutableSpan
      map.apply(to: voice.span, into: &span)
    }
  }
}
