import Foundation
import Support
import Testing

@Suite("Pictures of takes in files", .timeLimit(.minutes(10)))
struct PictureFileTests {
  /// Makes `a.wav`, one second of a tone of 1 kHz, with a sidecar that has a mark and a gap.
  private func tone(_ studio: Studio) throws {
    let made = try studio.run(
      "sox -D -n -r 48000 -c 2 -b 16 a.wav synth 1 sine 1000 gain -6")
    #expect(made.code == 0, "\(made.errors)")
    try studio.scratch.write(
      """
      {"frames":{"onDisk":48000},"title":"one & two","events":[
      {"event":"mark","frame":12000,"text":"<b>\\u001b[2J"},
      {"event":"gap","frame":36000,"lost":480,"cause":"xrun"}]}
      """, to: "a.wav.json")
  }

  @Test(
    "A picture has the size that is asked for, and other programs read it",
    arguments: ["", "--spectrogram"], [("", 1_200, 400), ("--width 301 --height 99", 301, 99)])
  func sizes(kind: String, size: (String, Int, Int)) throws {
    let studio = try Studio()
    try tone(studio)
    let outcome = try studio.run(
      """
      "$recorder" show \(kind) \(size.0) --png a.png --svg a.svg a.wav &&
      ffprobe -v error -show_entries stream=codec_name,width,height -of csv=p=0 a.png &&
      python3 -c 'import xml.dom.minidom as m; e = m.parse("a.svg").documentElement
      print(e.getAttribute("width"), e.getAttribute("height"), len(e.getElementsByTagName("line")))'
      ls -A | grep tmp
      """, limit: .seconds(200))
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count == 4 && outcome.errors == "", "\(outcome)")
    #expect(lines[0].hasPrefix("Saved a.png  ") && lines[1].hasPrefix("Saved a.svg  "))
    #expect(lines[2] == "png,\(size.1),\(size.2)" && lines[3] == "\(size.1) \(size.2) 2")
  }

  @Test("In a spectrogram a tone is one bright line at its frequency")
  func line() throws {
    let studio = try Studio()
    try tone(studio)
    let outcome = try studio.run(
      """
      rm a.wav.json; "$recorder" show -q --spectrogram --width 100 --height 200 --png a.png a.wav > said.txt
      ffmpeg -v error -i a.png -f rawvideo -pix_fmt gray a.raw
      """)
    #expect(outcome.code == 0, "\(outcome)")
    let pixels = try studio.scratch.read("a.raw")
    let column = (0..<186).map { pixels[$0 * 100 + 50] }
    // 1 kHz is 1,000 mel, and 24 kHz at the top is 4,016 mel.
    let brightest = try #require(column.indices.max { column[$0] < column[$1] })
    #expect(abs(brightest - (185 - 186 * 1_000 / 4_016)) <= 1, "\(brightest)")
    #expect(column.count { $0 > 60 } < 20)
  }

  @Test("The JSON has the levels of the spectrogram by column and frequency")
  func json() throws {
    let studio = try Studio()
    try tone(studio)
    let json = try studio.json("show --spectrogram --width 25 --height 11 a.wav")
    let levels = try #require(json["levels"] as? [[Double]])
    let frequencies = try #require(json["frequencies"] as? [Double])
    #expect(levels.count == 20 && levels.allSatisfy { $0.count == 11 } && frequencies.count == 11)
    let row = try #require(frequencies.lastIndex { $0 <= 1_000 })
    #expect(levels[10].max() == levels[10][row] && abs(levels[10][row] + 6) < 2, "\(levels[10])")
    #expect((json["marks"] as? [Any])?.count == 1 && (json["gaps"] as? [Any])?.count == 1)
  }

  @Test(
    "A sound of no frame, of one, of few and of nine channels has every picture",
    arguments: ["trim 0 0", "trim 0 1s", "trim 0 300s", "trim 0 0.5 remix 1 1 1 1 1 1 1 1 1"])
  func extremes(effects: String) throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      sox -D -R -n -r 8000 -c 1 -b 16 n.wav synth 1 whitenoise; sox -D n.wav a.wav \(effects)
      "$recorder" show --width 20 a.wav > 1.txt && "$recorder" show --spectrogram --width 20 a.wav > 2.txt &&
      "$recorder" show --png 1.png --svg 1.svg --page 1.html a.wav > 3.txt &&
      "$recorder" show --spectrogram --png 2.png --svg 2.svg a.wav >> 3.txt &&
      ffprobe -v error 1.png 2.png; wc -l < 3.txt; wc -L 1.txt 2.txt | awk '{print ($1 <= 40)}'
      """, limit: .seconds(200))
    #expect(outcome.code == 0 && outcome.output == "5\n1\n1\n1\n", "\(outcome)")
  }

  @Test(
    "A picture that cannot be made is refused by its code, and leaves nothing behind",
    arguments: [
      ("--png old.png a.wav", 13, "it already exists"),
      ("--svg old.svg a.wav", 13, "already exists"),
      ("--page old.html a.wav", 13, "it already exists"),
      ("--png link a.wav", 13, "already exists"),
      ("--png out.svg a.wav", 64, "\".svg\" is not an extension of PNG files"),
      ("--page out.PNG a.wav", 64, "use \".html\", or --png"),
      ("--svg out.mp3 a.wav", 64, "is not an extension of SVG files"),
      ("--png old.png/a.png a.wav", 13, "Not a directory"), ("--png . a.wav", 13, "exists"),
      ("--png - --svg - a.wav", 64, "stdout can take only one file"),
      ("--png a.png none.wav", 10, "none.wav"),
      ("--png a.png text.wav", 16, "text.wav"), ("--page a.html torn.wav", 16, "cut short"),
      ("--png a.png --width 4001 a.wav", 64, "4000"), ("--png a.png --from 9 a.wav", 64, "--from"),
      ("--png a.png --svg old.svg a.wav", 13, "old.svg"),
    ])
  func refusals(arguments: String, code: Int, words: String) throws {
    let studio = try Studio()
    try tone(studio)
    let outcome = try studio.run(
      """
      echo old > old.png; cp old.png old.svg; cp old.png old.html; echo text > text.wav; ln -s nowhere link; head -c 45 a.wav > torn.wav
      ls -A > ../before.$$; "$recorder" show \(arguments); code=$?
      ls -A | diff ../before.$$ -; rm ../before.$$; cat old.png; exit $code
      """)
    #expect(outcome.code == Int32(code) && outcome.output == "old\n", "\(outcome)")
    #expect(outcome.errors.hasPrefix("recorder: ") && outcome.errors.contains(words), "\(outcome)")
  }

  @Test("A directory of a picture or a page that does not exist is created")
  func directory() throws {
    let studio = try Studio()
    try tone(studio)
    let outcome = try studio.run(
      """
      "$recorder" show --png 1/a.png --svg 2/a.svg --page 3/4/a.html a.wav > /dev/null && ls 1 2 3/4
      """)
    let files = "1:\na.png\n\n2:\na.svg\n\n3/4:\na.html\n"
    #expect(outcome.code == 0 && outcome.output == files, "\(outcome)")
  }

  @Test(
    "A full disk leaves no picture, and says so", .requiresNamespaces, arguments: ["png", "page"])
  func full(kind: String) throws {
    let studio = try Studio()
    try tone(studio)
    let outcome = try studio.run(
      """
      mkdir disk
      unshare -rm sh -c 'mount -t tmpfs -o size=8k none disk
        "$recorder" show --spectrogram --\(kind) disk/a a.wav; code=$?; ls -A disk; exit $code'
      """)
    #expect(outcome.code == 13 && outcome.output == "", "\(outcome)")
    #expect(outcome.errors.contains("No space left on device"))
  }

  @Test("A pipe gets only the picture, and a terminal gets no picture")
  func streams() throws {
    let studio = try Studio()
    try tone(studio)
    let outcome = try studio.run(
      """
      "$recorder" show --png - a.wav > a.png && "$recorder" show --png b.png a.wav > said.txt
      cmp a.png b.png; "$recorder" show --svg - --json a.wav 2> json.txt | tail -n 1; cat json.txt
      "$recorder" show --svg - a.wav | head -c 5
      script -qec '"$recorder" show --png - a.wav' /dev/null < /dev/null; echo " $?"
      """)
    let lines = outcome.output.split(whereSeparator: \.isNewline).map {
      $0.trimmingCharacters(in: .whitespacesAndNewlines)
    }
    #expect(lines.first == "</svg>" && lines.last == "64", "\(outcome)")
    #expect(
      lines.count > 2 && lines[1].contains("\"kind\":\"svg\"") && lines[2].hasPrefix("<svg "),
      "\(outcome)")
    #expect(!outcome.output.contains("PNG") && outcome.output.contains("which is this terminal"))
  }

  @Test("A long sound is linked from the page, and a note says so")
  func linked() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      head -c 28800000 /dev/urandom > a.raw; mkdir pages
      sox -t raw -r 48000 -c 2 -b 16 -e signed a.raw 'a b.wav'
      "$recorder" show --page pages/a.html 'a b.wav' && grep -c 'src="./../a%20b.wav"' pages/a.html
      "$recorder" show --page part.html --from 2:00 'a b.wav' && grep -c 'src="data:audio/flac;base64,' part.html
      """, limit: .seconds(400))
    #expect(outcome.code == 0, "\(outcome)")
    #expect(outcome.output.split(separator: "\n").filter { $0 == "1" }.count == 2, "\(outcome)")
    #expect(outcome.errors.contains("links to \"../a b.wav\" instead"), "\(outcome)")
  }

  @Test("Without zlib a waveform is still drawn, and a PNG is refused")
  func library() throws {
    let studio = try Studio()
    try tone(studio)
    let outcome = try studio.run(
      """
      mkdir broken; : > broken/libz.so.1; export LD_LIBRARY_PATH=$PWD/broken
      "$recorder" show a.wav > said.txt && "$recorder" show --svg a.svg a.wav > said.txt && echo drawn
      "$recorder" show --png a.png a.wav; echo $?; ls a.png
      """)
    #expect(outcome.output == "drawn\n1\n", "\(outcome)")
    #expect(outcome.errors.contains("cannot make the picture: "), "\(outcome)")
    #expect(outcome.errors.contains("broken/libz.so.1: file too short"), "\(outcome)")
  }

  @Test(
    "An hour of frequencies is drawn in the time of ffmpeg's picture",
    .requires("RECORDER_TEST_EVERY"), .requiresReleaseBuild)
  func hour() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      sox -D -R -n -r 48000 -c 2 -b 16 m.wav synth 60 pinknoise gain -6 && sox m.wav a.wav repeat 59
      now() { date +%s%N; }
      a=$(now); "$recorder" show --spectrogram --png own.png a.wav > said.txt; b=$(now)
      ffmpeg -v error -i a.wav -lavfi showspectrumpic a.png; c=$(now)
      echo $((b - a)) $((c - b))
      """, limit: .seconds(300))
    let times = outcome.output.split(separator: " ").compactMap {
      Double($0.trimmingCharacters(in: .whitespacesAndNewlines))
    }
    #expect(times.count == 2 && times[0] <= times[1], "\(outcome)")
  }

  @Test(
    "A day has every picture in bounded memory, its click at its time",
    .requires("RECORDER_TEST_EVERY"), .requiresReleaseBuild, .timeLimit(.minutes(15)))
  func day() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      python3 - << 'END'
      import struct
      frames = 86400 * 48000
      size = frames * 4
      with open('day.wav', 'wb') as file:
          file.write(b'RF64' + struct.pack('<I', 0xFFFFFFFF) + b'WAVEds64')
          file.write(struct.pack('<IQQQI', 28, size + 72, size, frames, 0))
          file.write(b'fmt ' + struct.pack('<IHHIIHH', 16, 1, 2, 48000, 192000, 4, 16))
          file.write(b'data' + struct.pack('<I', 0xFFFFFFFF))
          start = file.tell()
          file.seek(start + (18 * 3600 + 60) * 48000 * 4)
          file.write(struct.pack('<hh', 20000, 20000))
          file.truncate(start + size)
      END
      ulimit -v 1048576
      "$recorder" show --json --width 100 day.wav > wave.json && ls -la day.wav > said.txt &&
      "$recorder" show --json --spectrogram --width 105 --height 4 day.wav > heat.json &&
      "$recorder" show --page day.html day.wav 2>&1 && stat -c %s day.html
      """, limit: .seconds(800))
    #expect(outcome.code == 0, "\(outcome)")
    let wave = try parsed(String(decoding: studio.scratch.read("wave.json"), as: UTF8.self))
    let peaks = try #require(
      ((wave["channels"] as? [[String: Any]])?.first?["peak"] as? [Any])?.map { $0 as? Double })
    #expect(peaks.count == 200 && peaks.indices.filter { peaks[$0] != nil } == [150])
    let heat = try parsed(String(decoding: studio.scratch.read("heat.json"), as: UTF8.self))
    let columns = try #require(heat["levels"] as? [[Double]])
    #expect(columns.count == 100)
    #expect(columns.indices.filter { (columns[$0].max() ?? 0) > -127 } == [75], "\(outcome)")
    #expect(outcome.output.contains("links to \"day.wav\" instead"))
  }
}
