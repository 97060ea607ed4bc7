import Audio
import RealTime
import Testing

@Suite("Mixer")
struct MixerTests {
  func samples(_ mixer: borrowing Mixer) -> [Float] {
    let span = mixer.samples
    return span.indices.map { span[$0] }
  }

  @Test("Voices are added with their own gains, each from its own first frame on")
  func sum() {
    var mixer = Mixer(capacity: 8, channels: .stereo)
    var (full, half) = (Gain(1, channels: .stereo), Gain(0.5, channels: .stereo))
    mixer.begin(3)
    mixer.add([0.1, 0.2, 0.1, 0.2, 0.1, 0.2].span, gain: &full)
    mixer.add([0.5, 1].span, at: 1, gain: &half)
    #expect(samples(mixer) == [0.1, 0.2, 0.1 + 0.25, 0.2 + 0.5, 0.1, 0.2])
  }

  @Test("Each block begins with silence")
  func begin() {
    var mixer = Mixer(capacity: 4, channels: .mono)
    var gain = Gain(1, channels: .mono)
    mixer.begin(4)
    mixer.add([1, 1, 1, 1].span, gain: &gain)
    mixer.begin(2)
    #expect(samples(mixer) == [0, 0])
  }

  @Test("A sum above full scale saturates and never wraps", arguments: [1, -1] as [Float])
  func saturation(sign: Float) {
    var mixer = Mixer(capacity: 1, channels: .mono)
    var gain = Gain(1, channels: .mono)
    mixer.begin(1)
    for _ in 0..<100 { mixer.add([sign * 0.9].span, gain: &gain) }
    var codes: [Int16] = [0]
    var span = codes.mutableSpan
    var room = span.mutableBytes
    var dither = Dither(seed: 1)
    SampleConversion(from: .float32, to: .int16)
      .convert(mixer.samples, into: &room, dithering: &dither)
    #expect(codes == [sign > 0 ? .max : .min])
  }

  @Test("NaN in one voice does not silence the others")
  func notANumber() {
    var mixer = Mixer(capacity: 2, channels: .mono)
    var gain = Gain(1, channels: .mono)
    mixer.begin(2)
    mixer.add([0.5, 0.5].span, gain: &gain)
    mixer.add([.nan, 0.25].span, gain: &gain)
    #expect(samples(mixer) == [0.5, 0.75])
  }

  @Test("A fading voice ends in silence and does not affect the others")
  func fade() {
    var mixer = Mixer(capacity: 4, channels: .mono)
    var (fading, steady) = (Gain(1, channels: .mono), Gain(1, channels: .mono))
    fading.move(to: 0, within: 2)
    mixer.begin(4)
    mixer.add([1, 1, 1, .infinity].span, gain: &fading)
    mixer.add([0.5, 0.5, 0.5, 0.5].span, gain: &steady)
    #expect(samples(mixer) == [1, 0.5, 0.5, 0.5])
  }

  @Test("A block or a voice that does not fit is a programming error")
  func misuse() async {
    await #expect(processExitsWith: .failure) {
      var mixer = Mixer(capacity: 2, channels: .mono)
      mixer.begin(3)
    }
    await #expect(processExitsWith: .failure) {
      var mixer = Mixer(capacity: 2, channels: .mono)
      var gain = Gain(1, channels: .mono)
      mixer.begin(2)
      mixer.add([0, 0].span, at: 1, gain: &gain)
    }
  }
}
