import Foundation
import Support
import Testing

@Suite("Formats of sound files", .timeLimit(.minutes(10)))
struct FormatTests {
  private static let frames = 4_800

  /// Plays files one after the other into a tape, and returns the samples of each.
  private func play(
    _ names: [String], _ theatre: Theatre
  ) throws -> [(left: [Float], right: [Float])] {
    try theatre.useTape()
    try Heard.writeMark(in: theatre)
    let list = names.map { "'./\($0)' ./mark.wav" }.joined(separator: " ")
    let outcome = try theatre.run(
      "export ALSA_CONFIG_PATH=\"$HOME/asound.conf\" device=tape\nplay ./mark.wav \(list)\ntaped\n",
      limit: .seconds(120))
    let errors = outcome.errors.split(separator: "\n").filter { !$0.contains("at its end; all") }
    #expect(outcome.code == 0 && errors.isEmpty, "\(outcome)")
    theatre.endPlayer()
    let heard = try Heard(theatre).sounds
    try #require(heard.count == names.count)
    return heard
  }

  /// Returns a short description of how a sound differs from the signal, or nil if it does not.
  private func flaw(
    _ heard: (left: [Float], right: [Float]), channels: Int, isLossless: Bool,
    frames: Int = Self.frames, slack: Int = 600, shift: Int = 24
  ) -> String? {
    let signal = Specimen.signal(frames: Self.frames, channels: channels)
    for (channel, sound) in [heard.left, heard.right].enumerated() {
      let source = stride(from: min(channel, channels - 1), to: signal.count, by: channels)
      let expected = source.map { Float(signal[$0]) / 32_768 }
      if isLossless {
        if sound != expected { return "channel \(channel) is not the same" }
        continue
      }
      guard abs(sound.count - frames) <= slack else { return "\(sound.count) frames" }
      let likeness = Heard.likeness(sound, expected, within: shift)
      if likeness < 0.9 { return "channel \(channel) is alike by \(likeness)" }
    }
    return nil
  }

  /// Formats that cannot be recognized: they have no header, one of two bytes, or one in another
  /// file.
  private static let untold = ["RAW (header-less)", "HTK", "MPC (Akai", "SD2 (Sound"]

  @Test("Each format and encoding that libsndfile writes is played correctly")
  func formats() throws {
    let theatre = try Theatre()
    let all = Specimen.all(in: theatre.scratch.path, frames: Self.frames)
    let told = all.filter { one in !Self.untold.contains { one.kind.hasPrefix($0) } }
    #expect(told.count >= 115 && all.count - told.count >= 18, "\(told.count) of \(all.count)")
    let heard = try play(told.map(\.name), theatre)
    for (specimen, sound) in zip(told, heard) {
      let frames = specimen.frames * 48_000 / specimen.rate
      guard specimen.rate == 48_000 else {
        // Formats with other rates are resampled, so only their length is compared.
        #expect(abs(sound.left.count - frames) < 300, "\(specimen.kind)")
        continue
      }
      let flaw = flaw(
        sound, channels: specimen.channels, isLossless: specimen.isLossless, frames: frames)
      #expect(flaw == nil, "\(specimen.kind): \(flaw ?? "")")
    }
  }

  @Test("Formats that cannot be recognized are refused, and play if options describe them")
  func untold() throws {
    let theatre = try Theatre()
    let all = Specimen.all(in: theatre.scratch.path, frames: Self.frames)
    let untold = all.filter { one in Self.untold.contains { one.kind.hasPrefix($0) } }
    for specimen in untold {
      let outcome = try theatre.run("play './\(specimen.name)'")
      #expect(outcome.code == 16 && outcome.errors.contains("known format"), "\(specimen.kind)")
    }
    let raw = "raw-header-less-signed-16-bit-pcm.raw"
    #expect(try theatre.run("play - --rate 48000 --channels 2 --bits 16 < \(raw)").code == 0)
  }

