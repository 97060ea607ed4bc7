import Foundation
import Support
import Testing

/// Recordings of what speakers and programs play, each next to a private PipeWire server.
@Suite(
  "The sound of speakers and programs", .requires("RECORDER_PACED_CARD"), .timeLimit(.minutes(10)))
struct PlayedSoundTests {
  /// Functions for scripts. `player` plays a tone, as a program of a name. `tone` prints the rough
  /// frequency and the highest level of the last second of a file, each the median of three parts,
  /// because a program without a processor can leave a gap. It also prints the number of channels and
  /// the rate. `stop` also prints for how many nanoseconds a thread of the session has waited for a
  /// processor.
  private static let words = """
    player() {
      sox -n -r 48000 -c 2 -b 16 "$2.wav" synth 60 sine "$2" vol 0.25
      cp -L "$(command -v pw-cat)" "$1"
      setpriv --pdeathsig KILL "./$1" --playback "$2.wav" >/dev/null 2>&1 &
      player=$!
      await "pw-link -l | grep -q '$1:output_FL'"
    }
    tone() {
      for start in 1 0.66 0.33; do
        sox "$1" -n remix 1 trim -$start 0.33 stat 2>&1
      done > stats
      awk '/Rough/ { print $3 }' stats | sort -n | sed -n '2s/^/hertz /p'
      awk '/Maximum amplitude/ { print int($3 * 1000) }' stats | sort -n | sed -n '2s/^/level /p'
      echo "channels $(soxi -c "$1")"; echo "rate $(soxi -r "$1")"
    }
    stop() { echo "waited $(waited "$(pid)")"; "$recorder" stop --json; echo "code $?"; }

    """

  private func run(_ script: String) throws -> [String] {
    try runBesideCard(Self.words + script)
  }

  private func number(_ word: String, in lines: [String]) throws -> Int {
    try lines.number(after: word)
  }

  private func result(in lines: [String]) throws -> [String: Any] {
    try parsed(try #require(lines.last { $0.hasPrefix("{") }, "\(lines)"))
  }

  /// Expects that a take lost no frame, unless a thread of its session had no processor during a
  /// whole cycle: the graph skips such a session.
  private func expectNoLoss(
    in lines: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let result = try result(in: lines)
    let frames = try #require(result["frames"] as? [String: Int])
    let isLate = try number("waited", in: lines) > 20_000_000
    let isWhole = try frames["lost"] == 0 && number("code", in: lines) == 0
    #expect(isWhole || isLate, "\(result)", sourceLocation: sourceLocation)
    #expect(result["reason"] as? String == "stopped", sourceLocation: sourceLocation)
  }

  @Test("The sound of the default speaker is recorded without a loss")
  func output() throws {
    let lines = try run(
      """
      player alpha 440
      "$recorder" start --device output a.wav >/dev/null; echo "started $?"
      captured 2; stop; tone a.wav
      """)
    try expectNoLoss(in: lines)
    #expect(try number("started", in: lines) == 0)
    #expect(
      try abs(number("hertz", in: lines) - 440) < 10 && abs(number("level", in: lines) - 250) < 5)
    #expect(try number("channels", in: lines) == 2 && number("rate", in: lines) == 48_000)
  }

  @Test("The device of a recording is named as the server describes it, also after a change")
  func described() throws {
    let lines = try run(
      """
      pw-cli create-node adapter '{ factory.name = support.null-audio-sink, object.linger = true,
        node.name = second, node.description = "Second speaker", media.class = Audio/Sink,
        audio.position = [ FL FR ] }' >/dev/null
      title() { "$recorder" status --json | grep -o '"deviceTitle":"Second speaker"'; }
      "$recorder" start --device output a.wav >/dev/null; echo "started $?"; captured 0.2
      title || echo first
      pw-metadata 0 default.configured.audio.sink '{ "name": "second" }' Spa:String:JSON >/dev/null
      await title; "$recorder" status
      # Another node drives the graph now, and the change may lose frames.
      "$recorder" stop -q || [ $? = 14 ]
      """)
    #expect(lines.contains("first") && lines.contains { $0.contains("Second speaker (output)") })
  }

