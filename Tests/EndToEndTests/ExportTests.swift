import Foundation
import Support
import Testing

@Suite("Exporting a take", .timeLimit(.minutes(10)))
struct ExportTests {
  /// Makes `talk.ENDING`, a stereo sound of four seconds at 48 kHz that differs in every frame, and
  /// returns its name.
  private func talk(_ studio: Studio, _ ending: String, _ arguments: String = "-b 24") throws
    -> String
  {
    let made = try studio.run(
      "sox -D -R -n -r 48000 -c 2 \(arguments) 'talk.\(ending)' synth 4 whitenoise sine 300 gain -6"
    )
    #expect(made.code == 0, "\(made.errors)")
    return "talk.\(ending)"
  }

  /// Records a take of the ramp with two marks.
  private func marked(_ studio: Studio, _ name: String) throws {
    let outcome = try studio.run(
      """
      start -q '\(name)' > start.txt && captured +0.2 && "$recorder" mark 'one two' && captured +0.2 &&
      "$recorder" mark 'drei' && captured +0.2 && "$recorder" stop > stop.txt
      """)
    #expect(outcome.code == 0, "\(outcome.errors)")
  }

  /// Returns the samples as 32-bit numbers, read by sox.
  private func samples(_ studio: Studio, _ name: String) throws -> [UInt8] {
    let outcome = try studio.run("sox '\(name)' -t raw -e signed -b 32 samples.raw")
    #expect(outcome.code == 0, "\(outcome.errors)")
    return try studio.scratch.read("samples.raw")
  }

  @Test(
    "A cut keeps every sample as it is",
    arguments: [
      ("wav", "-b 16", "wav"), ("wav", "-b 24", "flac"), ("wav", "-b 32", "wav"),
      ("wav", "-e float -b 32", "wav"), ("flac", "-b 24", "flac"), ("flac", "-b 16", "aiff"),
      ("wav", "-b 24", "caf"), ("wav", "-b 16", "w64"), ("wav", "-b 24", "aiff"),
    ])
  func exact(source: String, form: String, ending: String) throws {
    let studio = try Studio()
    let name = try talk(studio, source, form)
    let outcome = try studio.run(
      "\"$recorder\" export --from 1.00001 --to 0:02.5 \(name) cut.\(ending)")
    #expect(outcome.code == 0 && outcome.errors == "", "\(outcome.errors)")
    #expect(outcome.output.hasPrefix("Saved cut.\(ending)  0:01.5"))
    let (whole, cut) = (try samples(studio, name), try samples(studio, "cut.\(ending)"))
    // 1.00001 s are 48,000.48 frames.
    #expect(cut.elementsEqual(whole[(48_000 * 8)..<(120_000 * 8)]), "\(cut.count)")
  }

  @Test(
    "Every format is a file that other programs open, with the length that was asked for",
    arguments: ["wav", "flac", "ogg", "opus", "mp3", "aiff", "caf", "w64"])
  func formats(ending: String) throws {
    let studio = try Studio()
    let name = try talk(studio, "wav")
    let json = try studio.json("export --from 1 --to 3 \(name) out.\(ending)")
    let file = try #require((json["files"] as? [[String: Any]])?.first)
    #expect(file["path"] as? String == "out.\(ending)" && file["duration"] as? Double == 2)
    let decoded = try studio.run(
      """
      ffmpeg -v error -i out.\(ending) -f s16le -ar 48000 -ac 2 out.raw && stat -c %s out.raw
      [ \(ending) = opus ] || sox out.\(ending) -n stat 2> /dev/null; echo $?
      """)
    #expect(decoded.errors == "")
    let numbers = decoded.output.split(separator: "\n").compactMap { Int($0) }
    let frames = (numbers.first ?? 0) / 4
    // MP3 decoders leave the delay of the encoder, which is up to two MP3 frames.
    #expect(abs(frames - 96_000) <= (ending == "mp3" ? 2_400 : 0), "\(decoded.output)")
    #expect(numbers.last == 0)
    #expect(file["bytes"] as? Int == (try studio.scratch.read("out.\(ending)").count))
  }