  @Test("WAV files play despite the additional chunks of other programs")
  func chunks() throws {
    let theatre = try Theatre()
    let samples = Specimen.signal(frames: Self.frames, channels: 2)
    let files = Self.strangeWaves(WaveBytes.bytes(samples))
    for (name, bytes) in files {
      try Data(bytes).write(to: URL(filePath: theatre.scratch.path("\(name).wav")))
    }
    let heard = try play(files.map { "\($0.0).wav" }, theatre)
    for (file, sound) in zip(files, heard) {
      let flaw = flaw(sound, channels: 2, isLossless: true)
      #expect(flaw == nil, "\(file.0): \(flaw ?? "")")
    }
  }

  private static func strangeWaves(_ samples: [UInt8]) -> [(String, [UInt8])] {
    let format = WaveBytes.format(channels: 2)
    let list = Array("INFOISFT".utf8) + WaveBytes.little(5, 4) + Array("Lavf\0\0".utf8)
    let odd = Array("an odd text".utf8)
    let sizes = [0, 0xFFFF_FFFF, 0x7FFF_F000, 0x7FFF_FFFF, 0x8000_0000]
    func wave(_ make: (inout WaveBytes) -> Void) -> [UInt8] { WaveBytes.file(make) }
    return [
      (
        "list-before",
        wave {
          $0.chunk("fmt ", format); $0.chunk("LIST", list); $0.chunk("data", samples)
        }
      ),
      (
        "odd-before",
        wave {
          $0.chunk("fmt ", format); $0.chunk("note", odd); $0.chunk("data", samples)
        }
      ),
      (
        "odd-after",
        wave {
          $0.chunk("fmt ", format); $0.chunk("data", samples); $0.chunk("note", odd)
        }
      ),
      (
        "junk-first",
        wave {
          $0.chunk("JUNK", [UInt8](repeating: 0, count: 4_064)); $0.chunk("fmt ", format);
          $0.chunk("data", samples)
        }
      ),
      (
        "bext",
        wave {
          $0.chunk("bext", [UInt8](repeating: 0x41, count: 602)); $0.chunk("fmt ", format);
          $0.chunk("data", samples)
        }
      ),
      (
        "extensible",
        wave {
          $0.chunk("fmt ", WaveBytes.format(channels: 2, isExtensible: true));
          $0.chunk("data", samples)
        }
      ),
      (
        "format-18",
        wave {
          $0.chunk("fmt ", format + [0, 0]); $0.chunk("data", samples)
        }
      ),
      (
        "riff-size-0",
        WaveBytes.file(size: 0) {
          $0.chunk("fmt ", format); $0.chunk("data", samples)
        }
      ),
      (
        "other-rubbish",
        wave {
          $0.chunk("fmt ", format); $0.chunk("data", samples)
        } + [1, 2, 3]
      ),
    ]
      + sizes.map { size in
        (
          "size-\(String(size, radix: 16))",
          WaveBytes.file(size: size) {
            $0.chunk("fmt ", format); $0.chunk("data", samples, size: size)
          }
        )
      }
  }