  @Test("The sound of one program is recorded alone, also if it starts later, in another format")
  func program() throws {
    let lines = try run(
      """
      player beta 2000
      "$recorder" start --device app:ALPHA --channels 1 --rate 16000 a.flac >/dev/null
      echo "started $?"; captured 0.5; player alpha 440; captured +2
      stop; sox a.flac a.wav; tone a.wav
      """)
    try expectNoLoss(in: lines)
    #expect(try number("started", in: lines) == 0)
    #expect(
      try abs(number("hertz", in: lines) - 440) < 10 && abs(number("level", in: lines) - 250) < 5)
    #expect(try number("channels", in: lines) == 1 && number("rate", in: lines) == 16_000)
  }

  @Test("Both sides of a call are tracks of one take")
  func meeting() throws {
    let lines = try run(
      """
      player alpha 440
      "$recorder" start --meeting a.wav >/dev/null; echo "started $?"; captured 2
      "$recorder" status
      "$recorder" stop --json; echo "code $?"
      "$recorder" export --track far a.wav far.wav >/dev/null; tone far.wav
      "$recorder" export --track mic a.wav mic.wav >/dev/null
      echo "mic $(sox mic.wav -n stat 2>&1 | awk '/Maximum amplitude/ { print int($3 * 1000) }')"
      echo "all $(soxi -c a.wav)"
      """)
    let tracks = try #require(try result(in: lines)["tracks"] as? [[String: Any]])
    #expect(tracks.map { $0["name"] as? String } == ["mic", "far"], "\(tracks)")
    #expect(tracks.map { $0["device"] as? String } == ["default", "output"])
    #expect(tracks.allSatisfy { ($0["deviceTitle"] as? String)?.isEmpty == false }, "\(tracks)")
    #expect(lines.contains { $0.contains("Track mic") && $0.contains(" (PipeWire's default)") })
    #expect(lines.contains { $0.contains("Track far") && $0.contains(" (output)") }, "\(lines)")
    let channels = tracks.compactMap { $0["channels"] as? Int }
    #expect(try channels.last == 2 && channels.reduce(0, +) == number("all", in: lines))
    #expect(try number("started", in: lines) == 0 && number("mic", in: lines) == 0)
    #expect(
      try abs(number("hertz", in: lines) - 440) < 10 && abs(number("level", in: lines) - 250) < 5)
  }

  @Test("Completion offers microphones, speakers and programs of the server")
  func completed() throws {
    let lines = try run(
      """
      player alpha 440
      for word in pipewire: output app:a mic=pipewire: far=output: --track=far=app:; do
        case $word in --*) set -- ;; *=*) set -- --track ;; *) set -- --device ;; esac
        "$recorder" complete -- start "$@" "$word" | cut -f 1
      done
      """)
    func begins(_ text: String) -> Bool { lines.contains { $0.hasPrefix(text) } }
    #expect(lines.contains("output") && lines.contains("app:alpha"), "\(lines)")
    #expect(begins("pipewire:NODE=") && begins("mic=pipewire:NODE="), "\(lines)")
    #expect(begins("output:") && begins("far=output:"), "\(lines)")
    #expect(lines.contains("--track=far=app:alpha"), "\(lines)")
  }

  @Test(
    "The commands on the page of tracks work",
    arguments: try DocumentPage("docs/tracks.md").blocks.filter(\.isShell).map(\.line))
  func documented(line: Int) throws {
    let page = try DocumentPage("docs/tracks.md")
    let block = try #require(page.blocks.first { $0.line == line })
    let text = block.lines.joined(separator: "\n").replacing("\\\n", with: "")
    // A block without a stop shows alternatives.
    let isScript = text.contains("recorder stop")
    let lines = text.split(separator: "\n").map { line in
      line.hasPrefix("recorder start") && !isScript
        ? "\(line)\ncaptured 0.3; recorder stop" : String(line)
    }
    let told = try run(
      """
      # The graph skips a session that had no processor during a whole cycle (14).
      recorder() {
        [ "$1" != stop ] || waited=$(waited "$(pid)")
        "$recorder" "$@" || { [ $? = 14 ] && [ "${waited:-0}" -gt 20000000 ]; } || echo "failed $*"
      }
      node() {
        pw-cli create-node adapter "{ factory.name=support.null-audio-sink node.name=headset \
          media.class=$1 object.linger=true audio.position=[FL FR] }" >/dev/null
      }
      node Audio/Sink; node Audio/Source/Virtual
      await "pw-dump | grep -c 'node.name.*headset' | grep -qx 2"
      \(lines.joined(separator: "\n"))
      """)
    #expect(!told.contains { $0.hasPrefix("failed") }, "\(told)")
  }

  @Test("A take with tracks needs the permission of each of them")
  func permissions() throws {
    let lines = try run(
      """
      "$recorder" permission reset system-audio >/dev/null
      "$recorder" start --meeting a.wav 2>&1; echo "undecided $?"
      "$recorder" permission grant system-audio >/dev/null
      "$recorder" permission revoke microphone >/dev/null
      "$recorder" start --meeting a.wav 2>&1; echo "refused $?"
      find . -name '*a.wav*'
      """)
    #expect(try number("undecided", in: lines) == 20 && number("refused", in: lines) == 21)
    #expect(!lines.contains { $0.hasSuffix("a.wav") }, "\(lines)")
  }

  @Test("The frames of a stopped session are counted as lost")
  func stopped() throws {
    let lines = try run(
      """
      "$recorder" start --device output a.wav >/dev/null; session=$(pid); captured 1
      halted "$session" 3; captured +1
      "$recorder" stop --json; echo "code $?"; echo "frames $(soxi -s a.wav)"
      """)
    let result = try result(in: lines)
    let frames = try #require(result["frames"] as? [String: Int])
    let gaps = try #require(result["gaps"] as? [[String: Any]])
    print("stopped for 3 s: \(frames["lost"] ?? -1) frames lost in \(gaps.count) gaps")
    #expect((130_000...160_000).contains(frames["lost"] ?? 0), "\(result)")
    #expect(gaps.allSatisfy { $0["cause"] as? String == "overrun" })
    #expect(try number("code", in: lines) == 14 && number("frames", in: lines) == frames["onDisk"])
  }

  @Test("After a restart of the server, the recording continues")
  func restarted() throws {
    let lines = try run(
      """
      "$recorder" start --device output a.wav >/dev/null; captured 1
      card restart; player alpha 440; captured +2
      "$recorder" stop --json; echo "code $?"; tone a.wav
      """)
    let gaps = try lastingGaps(result(in: lines))
    #expect(gaps.map { $0["cause"] as? String } == ["disconnected"], "\(lines)")
    #expect(try number("code", in: lines) == 14 && abs(number("hertz", in: lines) - 440) < 10)
  }

  @Test("A speaker that does not exist, and a missing server, are explained")
  func refused() throws {
    let lines = try run(
      """
      "$recorder" start --device output:speakr a.wav 2>&1; echo "speaker $?"
      "$recorder" start --device app: a.wav 2>&1; echo "unnamed $?"
      PIPEWIRE_REMOTE=/nowhere/pipewire-0 "$recorder" start --device output a.wav 2>&1
      echo "server $?"; find . -name '*a.wav*'
      """)
    #expect(
      lines.contains { $0.contains("no speaker") && $0.contains("it has \"speaker\"") }, "\(lines)")
    #expect(
      lines.contains { $0.contains("\"output\" needs PipeWire: PipeWire is not running") })
    #expect(
      lines.contains { $0.contains("snd-aloop") } && !lines.contains { $0.hasSuffix("a.wav") })
    for word in ["speaker", "unnamed", "server"] { #expect(try number(word, in: lines) == 12) }
  }

  @Test("The list and the completion name speakers and programs")
  func listed() throws {
    let lines = try run(
      """
      player alpha 440
      "$recorder" devices; "$recorder" devices --json
      "$recorder" complete -- start --device ''; kill "$player"
      """)
    let devices = try #require(try result(in: lines)["devices"] as? [[String: Any]])
    let origins = devices.compactMap { device in
      (device["name"] as? String).map { "\($0) \(device["origin"] as? String ?? "")" }
    }
    #expect(origins.contains("output:speaker output") && origins.contains("app:alpha program"))
    #expect(lines.contains("  output:speaker") && lines.contains("  app:alpha"), "\(lines)")
    for name in ["output\t", "output:speaker\t", "app:alpha\t"] {
      #expect(lines.contains { $0.hasPrefix(name) })
    }
  }
}