  @Test(
    "Parts that are cut at marks are the whole, one behind the other", arguments: ["wav", "flac"])
  func pieces(ending: String) throws {
    let studio = try Studio()
    try marked(studio, "talk.\(ending)")
    let outcome = try studio.run(
      "\"$recorder\" export --at-marks @1 'my part.\(ending)'")
    #expect(outcome.code == 0, "\(outcome.errors)")
    let names = ["my part-001", "my part-002", "my part-003"].map { "\($0).\(ending)" }
    #expect(
      outcome.output.split(separator: "\n").map { $0.contains("Saved my part-00") } == [
        true, true, true,
      ])
    let parts = try names.map { try studio.ramp32($0) }
    #expect(parts.flatMap(\.self) == (try studio.ramp32("talk.\(ending)")))
    #expect(parts.allSatisfy { $0.count > 4_800 })
    let second = try studio.run("\"$recorder\" info '\(names[1])'")
    #expect(second.output.contains("Title") && second.output.contains("one two"))
  }

  @Test("An export does not cut at a pause", arguments: ["wav", "flac"])
  func paused(ending: String) throws {
    let outcome = try Studio().run(
      """
      start a.\(ending) > said; captured 0.1; "$recorder" mark one > said; captured +0.1
      "$recorder" pause > said; "$recorder" resume > said; captured +0.1; "$recorder" stop > said
      "$recorder" export --at-marks a.\(ending) part.\(ending) > said; ls part*
      """)
    #expect(outcome.output == "part-001.\(ending)\npart-002.\(ending)\n", "\(outcome)")
  }

  @Test(
    "Marks, title and date survive where the format can hold them",
    arguments: [
      ("talk.wav", "aiff"), ("talk.flac", "wav"), ("talk.flac", "flac"), ("talk.wav", "ogg"),
      ("talk.flac", "opus"), ("talk.opus", "ogg"),
    ])
  func marks(source: String, ending: String) throws {
    let studio = try Studio()
    try marked(studio, source)
    let json = try studio.json("export \(source) out.\(ending)")
    #expect(((json["files"] as? [[String: Any]])?.first)?["marks"] as? Int == 2)
    let info = try #require(
      (try studio.json("info out.\(ending)")["files"] as? [[String: Any]])?.first)
    let cues = try #require(info["marks"] as? [[String: Any]])
    #expect(cues.compactMap { $0["label"] as? String } == ["one two", "drei"])
    let times = cues.compactMap { $0["time"] as? Double }
    #expect(
      zip(times, times.dropFirst()).allSatisfy { $1 - $0 > 0.15 } && (times.first ?? 0) > 0.15)
    if ending != "aiff" {
      #expect((info["tags"] as? [String: Any])?["date"] != nil, "\(info)")
    }
    guard ["flac", "ogg", "opus"].contains(ending) else { return }
    let probe = try studio.run("ffprobe -v error -show_chapters -of json out.\(ending)")
    let chapters = try #require(try parsed(probe.output)["chapters"] as? [[String: Any]])
    #expect(
      chapters.compactMap { ($0["tags"] as? [String: Any])?["title"] as? String }
        == ["one two", "drei"])
    for (chapter, time) in zip(chapters, times) {
      let start = Double(chapter["start_time"] as? String ?? "") ?? -1
      #expect(abs(start - time) < 0.002)
    }
  }

  @Test("A note counts the marks that the format cannot hold")
  func lostMarks() throws {
    let studio = try Studio()
    try marked(studio, "talk.wav")
    let outcome = try studio.run("\"$recorder\" export talk.wav talk.mp3")
    #expect(outcome.code == 0)
    #expect(outcome.errors.hasPrefix("recorder: MP3 files cannot store marks: 2 marks left out\n"))
  }

  @Test("A pause is kept in a WAV file, but not counted as a mark")
  func pause() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start talk.wav > said; captured 0.2; "$recorder" mark one > said; "$recorder" pause > said
      moment 0.2; "$recorder" resume > said; captured +0.2; "$recorder" stop > said
      for out in a.wav a.mp3; do "$recorder" export talk.wav $out; done; "$recorder" info a.wav
      """)
    #expect(outcome.code == 0 && outcome.output.contains("paused for "), "\(outcome)")
    #expect(outcome.output.contains(", 1 mark\n"), "\(outcome)")
    #expect(outcome.errors.contains("cannot store marks: 1 mark left out"), "\(outcome)")
  }

  @Test("A rate that the format does not have is raised, and a note says so")
  func raisedRate() throws {
    let studio = try Studio()
    let name = try talk(studio, "wav")
    let outcome = try studio.run("\"$recorder\" export --json --rate 44100 \(name) out.opus")
    #expect(outcome.code == 0, "\(outcome)")
    #expect(try parsed(outcome.output)["rate"] as? Int == 48_000, "\(outcome)")
    let note = "Opus files do not support 44100 Hz, so the file has 48000 Hz"
    #expect(outcome.errors.contains(note), "\(outcome)")
  }

  @Test("A directory of OUT that does not exist is created")
  func directory() throws {
    let studio = try Studio()
    try marked(studio, "talk.wav")
    let outcome = try studio.run(
      """
      "$recorder" export talk.wav new/of/talk.flac > said &&
      "$recorder" export --at-marks talk.wav more/a.wav > said; code=$?
      "$recorder" export none.wav gone/a.wav; ls -d new/of/* more/* gone; exit $code
      """)
    let files = "more/a-001.wav\nmore/a-002.wav\nmore/a-003.wav\nnew/of/talk.flac\n"
    #expect(outcome.code == 0 && outcome.output == files, "\(outcome)")
    for name in ["new/of", "more"] {
      #expect(outcome.errors.contains("created the directory \"\(name)\""), "\(outcome)")
    }
    let page = try studio.run(
      """
      "$recorder" show --png art/a.png --page art/a.html talk.wav > said
      "$recorder" show -q --png quiet/a.png talk.wav > said; ls -d art/* quiet/*
      """)
    #expect(page.output == "art/a.html\nart/a.png\nquiet/a.png\n", "\(page)")
    #expect(page.errors == "recorder: created the directory \"art\"\n", "\(page)")
  }

  @Test(
    "An export that is refused says why by its code, and leaves nothing behind",
    arguments: [
      ("talk.wav old.wav", 13, "it already exists"),
      ("talk.wav old.wav/a.wav", 13, "Not a directory"),
      ("--format mp3 talk.wav out.flac", 64, "\".flac\" is not an extension of MP3 files"),
      ("talk.wav out", 64, "has no extension"), ("talk.wav out.m4a", 16, "-i talk.wav out.m4a"),
      ("--from 1 --to 2 talk.wav \"it's.aac\"", 16, "ffmpeg -ss 0:01.000 -to 0:02.000"),
      ("--from 9 talk.wav out.wav", 64, "which lasts 0:04.000"),
      ("--from 2 --to 1 talk.wav out.wav", 64, "not after"),
      ("talk.wva out.wav", 10, "did you mean \"talk.wav\"?"),
      ("none.wav out.wav", 10, "No such file"), ("old.wav out.flac", 16, "text"),
      ("--at-marks talk.wav out.wav", 10, "no marks"), ("--at-marks talk.wav -", 64, "stdout"),
      ("quad.wav out.mp3", 64, "--mono"),
      ("--bits 32 talk.wav out.flac", 64, "--bits"), ("--trim quiet.wav out.wav", 15, "silence"),
      ("torn.wav out.flac", 16, "cut short"), ("broken.flac out.wav", 16, "broken.flac"),
      ("--at-marks marks.wav part.wav", 13, "part-002.wav"),
      ("empty.wav out.flac", 15, "contains no audio"),
      ("empty.wav out.mp3", 15, "contains no audio"),
      ("empty.wav out.ogg", 15, "contains no audio"),
      ("empty.wav out.opus", 15, "contains no audio"),
      ("--normalize 1:2.wav out.m4a", 16, "-i ./1:2.wav -af loudnorm=I=-16.0:TP=-1 out.m4a"),
    ])
  func refusals(arguments: String, code: Int, words: String) throws {
    let studio = try Studio()
    _ = try talk(studio, "wav")
    if arguments.contains("marks.wav") { try marked(studio, "marks.wav") }
    let outcome = try studio.run(
      """
      echo old > old.wav; echo old > part-002.wav
      sox -D -n -r 48000 -c 4 -b 16 quad.wav synth 1 sine 300
      sox -D -n -r 48000 -c 1 -b 16 quiet.wav trim 0 1
      sox -D -n -r 48000 -c 1 -b 16 empty.wav trim 0 0; cp quiet.wav 1:2.wav
      head -c 81 talk.wav > torn.wav; sox -D talk.wav broken.flac
      dd if=/dev/zero of=broken.flac bs=400 seek=400 count=1 conv=notrunc status=none
      ls -A > before; "$recorder" export \(arguments); code=$?; ls -A > after; exit $code
      """)
    #expect(outcome.code == Int32(code), "\(outcome.errors)")
    #expect(
      outcome.errors.hasPrefix("recorder: ") && outcome.errors.contains(words), "\(outcome.errors)")
    let left = try studio.run("diff before after; cat old.wav part-002.wav")
    #expect(
      left.output == "> after\nold\nold\n" || left.output == "1a2\n> after\nold\nold\n"
        || left.output.hasSuffix("old\nold\n") && !left.output.contains("out")
          && !left.output.contains(".tmp"),
      "\(left.output)")
  }

  @Test("A take that is being recorded is refused, with the command that stops it")
  func live() throws {
    let studio = try Studio()
    _ = try studio.start("--name desk talk.wav")
    for path in ["talk.wav", ".talk.wav.part"] {
      let outcome = try studio.run("\"$recorder\" export \(path) out.flac")
      #expect(outcome.code == 11 && outcome.errors.contains("recorder stop"), "\(outcome.errors)")
      let split = "\"recorder split desk\" saves the audio so far"
      #expect(outcome.errors.contains(split), "\(outcome.errors)")
    }
    for command in ["export @talk out.flac", "play @talk.wav --device test:null"] {
      let outcome = try studio.run("\"$recorder\" \(command)")
      let isReported = outcome.errors.contains("is still being recorded")
      #expect(outcome.code == 11 && isReported, "\(outcome)")
    }
    let stop = try studio.run(
      "\"$recorder\" export talk.wav out.flac 2>&1 | sed -n 's/.*\"recorder \\(stop.*\\)\" .*/\\1/p'"
    )
    #expect(try studio.run("\"$recorder\" \(stop.output)").code == 0)
    #expect(try studio.run("\"$recorder\" export -q talk.wav out.flac").code == 0)
  }

  @Test("Thousands of marks with long texts are described, and survive in a WAV file")
  func manyMarks() throws {
    let studio = try Studio()
    let labels = (0..<5_000).map { "\($0) " + String(repeating: "x", count: 250) }
    try studio.run("start -q a.wav && captured 0.2 && \"$recorder\" stop -q > said")
    try studio.addMarks(labels, to: "a.wav")
    let outcome = try studio.run(
      "\"$recorder\" export -q a.wav b.wav > said && \"$recorder\" info b.wav | grep -c Marker")
    #expect(outcome.output == "5000\n", "\(outcome)")
    for name in ["a.wav", "b.wav"] {
      let files = try studio.json("info \(name)")["files"] as? [[String: Any]]
      let marks = files?.first?["marks"] as? [[String: Any]] ?? []
      let areSame = marks.map { $0["label"] as? String ?? "" } == labels
      #expect(areSame, "\(name): \(marks.count) marks")
    }
  }

  @Test("An export to a full disk says so and leaves no file", .requiresNamespaces)
  func full() throws {
    let studio = try Studio()
    _ = try talk(studio, "wav")
    let outcome = try studio.run(
      """
      mkdir disk
      unshare -rm sh -c 'mount -t tmpfs -o size=256k none disk
        "$recorder" export talk.wav disk/a.flac; code=$?; ls -A disk; exit $code'
      """)
    #expect(outcome.code == 13 && outcome.output == "", "\(outcome)")
    #expect(outcome.errors.contains("No space left on device"))
  }

  @Test("An export to stdout names the full directory of its temporary file", .requiresNamespaces)
  func fullTemporary() throws {
    let studio = try Studio()
    _ = try talk(studio, "wav")
    let outcome = try studio.run(
      """
      mkdir disk
      unshare -rm sh -c 'mount -t tmpfs -o size=256k none disk
        TMPDIR=$PWD/disk "$recorder" export talk.wav - > out; code=$?; ls -A disk; exit $code'
      """)
    #expect(outcome.code == 13 && outcome.output == "", "\(outcome)")
    #expect(outcome.errors.contains("/disk\": No space left on device"), "\(outcome)")
  }

  @Test("Ctrl-C ends an export with 130 and leaves no file")
  func interrupted() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      sox -D -R -n -r 48000 -c 8 -b 16 long.wav synth 60 whitenoise
      mkdir out
      "$recorder" export long.wav out/a.flac & process=$!
      await '[ -n "$(ls -A out)" ]'
      kill -INT $process; wait $process; code=$?; ls -A out; exit $code
      """)
    #expect(outcome.code == 130 && outcome.output == "", "\(outcome)")
  }

  @Test("The next export of a name removes the temporary file of a killed one")
  func killed() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      sox -D -R -n -r 48000 -c 8 -b 16 long.wav synth 60 whitenoise
      mkdir out
      "$recorder" export long.wav out/a.flac & process=$!
      await '[ -n "$(ls -A out)" ]'
      kill -KILL $process; wait $process 2> killed.txt
      ls -A out | grep -c '^.a.flac.*tmp$'; touch -d '2 minutes ago' out/.a.flac.*
      "$recorder" export -q --to 1 long.wav out/a.flac > said.txt; ls -A out
      """)
    #expect(outcome.output == "1\na.flac\n", "\(outcome)")
  }

  @Test("An export to a pipe is a WAV file, or has the format that was asked for")
  func pipe() throws {
    let studio = try Studio()
    let name = try talk(studio, "wav", "-b 16")
    let outcome = try studio.run(
      """
      "$recorder" export --from 1 --to 2 \(name) - > out.wav
      "$recorder" export -f flac - - < /dev/null; echo $?
      "$recorder" export -f flac --from 1 --to 2 \(name) - 2> said.txt | flac -d -s -c - > flac.wav
      sox out.wav -t raw a.raw; sox flac.wav -t raw b.raw; cmp a.raw b.raw && stat -c %s a.raw
      """)
    #expect(outcome.output == "10\n192000\n", "\(outcome)")
  }

  @Test("A raw take is read in the format of its recording until the file changes")
  func raw() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start -q --foreground --format raw --rate 16000 --channels 1 --bits 24 --duration 1s a.raw &&
      "$recorder" export @1 a.wav && sox a.wav -t raw -e signed -b 24 b.raw && cmp a.raw b.raw &&
      soxi -r -c -b a.wav; "$recorder" show @1 > shown.txt; echo $?
      "$recorder" sound replay --device test:null ./a.raw > replayed.txt; echo $?
      "$recorder" play --device test:null @1; echo $?; "$recorder" info a.raw > told.txt; echo $?
      echo more >> a.raw; "$recorder" show a.raw 2> refusal.txt; echo $?
      """)
    #expect(outcome.output.hasSuffix("0\n0\n0\n0\n16\n"), "\(outcome)")
    for (name, words) in [
      ("shown.txt", "0:01.000, 16000 Hz, mono"), ("told.txt", "0:01.000 (16000 frames)"),
      ("refusal.txt", "not a sound file of a known format"),
    ] {
      let text = String(decoding: try studio.scratch.read(name), as: UTF8.self)
      #expect(text.contains(words), "\(text)")
    }
  }

  @Test("Silence at both ends is trimmed, and silence in between is kept")
  func trim() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      sox -D -n -r 48000 -c 1 -b 16 tone.wav synth 1 sine 300 pad 2 3
      sox tone.wav tone.wav both.wav; "$recorder" export --trim --json both.wav out.wav
      """)
    let file = try #require((try parsed(outcome.output)["files"] as? [[String: Any]])?.first)
    // Two tones of 1 s with 5 s between them, and 50 ms at each end.
    let duration = try #require(file["duration"] as? Double)
    #expect(abs(duration - 7.1) < 0.002, "\(duration)")
  }

  @Test("Fades begin and end in silence, and change no samples between them")
  func fades() throws {
    let studio = try Studio()
    _ = try talk(studio, "wav", "-b 16")
    #expect(
      try studio.run("\"$recorder\" export --fade-in 1 --fade-out 500ms talk.wav out.wav").code == 0
    )
    let (whole, faded) = (try samples(studio, "talk.wav"), try samples(studio, "out.wav"))
    #expect(faded[(48_000 * 8)..<(168_000 * 8)].elementsEqual(whole[(48_000 * 8)..<(168_000 * 8)]))
    func value(_ bytes: [UInt8], _ frame: Int) -> Double {
      Double(
        bytes[(8 * frame)..<(8 * frame + 4)].reversed().reduce(Int32(0)) { $0 << 8 | Int32($1) })
    }
    #expect(value(faded, 0) == 0 && value(faded, 191_999) == 0)
    let half = (23_900..<24_100).map { value(faded, $0) / value(whole, $0) }.sorted()
    #expect(abs(half[100] - 0.5) < 0.01)
  }

  @Test("An export mixes channels, converts the rate and reduces the bits")
  func converted() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      sox -D -n -r 48000 -c 2 -b 24 tone.wav synth 2 sine 1000 gain -6
      "$recorder" export -q --mono --rate 44100 --bits 16 tone.wav out.wav > said.txt
      soxi -c out.wav; soxi -r out.wav; soxi -b out.wav; soxi -s out.wav
      sox out.wav -n stat 2>&1 | sed -n 's/RMS.*amplitude: *//p'
      sox out.wav -n bandreject 1000 100h trim 0.5 1 stat 2>&1 | sed -n 's/RMS.*amplitude: *//p'
      """)
    let lines = outcome.output.split(separator: "\n").compactMap { Double($0) }
    #expect(lines.prefix(4) == [1, 44_100, 16, 88_200], "\(outcome)")
    #expect(lines.count == 6 && abs(lines[4] - 0.354) < 0.01 && lines[5] < 0.01, "\(outcome)")
  }
}

extension Studio {
  /// Returns the frame numbers of the ramp in a 16-bit stereo file, read by sox.
  fileprivate func ramp32(_ name: String) throws -> [UInt32] {
    Studio.ramp(try soundBytes(name) ?? [])
  }
}