  /// The file and the command of each encoder. A `.` after the name means that every sample stays
  /// the same.
  private static let encoders = [
    ("a.mp3", "ffmpeg -v error -i in.wav -b:a 192k a.mp3"),
    ("v.mp3", "ffmpeg -v error -i in.wav -q:a 2 -metadata title=x -id3v2_version 3 v.mp3"),
    ("q.mp3", "ffmpeg -v error -i in.wav -b:a 192k -write_xing 0 -id3v2_version 0 q.mp3"),
    ("a.ogg", "ffmpeg -v error -i in.wav -c:a libvorbis -q:a 6 a.ogg"),
    ("s.ogg", "sox in.wav s.ogg"),
    ("a.opus", "ffmpeg -v error -i in.wav -c:a libopus -b:a 192k a.opus"),
    ("t.opus", "opusenc --quiet --bitrate 192 in.wav t.opus"),
    ("a.flac.", "ffmpeg -v error -i in.wav a.flac"),
    ("p.flac.", "ffmpeg -v error -i in.wav -f flac - | cat > p.flac"),
    ("f.flac.", "flac --silent -8 in.wav -o f.flac"),
    ("b.wav.", "ffmpeg -v error -i in.wav -write_bext 1 -metadata description=x b.wav"),
    ("r.wav.", "ffmpeg -v error -i in.wav -rf64 always r.wav"),
    ("m.wav", "ffmpeg -v error -i in.wav -c:a adpcm_ms m.wav"),
    ("i.wav", "ffmpeg -v error -i in.wav -c:a adpcm_ima_wav i.wav"),
    ("p64.wav.", "ffmpeg -v error -i in.wav -f wav -rf64 always - | cat > p64.wav"),
    ("pc.caf.", "ffmpeg -v error -i in.wav -f caf - | cat > pc.caf"),
    ("w.w64.", "ffmpeg -v error -i in.wav w.w64"),
    ("c.caf.", "ffmpeg -v error -i in.wav c.caf"),
    ("a.aiff.", "ffmpeg -v error -i in.wav a.aiff"),
    ("a.au.", "ffmpeg -v error -i in.wav a.au"),
    ("pw.wav.", "ffmpeg -v error -i in.wav -f wav - | cat > pw.wav"),
    ("pa.au.", "ffmpeg -v error -i in.wav -f au - | cat > pa.au"),
    ("pi.aiff.", "ffmpeg -v error -i in.wav -f aiff - | cat > pi.aiff"),
    ("p6.w64.", "ffmpeg -v error -i in.wav -f w64 - | cat > p6.w64"),
    ("sp.wav.", "sox -V1 in.wav -t wav - | cat > sp.wav"),
    ("sa.aiff.", "sox -V1 in.wav -t aiff - | cat > sa.aiff"),
    ("su.au.", "sox -V1 in.wav -t au - | cat > su.au"),
    ("s8.voc", "sox -V1 in.wav -b 16 s8.voc"),
    (
      "py.wav.",
      "python3 -c 'import wave; i = wave.open(\"in.wav\"); o = wave.open(\"py.wav\", \"wb\");"
        + " o.setparams(i.getparams()); o.writeframes(i.readframes(9999))'"
    ),
  ]

  @Test("Files that other programs encode are played, including those written to a pipe")
  func encoders() throws {
    let theatre = try Theatre()
    let samples = Specimen.signal(frames: Self.frames, channels: 2)
    try Data(WaveBytes.file(samples, channels: 2))
      .write(to: URL(filePath: theatre.scratch.path("in.wav")))
    let script = Self.encoders.map(\.1).joined(separator: "\n")
    let made = try theatre.run("set -e\n\(script)", limit: .seconds(120))
    #expect(made.code == 0, "\(made)")
    let names = Self.encoders.map { $0.0.hasSuffix(".") ? String($0.0.dropLast()) : $0.0 }
    let heard = try play(names, theatre)
    for (encoder, sound) in zip(Self.encoders, heard) {
      let isLossless = encoder.0.hasSuffix(".")
      // An MP3 file that does not state the delay of its encoder begins with that delay.
      let isDelayed = encoder.0 == "q.mp3"
      let flaw = flaw(
        sound, channels: 2, isLossless: isLossless, slack: isDelayed ? 3_000 : 1_200,
        shift: isDelayed ? 1_300 : 24)
      #expect(flaw == nil, "\(encoder.0): \(flaw ?? "")")
    }
  }

  @Test("The sound of a speech synthesizer plays from a pipe")
  func synthesiser() throws {
    let theatre = try Theatre()
    let outcome = try theatre.run("espeak-ng --stdout hello | play - --json")
    #expect(outcome.code == 0 && outcome.output.contains("ended"), "\(outcome)")
  }
}
