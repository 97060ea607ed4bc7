import Foundation
import Support
import Testing

@Suite("Sound files that end early or have bytes after their end", .timeLimit(.minutes(10)))
struct CutShortTests {
  let theatre: Theatre

  init() throws { theatre = try Theatre() }

  private static let frames = 100_800
  private static let formats = ["wav", "w64", "aiff", "au", "caf", "flac", "ogg", "opus", "mp3"]

  /// Writes 2.1 s of a tone in a format, and three variants: without the last byte, without the
  /// second half, and with 777 extra bytes at the end.
  private func make(_ format: String) throws {
    let made = try theatre.run(
      """
      # Short pages, so that half a file has some.
      case \(format) in ogg | opus) options='-page_duration 200000' ;; esac
      ffmpeg -v error -f lavfi -i sine=440:d=2.1:r=48000 -ac 2 $options whole.\(format) || exit
      size=$(stat -c %s whole.\(format)); head -c $((size - 1)) whole.\(format) > one.\(format)
      head -c $((size / 2)) whole.\(format) > half.\(format)
      { cat whole.\(format); head -c 777 /dev/zero | tr '\\0' '\\201'; } > long.\(format)
      """)
    #expect(made.code == 0, "\(made)")
  }

  /// Returns the facts that `info --json` reports about a file.
  private func info(_ name: String) throws -> [String: Any] {
    let outcome = try theatre.run("\"$recorder\" info --json \(name)")
    #expect(outcome.code == 0 && outcome.errors == "", "\(name): \(outcome)")
    return try #require((parsed(outcome.output)["files"] as? [[String: Any]])?.first)
  }

  /// Expects exit code 0 and one warning that contains these words.
  private func expectWarning(
    _ outcome: Outcome, about name: String, _ words: String,
    _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(outcome.code == 0, "\(name): \(outcome)", sourceLocation: location)
    let isOne =
      outcome.errors.split(separator: "\n").count == 1
      && outcome.errors.hasPrefix("recorder: warning: \"") && outcome.errors.contains(name)
      && outcome.errors.contains(words)
    #expect(isOne, "\(name): \(outcome.errors)", sourceLocation: location)
  }

  /// Expects that a play and an export warn in these words, and that the export has all the frames.
  private func expectUse(_ name: String, frames: Int, _ words: String) throws {
    expectWarning(try theatre.run("play ./\(name)"), about: name, words)
    expectWarning(try theatre.run("play --detach ./\(name)"), about: name, words)
    expectWarning(
      try theatre.run(
        "rm -f out.wav; \"$recorder\" export -q ./\(name) q.wav && rm q.wav;"
          + "\"$recorder\" export ./\(name) out.wav > said"), about: name, words)
    #expect(try theatre.run("soxi -s out.wav").output == "\(frames)\n", "\(name)")
  }

