import Audio
import Playback

/// Mixes 48,000 frames of two sounds as a player does, and ends. A benchmark counts its
/// instructions.
@main
enum Main {
  static func main() throws {
    let format = StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16)
    let samples = (0..<2 * 48_000).map { Float($0 % 100) / 200 }
    var memory = SoundMemory(
      StreamFormat(rate: format.rate, channels: format.channels, sample: .float32), room: 48_000)
    memory.append(samples.span)
    let sound = Sound(memory)
    let table = VoiceTable(format)
    for _ in 0..<2 { _ = try table.play(sound) }
    guard var mixing = table.mixing.take() else { return }
    mixing.obey(sleeping: false)
    var bytes = [UInt8](repeating: 0, count: mixing.bytes)
    var isSilent = true
    for _ in 0..<48_000 / mixing.period {
      var span = bytes.mutableSpan
      var room = span.mutableBytes
      mixing.render(into: &room, at: .seconds(1))
      isSilent = isSilent && bytes.allSatisfy { $0 == 0 }
    }
    if isSilent { fatalError("nothing was mixed") }
  }
}
