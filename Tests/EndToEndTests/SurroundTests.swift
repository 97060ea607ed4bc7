import Foundation
import Support
import Testing

/// Channels of different loudness. Other programs must find each of them at its position.
@Suite("Encoding many channels", .timeLimit(.minutes(5)))
struct SurroundTests {
  @Test("Each channel is at the position that ffmpeg expects", arguments: ["opus", "ogg"], 3...8)
  func places(ending: String, channels: Int) throws {
    let studio = try Studio()
    // The frequency is low enough for the channel of a subwoofer, which keeps nothing higher.
    let made = try studio.run(
      """
      for channel in $(seq 0 \(channels - 1)); do
        sox -D -n -r 48000 -b 16 "$channel.wav" synth 2 sine 60 gain -$((6 + 4 * channel))
      done
      sox -D -M [0-9].wav all.wav
      "$recorder" export all.wav all.\(ending) && "$recorder" export all.\(ending) back.wav
      """)
    #expect(made.code == 0, "\(made.errors)")
    #expect(made.errors.contains("subwoofer") == (channels > 5), "\(made.errors)")
    let expected = (0..<channels).map { -9 - 4 * Double($0) }
    for file in ["all.\(ending)", "back.wav"] {
      let found = try levels(of: file, studio)
      #expect(found.count == channels, "\(file): \(found)")
      for (level, wanted) in zip(found, expected) {
        #expect(abs(level - wanted) < 2, "\(file): \(found)")
      }
    }
  }

  @Test("Opus is refused for six channels, because one of them would lose its high sounds")
  func refused() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      "$recorder start -d test:tone -c 6 a.opus; echo code $?; ls *.opus")
    #expect(outcome.output.hasPrefix("code 64\n"), "\(outcome)")
    #expect(outcome.errors.contains("FLAC, which stores up to eight"), "\(outcome)")
    let chosen = try studio.run("$recorder start -d test:tone --select 1,2,3,4,5,6 a.opus")
    #expect(
      chosen.code == 64 && chosen.errors.contains("Opus cannot store 6 channels"), "\(chosen)")
    #expect(try studio.run("$recorder start -d test:tone -c 5 --duration 0.3 b.opus").code == 0)
    try studio.run("$recorder wait")
    let kept = try levels(of: "b.opus", studio)
    #expect(kept.count == 5 && kept.allSatisfy { abs($0 + 23) < 1 }, "\(kept)")
  }

  /// Returns the level of each channel in dB, decoded by ffmpeg.
  private func levels(of file: String, _ studio: Studio) throws -> [Double] {
    try studio.run(
      """
      ffmpeg -nostdin -hide_banner -i \(file) -af astats=measure_overall=none:measure_perchannel=RMS_level \
        -f null - 2>&1 | sed -n 's/.*RMS level dB: //p'
      """
    ).output.split(separator: "\n").compactMap { Double($0) }
  }
}
