import Foundation
import Support
import Testing

@Suite("A value from outside", .timeLimit(.minutes(10)))
struct OutsideValuesTests {
  let studio: Studio

  init() throws { studio = try Studio() }

  @Test("that is a huge number in a file name does not stop the names of a series")
  func seriesNumber() throws {
    let outcome = try studio.run(
      """
      start --split 1h log.wav > said; touch log-9223372036854775807.wav log-999999999.wav
      captured 0.2; "$recorder" split > said; captured +0.2; "$recorder" stop > said
      start --split 1h log.wav > said; captured 0.2; "$recorder" stop > said; ls *.wav
      """)
    #expect(outcome.code == 0, "\(outcome)")
    #expect(
      outcome.output
        == "log-002.wav\nlog-003.wav\nlog-9223372036854775807.wav\nlog-999999999.wav\nlog.wav\n")
  }

  @Test(
    "that only looks like the name of a built-in device is no built-in device",
    arguments: ["test:\u{301}", "test:\u{20DD}ramp"])
  func device(name: String) throws {
    // ALSA takes the text after the colon as an argument of the device before it.
    let outcome = try studio.run(
      """
      echo 'pcm.test { @args [ X ] @args.X { type string } type null }' > .asoundrc
      "$recorder" start -d '\(name)' a.wav; code=$?; ls; exit $code
      """)
    #expect(outcome.code == 12 && !outcome.output.contains("a.wav"), "\(outcome)")
  }

  @Test("with control characters is in the metrics in a form that Prometheus reads")
  func metrics() throws {
    let outcome = try studio.run(
      #"""
      printf '#!/bin/sh\nexit 3\n' > fails; chmod +x fails
      name=$(printf 'a\033b\342\200\215c\342\200\217d"e\\f')
      start --split 1h --on-segment ./fails --deliver "$name.wav" > said; captured 0.2; "$recorder" stop > said
      for worker in $(pgrep -f "delivery -- $PWD"); do kill $worker; ended $worker; done
      "$recorder" status --prometheus | grep series=
      """#)
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count == 5, "\(outcome)")
    // The value of a label may contain only these three escapes.
    let form = try Regex(#"[a-z_]+\{series="([^"\\]|\\\\|\\"|\\n)*"\} [0-9.e+-]+"#)
    for line in lines { #expect(line.wholeMatch(of: form) != nil, "\(line)") }
    #expect(outcome.output.unicodeScalars.allSatisfy { $0.properties.generalCategory != .format })
  }

  @Test("that is an invalid % in a file name is refused, with the way to write it")
  func percent() throws {
    for name in ["100%good.wav", "100%done.wav", "50%.wav", "%", "%Q.wav", "%\u{301}.wav"] {
      let outcome = try studio.run("start '\(name)'; code=$?; ls; exit $code")
      #expect(outcome.code == 64 && outcome.errors.contains("write %%"), "\(name): \(outcome)")
    }
    let outcome = try studio.run(
      "start 100%%good-%Y%m%d.wav > said; captured 0.1; \"$recorder\" stop > said; rm said; ls")
    #expect(outcome.output.hasPrefix("100%good-2"), "\(outcome)")
  }

  @Test("that is a long file name leaves room for the related files, or is refused")
  func longName() throws {
    for (format, length) in [("flac", 200), ("wav", 200), ("flac", 201), ("wav", 249)] {
      let name = String(repeating: "n", count: length - format.count - 1) + "." + format
      let outcome = try studio.run(
        """
        start \(name) > said || exit; captured 0.2; "$recorder" mark here > said; "$recorder" stop > said || exit
        "$recorder" info --json \(name) | grep -c '"label":"here"'
        ls -A | grep nnn; rm n*; pid=$(start --json \(name) | number pid); captured 0.2; kill -KILL $pid
        ended $pid; "$recorder" mark x > said; "$recorder" recover > said; ls -A | grep nnn; rm n*
        echo old > \(name); pid=$(start --force --json \(name) | number pid); captured 0.2
        kill -KILL $pid; ended $pid; "$recorder" recover > said; cat \(name); rm \(name)
        ls -A | grep nnn; rm n*
        """)
      if length > 200 {
        #expect(
          outcome.code == 13 && outcome.errors.contains("choose a shorter name"), "\(outcome)")
      } else {
        let recovered = name.replacing(".", with: "-recovered.")
        let sidecar = format == "flac" ? "\(name).json\n" : ""
        let saved = "1\n\(name)\n\(sidecar)"
        #expect(
          outcome.output == "\(saved)\(recovered)\nold\n\(recovered)\n", "\(outcome)")
      }
    }
  }

  @Test(
    "that is a long file name leaves room for the numbers of further files, or is refused",
    arguments: [196, 204])
  func longNumberedName(length: Int) throws {
    let stem = String(repeating: "n", count: length)
    let outcome = try studio.run(
      """
      start \(stem).wav > said || exit; captured 0.2; "$recorder" split > said; captured +0.2
      "$recorder" stop > said; ls n*
      """)
    let isSplit = outcome.output == "\(stem)-002.wav\n\(stem).wav\n"
    #expect(length > 196 ? outcome.code == 13 : isSplit, "\(outcome)")
  }

  @Test("that is a directory whose path is not UTF-8 is refused for a recording")
  func directory() throws {
    let outcome = try studio.run(
      """
      bad=$(printf 'dir\\377'); mkdir "$bad"; cd "$bad"; start a.wav; echo $?; cd ..; ls -d dir* | wc -l; ls "$bad"
      """)
    #expect(outcome.output == "13\n1\n" && outcome.errors.contains("not UTF-8"), "\(outcome)")
  }

  @Test("that is a pattern gives a name that no file and no recording has")
  func impliedName() throws {
    let outcome = try studio.run(
      """
      echo '{ "pattern": "take-%Y" }' > config; mkdir -p .config/recorder; mv config .config/recorder/config.json
      start > said; captured 0.1; start --name other > said; captured 0.1 other
      "$recorder" stop --all > said; ls take* | sed 's/-20[0-9]*/-YEAR/'; "$recorder" takes | wc -l
      """)
    #expect(outcome.output == "take-YEAR-002.wav\ntake-YEAR.wav\n2\n", "\(outcome)")
  }

  @Test("that names one file by several paths is one path in the list")
  func paths() throws {
    let outcome = try studio.run(
      """
      mkdir real; ln -s real link
      start ./x.wav > said; captured 0.1; "$recorder" stop > said; rm x.wav
      start x.wav > said; captured 0.1; "$recorder" stop > said; "$recorder" trash @2; echo $?; ls x.wav
      start link/y.wav > said; captured 0.1; "$recorder" stop > said; rm real/y.wav
      start real/../real/y.wav > said; captured 0.1; "$recorder" stop > said
      "$recorder" trash @3; echo $?; ls real
      """)
    #expect(outcome.output == "10\nx.wav\n10\ny.wav\n", "\(outcome)")
  }

  @Test("that differs from a name only in bytes is another file, for --keep and for trash")
  func normalization() throws {
    let (composed, decomposed) = ("\u{E9}log", "e\u{301}log")
    let outcome = try studio.run(
      """
      for n in 1 2 3; do
        start --split 1h --keep 9 \(composed).wav > said; captured 0.1; "$recorder" stop > said
      done
      start --split 1h --keep 1 \(decomposed).wav > said; captured 0.1; "$recorder" stop > said
      ls \(composed)* | wc -l; "$recorder" trash \(composed).wav > said; ls \(composed)* \(decomposed)* | wc -l
      "$recorder" takes | grep -c replaced; ls \(decomposed).wav | wc -l
      """)
    #expect(outcome.output == "3\n3\n0\n1\n", "\(outcome)")
  }

  @Test("that begins with ~/ is in the home directory, even if no shell replaced it")
  func home() throws {
    let outcome = try studio.run(
      """
      mkdir sub; cd sub; start --output='~/x.wav' > said; captured 0.1; "$recorder" stop > said
      "$recorder" export '~/x.wav' '~/y.flac' > said; rm said; ls ../*.wav ../*.flac; ls
      printf '#!/bin/sh\necho ran >>"$HOME/ran"\n' > ../hook; chmod +x ../hook
      start --on-segment='~/hook' --on-stop='~/hook' z.wav > said; captured 0.1
      "$recorder" stop > said; await '[ "$(grep -c ran ../ran)" = 2 ]'
      """)
    #expect(outcome.code == 0 && outcome.output == "../x.wav\n../y.flac\n", "\(outcome)")
  }

  @Test("that is the name of a sound file plays it, and any other name plays a sound")
  func soundFile() throws {
    let theatre = try Theatre()
    try theatre.ramp("x.wav", frames: 4_800)
    try theatre.ramp("click", frames: 4_800)
    let outcome = try theatre.run(
      "play x.wav; echo $?; play click; echo $?; play missing.wav; echo $?; sound status --json")
    #expect(outcome.output.hasPrefix("0\n0\n10\n"), "\(outcome)")
    let last = outcome.output.split(separator: "\n").last.map(String.init) ?? ""
    let sounds = try parsed(last)["sounds"] as? [[String: Any]]
    let names = sounds?.compactMap { $0["name"] as? String } ?? []
    #expect(Set(names) == [theatre.studio.scratch.path("x.wav"), "click"], "\(names)")
  }

  @Test(
    "that is a new name with the ending of another format is refused, because it converts nothing")
  func newEnding() throws {
    let outcome = try studio.run(
      """
      start a.wav > said; captured 0.1; "$recorder" stop > said
      for name in x.flac x.mp3 x.WAV y.2; do "$recorder" rename @1 $name > said; echo $?; done; ls *.*
      """)
    #expect(outcome.output == "64\n64\n0\n0\ny.2.WAV\n", "\(outcome)")
    #expect(outcome.errors.contains("recorder export @1 x.flac"), "\(outcome)")
  }

  @Test("that is an invalid setting fails only the command that uses it")
  func settings() throws {
    let outcome = try studio.run(
      """
      mkdir -p .config/recorder; echo '{ "format": "mp3" }' > .config/recorder/config.json
      "$recorder" play -d test:null click > said; echo $?; "$recorder" start a; echo $?
      """)
    #expect(outcome.output == "0\n1\n" && outcome.errors.contains("format"), "\(outcome)")
  }

  @Test(
    "in a usual form is understood",
    arguments: [
      "start --gain 6 --duration 0.1 --foreground -q a.wav",
      "start -f WAV --duration 0.1 --foreground -q a.wav",
      "start --start-on-sound -90 --duration 0.1 --foreground -q a.wav",
      "play -q -d test:null --volume 50% click", "permission grant --until 9:00",
      "takes --since monday", "takes --since 1w",
    ])
  func usual(command: String) throws {
    let device = command.hasPrefix("start") ? "-d test:tone" : ""
    let outcome = try studio.run("\"$recorder\" \(command) \(device)")
    #expect(outcome.code == 0, "\(outcome)")
  }
}