  @Test(
    "A file that ends early is played, described and exported as far as it goes",
    .requires(tool: "ffmpeg"), arguments: formats, ["one", "half"])
  func cut(format: String, part: String) throws {
    try make(format)
    let name = "\(part).\(format)"
    let whole = try #require(info("whole.\(format)")["frames"] as? Int)
    let facts = try info(name)
    let frames = try #require(facts["frames"] as? Int)
    #expect(frames > 0 && frames < whole, "\(name): \(frames) of \(whole)")
    let flaw = try #require(facts["flaw"] as? [String: Any], "\(name): \(facts)")
    #expect(flaw["cutShort"] as? Bool == true && flaw["frames"] as? Int == frames, "\(flaw)")
    #expect(flaw["trailingBytes"] as? Int == 0, "\(flaw)")
    // Ogg files do not state their length.
    let stated = format == "ogg" || format == "opus" ? nil : whole
    #expect(flaw["statedFrames"] as? Int == stated, "\(name): \(flaw)")
    #expect(flaw["missingFrames"] as? Int == stated.map { $0 - frames }, "\(name): \(flaw)")
    let count = stated.map { "\(frames) of \($0) frames" } ?? "\(frames) frames"
    #expect(
      try theatre.run("\"$recorder\" info \(name)").output.contains(
        "  Flaw       cut short: it has \(count)\n"))
    try expectUse(name, frames: frames, "is cut short: it has \(count); ")
  }

  @Test(
    "All of a file is played, described and exported that has other bytes after its end",
    .requires(tool: "ffmpeg"), arguments: formats)
  func trailing(format: String) throws {
    try make(format)
    #expect(try info("whole.\(format)")["flaw"] is NSNull)
    let whole = try #require(info("whole.\(format)")["frames"] as? Int)
    let facts = try info("long.\(format)")
    #expect(facts["frames"] as? Int == whole)
    let flaw = try #require(facts["flaw"] as? [String: Any], "\(facts)")
    #expect(flaw["cutShort"] as? Bool == false && flaw["trailingBytes"] as? Int == 777, "\(flaw)")
    try expectUse(
      "long.\(format)", frames: whole,
      "has 777 extra bytes at its end; all \(whole) frames are complete; ")
  }

  @Test(
    "A file without a frame is an error", .requires(tool: "ffmpeg"),
    arguments: formats)
  func nothing(format: String) throws {
    try make(format)
    let outcome = try theatre.run(
      """
      head -c 20 whole.\(format) > a.\(format)
      { play ./a.\(format); echo $?; "$recorder" info a.\(format); echo $?
        "$recorder" export a.\(format) b.wav; echo $?; } 2> errors
      grep -cv '^recorder: cannot read' errors; ls b.wav
      """)
    #expect(outcome.output == "16\n16\n16\n0\n", "\(outcome)")
  }

  @Test("A long file that is cut short is played up to its end", .requires(tool: "ffmpeg"))
  func long() throws {
    for format in ["wav", "flac"] {
      let outcome = try theatre.run(
        """
        ffmpeg -v error -f lavfi -i sine=440:d=40 -ar 8000 -bitexact long.\(format)
        size=$(stat -c %s long.\(format)); head -c $((size * 9 / 10)) long.\(format) > torn.\(format)
        play --detach ./torn.\(format) && sound seek torn.\(format) 35.5 && sound status > status
        await '! sound status | grep -q playing'; sound stop
        """)
      #expect(outcome.code == 0 && outcome.errors.contains("is cut short: "), "\(outcome)")
      #expect(!outcome.errors.contains("cannot"), "\(outcome)")
    }
  }

  @Test("A sound that is cut short is added with a warning, and its plays warn as well")
  func added() throws {
    try theatre.ramp("torn.wav", frames: 480)
    try theatre.run("truncate -s -1 torn.wav")
    let words = "is cut short: it has 479 of 480 frames; "
    expectWarning(try theatre.run("sound add torn.wav > said"), about: "torn.wav", words)
    expectWarning(try theatre.run("play torn"), about: "\"torn\"", words)
    #expect(
      try theatre.run("sound info torn").output.contains("cut short: it has 479 of 480 frames"))
  }

  @Test("A picture of a file that is cut short shows the existing frames, with a warning")
  func pictures() throws {
    try theatre.ramp("torn.wav", frames: 48_000)
    try theatre.run("truncate -s -1 torn.wav")
    expectWarning(
      try theatre.run("\"$recorder\" show torn.wav > said"), about: "torn.wav", "47999 of 48000")
  }

  @Test("The JSON of a play has the number of missing frames")
  func json() throws {
    try theatre.ramp("torn.wav", frames: 480)
    let outcome = try theatre.run("truncate -s -1 torn.wav; play --json -q ./torn.wav")
    #expect(outcome.code == 0 && outcome.errors == "", "\(outcome)")
    let sound = try #require((parsed(outcome.output)["sounds"] as? [[String: Any]])?.first)
    #expect((sound["flaw"] as? [String: Any])?["missingFrames"] as? Int == 1, "\(sound)")
  }
}

@Suite("recover for WAV files of other programs", .timeLimit(.minutes(10)))
struct FileRepairTests {
  let theatre: Theatre

  init() throws { theatre = try Theatre() }

  private static let kinds = [
    "-c:a pcm_s16le -ac 2", "-c:a pcm_u8 -ac 1", "-c:a pcm_s24le -ac 6", "-c:a pcm_f32le -ac 2",
    "-c:a pcm_alaw -ac 1", "-c:a adpcm_ms -ac 2", "-c:a pcm_s16le -ac 2 -rf64 always",
  ]

  /// Commands that damage a file.
  private static let damages = [
    "truncate -s -1 a.wav", "truncate -s $(($(stat -c %s a.wav) / 2)) a.wav",
    "head -c 777 /dev/zero | tr '\\0' '\\201' >> a.wav",
  ]

  @Test(
    "The copy states its real length, and other programs read it without complaint",
    .requires(tool: "ffmpeg"), arguments: kinds, damages)
  func copies(kind: String, damage: String) throws {
    let outcome = try theatre.run(
      """
      ffmpeg -v error -f lavfi -i sine=440:d=1.1:r=44100 \(kind) -metadata title=Talk a.wav || exit
      cp a.wav whole.wav; \(damage); cp a.wav before.wav; "$recorder" recover a.wav > said || exit
      cmp a.wav before.wav || exit; ffmpeg -v error -i a-recovered.wav -f null - || exit
      sndfile-info a-recovered.wav |
        grep -e '^RIFF.*should be' -e 'does not match' -e '^ *data.*should be' -e rror -e Unknown -e 'Exceeded'
      case '\(kind)' in *rf64*) ;; *) sox -V1 a-recovered.wav -n || exit ;; esac
      ffmpeg -v error -i a-recovered.wav -f s32le copy.raw &&
        ffmpeg -v error -i whole.wav -f s32le whole.raw && cat said
      "$recorder" info --json a-recovered.wav | grep -c '"flaw":null'
      """)
    let lines = outcome.output.split(separator: "\n")
    #expect(outcome.code == 0 && outcome.errors == "" && lines.count >= 4, "\(outcome)")
    #expect(lines.first == "Repaired a.wav as a-recovered.wav" && lines.last == "1", "\(outcome)")
    let (copy, whole) = (
      try theatre.scratch.read("copy.raw"), try theatre.scratch.read("whole.raw")
    )
    #expect(!copy.isEmpty && whole.starts(with: copy))
    if damage.contains("head") { #expect(copy.count == whole.count) }
    if damage.contains("-1") { #expect(whole.count - copy.count < 10_000) }
  }

  @Test("recover replaces no file, and copies no intact file and no other format")
  func names() throws {
    try theatre.ramp("a.wav", frames: 48_000)
    let outcome = try theatre.run(
      """
      "$recorder" recover a.wav; echo $?; truncate -s -1 a.wav; echo mine > a-recovered.wav
      mkdir sub; cd sub; "$recorder" recover ../a.wav; "$recorder" recover --list ../a.wav; cd ..
      "$recorder" recover a-recovered-002.wav; echo $?
      cat a-recovered.wav; sox a-recovered-002.wav -c 1 b.flac; truncate -s -1 b.flac
      "$recorder" recover b.flac; echo $?; echo text > c.wav; "$recorder" recover c.wav; echo $?; ls
      """)
    #expect(
      outcome.output == """
        10
        Repaired ../a.wav as ../a-recovered-002.wav
          Length  0:00.999 (47999 frames)
          Flaw    cut short: it has 47999 of 48000 frames
        ../a.wav can be repaired
          Length  0:00.999 (47999 frames)
          Flaw    cut short: it has 47999 of 48000 frames
        10
        mine
        16
        16
        a-recovered-002.wav
        a-recovered.wav
        a.wav
        b.flac
        c.wav
        run
        sub

        """, "\(outcome)")
    #expect(outcome.errors.contains("\"a.wav\" is complete"))
    #expect(outcome.errors.contains("only WAV files can be repaired"))
    #expect(outcome.errors.contains("recorder export b.flac NEW-FILE"))
  }

  @Test("A file of 4 GiB without a length can be repaired; with a wrong length, no command says so")
  func large() throws {
    let outcome = try theatre.run(
      """
      wave() {
        printf 'RIFF\\377\\377\\377\\377WAVEfmt \\20\\0\\0\\0\\1\\0\\1\\0'
        printf '\\200\\273\\0\\0\\0\\167\\1\\0\\2\\0\\20\\0data%b' "$1"
      }
      wave '\\0377\\0377\\0377\\0377' > a.wav; truncate -s 5G a.wav
      "$recorder" recover --list a.wav; echo $?
      wave '\\0333\\0377\\0377\\0377' > b.wav; truncate -s 4294971392 b.wav; printf xx >> b.wav
      "$recorder" recover b.wav; echo $?; "$recorder" info --json b.wav | grep -o '"repairable":[a-z]*'
      ls *.wav
      """)
    #expect(
      outcome.output == """
        a.wav can be repaired
          Length  15:32:04.052 (2684354538 frames)
          Flaw    its header did not state its length
        0
        16
        "repairable":false
        a.wav
        b.wav

        """, "\(outcome)")
    #expect(
      outcome.errors.contains("too large for the size fields of its WAV header"), "\(outcome)")
    #expect(outcome.errors.contains("recorder export b.wav NEW-FILE"), "\(outcome)")
  }

  @Test("A WAV file with right sizes, whose compressed audio ends early, is not called complete")
  func endsInside() throws {
    try theatre.ramp("a.wav", frames: 48_000)
    let outcome = try theatre.run(
      """
      ffmpeg -loglevel error -i a.wav -c:a libmp3lame a.mp3
      python3 - <<'END'
      import struct
      sound = open('a.mp3', 'rb').read()
      sound = sound[sound.index(b'\\xff\\xfb'):-500]
      form = struct.pack('<HHIIHHHHIHHH', 0x55, 2, 48000, 16000, 1, 0, 12, 1, 2, 384, 1, 1393)
      chunks = b'fmt ' + struct.pack('<I', len(form)) + form
      chunks += b'data' + struct.pack('<I', len(sound)) + sound
      open('m.wav', 'wb').write(b'RIFF' + struct.pack('<I', len(chunks) + 4) + b'WAVE' + chunks)
      END
      "$recorder" recover m.wav; echo $?; ls m*
      "$recorder" info --json m.wav | grep -o '"repairable":[a-z]*'
      """)
    #expect(outcome.output == "16\nm.wav\n\"repairable\":false\n", "\(outcome)")
    #expect(outcome.errors.contains("its compressed audio ends early"), "\(outcome)")
    #expect(outcome.errors.contains("recorder export m.wav NEW-FILE"), "\(outcome)")
  }

  @Test("The JSON has the path of the copy and the number of missing frames")
  func json() throws {
    try theatre.ramp("a.wav", frames: 480)
    let outcome = try theatre.run("truncate -s -1 a.wav; \"$recorder\" recover --json a.wav")
    let repaired = try #require(
      (parsed(outcome.output)["repaired"] as? [[String: Any]])?.first, "\(outcome)")
    #expect(outcome.code == 0 && repaired["path"] as? String == "a-recovered.wav", "\(repaired)")
    #expect(repaired["source"] as? String == "a.wav" && repaired["frames"] as? Int == 479)
    #expect((repaired["flaw"] as? [String: Any])?["missingFrames"] as? Int == 1)
  }

  @Test(
    "A file whose writer could not state its length gets a copy that does",
    .requires(tool: "ffmpeg"))
  func streamed() throws {
    let outcome = try theatre.run(
      """
      ffmpeg -v error -f lavfi -i sine=440:d=1 -f wav - > a.wav; "$recorder" recover a.wav > said
      ffmpeg -v error -i a-recovered.wav -f null -; soxi -s a-recovered.wav; cat said
      """)
    #expect(outcome.errors == "" && outcome.output.hasPrefix("44100\nRepaired a.wav"), "\(outcome)")
    #expect(outcome.output.hasSuffix("its header did not state its length\n"), "\(outcome)")
  }
}
