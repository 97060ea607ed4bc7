import Foundation
import Support
import Testing

/// Takes whose tracks lose their permission or their device, each next to a private PipeWire server.
@Suite(
  "A track that is lost during a take", .requires("RECORDER_PACED_CARD"), .timeLimit(.minutes(10)))
struct TrackLossTests {
  /// Functions for scripts. `speaker` creates the speaker “second”, which plays 440 Hz. `linked`
  /// succeeds while a port of a speaker is linked to a recording.
  private static let words = """
    speaker() {
      pw-cli create-node adapter '{ factory.name=support.null-audio-sink node.name=second
        media.class=Audio/Sink object.linger=true audio.position=[FL FR] }' >/dev/null
      await 'pw-link -i | grep -q second:playback_FR'
    }
    play() {
      sox -n -r 48000 -c 2 -b 16 440.wav synth 60 sine 440 vol 0.25
      setpriv --pdeathsig KILL pw-cat --playback --target "$1" 440.wav >/dev/null 2>&1 &
      await "pw-link -l | grep -A 1 '^$1:playback_FL' | grep -q pw-cat"
    }
    linked() { pw-link -l | grep -A 1 "^$1:monitor" | grep -q recorder:input; }
    level() { echo "$1 $(sox "$2" -n trim "$3" stat 2>&1 | awk '/Maximum amp/ { print int($3 * 1000) }')"; }

    """

  private func run(_ script: String) throws -> [String] {
    try runBesideCard(Self.words + script)
  }

  private func objects(_ lines: [String]) throws -> [[String: Any]] {
    try lines.filter { $0.hasPrefix("{") }.map(parsed)
  }

  private func far(_ take: [String: Any]?) throws -> [String: Any] {
    let tracks = try #require(take?["tracks"] as? [[String: Any]])
    return try #require(tracks.first { $0["name"] as? String == "far" })
  }

  /// Returns the gap of the track `far`, which must be the only one except overruns.
  private func gap(_ take: [String: Any]?, cause: String) throws -> [String: Any] {
    let gaps = try lastingGaps(far(take))
    try #require(gaps.count == 1 && gaps[0]["cause"] as? String == cause, "\(gaps)")
    return gaps[0]
  }

  private func number(_ key: String, of gap: [String: Any]) throws -> Int {
    try #require(gap[key] as? Int)
  }

  @Test("A track whose permission is revoked ends alone, within 250 ms")
  func revoked() throws {
    let lines = try run(
      """
      play speaker
      "$recorder" start --meeting a.wav >/dev/null; captured 1
      "$recorder" permission revoke system-audio --json; echo "revoked $?"
      await '! linked speaker'; pw-link -l | grep -A 1 '^microphone:' | grep -q recorder:input
      echo "other $?"; captured +1; "$recorder" status --json
      "$recorder" permission grant system-audio --json; "$recorder" permission status --json
      "$recorder" stop --json; echo "code $?"
      "$recorder" export --track far a.wav far.wav >/dev/null
      level end far.wav -0.5; level all far.wav 0; cat "$XDG_STATE_HOME"/recorder/audit.jsonl
      """)
    let objects = try objects(lines)
    let revocation = try #require(objects.first)
    #expect((revocation["silenced"] as? [String])?.count == 1, "\(revocation)")
    #expect((revocation["stopped"] as? [String])?.isEmpty == true)
    let status = try #require((objects[1]["recordings"] as? [[String: Any]])?.first)
    #expect((status["warnings"] as? [String])?.contains { $0.contains("\"far\"") } == true)
    let uses = [revocation, objects[2], objects[3]].map { object in
      (object["inUse"] as? [[String: Any]] ?? []).map { $0["device"] as? String }
    }
    #expect(uses == [[], [], ["default"]])
    let result = objects[4]
    let frames = try #require(result["frames"] as? [String: Int])
    let gap = try gap(result, cause: "permission")
    let position = try number("position", of: gap)
    #expect(try position + number("length", of: gap) == frames["onDisk"])
    let tracks = try #require(result["tracks"] as? [[String: Any]])
    #expect(tracks.map { $0["ended"] as? String } == [nil, "permission"])
    #expect(tracks.map { $0["service"] as? String } == ["microphone", "systemAudio"])
    #expect(
      (result["message"] as? String)?.contains("\"far\" became silent: ") == true, "\(result)")
    #expect(result["reason"] as? String == "stopped")
    for (word, expected) in [("revoked", 0), ("other", 0), ("code", 14), ("end", 0)] {
      #expect(try lines.number(after: word) == expected, "\(word): \(lines)")
    }
    #expect(try lines.number(after: "all") > 200)
    let events = objects.filter { $0["event"] != nil && $0["boottime"] != nil }
    func time(_ name: String) throws -> Double {
      let event = try #require(events.last { $0["event"] as? String == name })
      return try #require(event["boottime"] as? NSNumber).doubleValue / 1e9
    }
    let delay = try time("start") + Double(position) / 48_000 - time("revoke")
    #expect(delay < 0.25, "\(delay) s after the change")
    let ended = events.filter { $0["event"] as? String == "stop" }.map { $0["service"] as? String }
    #expect(ended == ["systemAudio", "microphone"])
  }

  @Test("The session reports that the permission log has no entry for the end of a track")
  func unaudited() throws {
    let lines = try run(
      """
      "$recorder" start --meeting a.wav >/dev/null; captured 0.5
      log=$XDG_STATE_HOME/recorder/audit.jsonl; rm -f "$log"; mkdir "$log"
      said() { cat "$XDG_STATE_HOME"/recorder/machines/*/sessions/*.log | grep -c 'permission log'; }
      echo "before $(said)"; "$recorder" permission revoke system-audio >/dev/null 2>&1
      await '"$recorder" status | grep -q far'; await '[ "$(said)" -gt 0 ]'; echo "after $(said)"
      "$recorder" stop >/dev/null 2>&1; echo "code $?"
      """)
    for (word, expected) in [("before", 0), ("after", 1), ("code", 14)] {
      #expect(try lines.number(after: word) == expected, "\(word): \(lines)")
    }
  }

  @Test("A track with a file of its own gets as many frames as the others after its end")
  func separate() throws {
    let lines = try run(
      """
      play speaker
      "$recorder" start --meeting --separate a.wav >/dev/null; captured 0.5
      "$recorder" permission revoke system-audio >/dev/null; captured +0.3
      "$recorder" stop --json; ls a-*; level mic a-mic.wav 0; level far a-far.wav -0.2
      "$recorder" info a-mic.wav a-far.wav --json
      """)
    #expect(lines.filter { $0.hasPrefix("a-") } == ["a-far.wav", "a-mic.wav", "a-mic.wav.json"])
    let objects = try objects(lines)
    let files = try #require(objects.last?["files"] as? [[String: Any]])
    let held = try #require((objects.first?["frames"] as? [String: Int])?["onDisk"])
    #expect(files.map { $0["frames"] as? Int } == [held, held], "\(lines)")
    #expect(try lines.number(after: "far") == 0, "\(lines)")
  }

  @Test("Another default speaker is an event in the sidecar, also after a crash")
  func changedDefault() throws {
    let lines = try run(
      """
      "$recorder" start --meeting a.wav >/dev/null; captured 0.5; speaker
      pw-metadata 0 default.configured.audio.sink '{ "name": "second" }' Spa:String:JSON >/dev/null
      await 'grep -q second .a.wav.part.jsonl'; pid=$("$recorder" status --json | number pid)
      kill -KILL "$pid"; ended "$pid"; "$recorder" recover >/dev/null 2>&1; cat a-recovered.wav.json
      """)
    let sidecar = try parsed(lines.joined(separator: "\n"))
    let events = try #require(sidecar["events"] as? [[String: Any]])
    let device = try #require(events.first { $0["event"] as? String == "device" }, "\(events)")
    let words = ["track", "from", "to"].map { device[$0] as? String }
    #expect(words == ["far", "speaker", "second"], "\(device)")
    #expect(try #require(device["frame"] as? Int) >= 24_000)
  }

  @Test("A device that does not start ends the start of the take, and no file is created")
  func inactive() throws {
    let lines = try run(
      """
      setpriv --pdeathsig KILL pw-loopback --capture-props='node.name=other media.class=Audio/Sink' \
        --playback-props='node.name=frozen media.class=Audio/Source' >/dev/null 2>&1 &
      await 'pw-link -o | grep -q frozen:capture_FR'; kill -STOP $!
      "$recorder" start --track far=output:speaker --track mic=pipewire:NODE=frozen a.wav 2>&1
      echo "code $?"; echo "files $(ls -A | grep -c wav)"
      """)
    let words = "\"pipewire:NODE=frozen\" did not start within 5 s"
    #expect(lines.contains { $0.contains(words) }, "\(lines)")
    #expect(try lines.number(after: "code") == 12 && lines.number(after: "files") == 0, "\(lines)")
  }

  @Test("The take ends with the permission of its last track")
  func lastTrack() throws {
    let lines = try run(
      """
      "$recorder" start --meeting a.wav >/dev/null; captured 0.5
      "$recorder" permission revoke microphone --json; "$recorder" permission revoke --json
      "$recorder" wait --json; echo "code $?"
      """)
    let objects = try objects(lines)
    try #require(objects.count == 3, "\(lines)")
    #expect((objects[0]["silenced"] as? [String])?.count == 1, "\(lines)")
    #expect((objects[1]["stopped"] as? [String])?.count == 1, "\(lines)")
    #expect(objects[2]["reason"] as? String == "permission")
    #expect(try lines.number(after: "code") == 24)
  }

  @Test("A track whose grant expires ends alone")
  func expired() throws {
    let lines = try run(
      """
      "$recorder" permission grant system-audio --for 10s >/dev/null
      "$recorder" start --meeting a.wav >/dev/null
      await '"$recorder" status | grep -q expired'; captured +0.5
      "$recorder" stop --json; echo "code $?"
      """)
    let result = try #require(try objects(lines).last)
    _ = try gap(result, cause: "expired")
    #expect(try lines.number(after: "code") == 14)
  }

  private static let start = "start --track mic=default --track far=output:second"

  @Test(
    "A missing device is reported, is a gap of its track, and is recorded again when it returns")
  func missing() throws {
    let lines = try run(
      """
      speaker; "$recorder" \(Self.start) a.wav >/dev/null; captured 0.5
      pw-cli destroy second; await '"$recorder" status | tr -s " \\n" " " | grep -q disappeared'
      captured +0.5; speaker; play second
      await '! "$recorder" status | grep -q disappeared'; captured +1
      "$recorder" stop --json; echo "code $?"; "$recorder" info @1
      "$recorder" export --track far a.wav far.wav >/dev/null; level end far.wav -0.3
      cat "$XDG_STATE_HOME"/recorder/machines/*/sessions/default.log
      """)
    let result = try #require(try objects(lines).last)
    let gap = try gap(result, cause: "disconnected")
    #expect(try number("length", of: gap) > 24_000 && number("position", of: gap) > 20_000)
    #expect(try lines.number(after: "code") == 14 && lines.number(after: "end") > 200)
    let text = lines.joined(separator: " ").split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    #expect(text.contains("silent from 0:00."), "\(lines)")
    for words in ["disappeared; its track is silent", "is back; its track records again"] {
      #expect(text.contains("the speaker \"output:second\" \(words)"), "\(lines)")
    }
  }

  @Test("A change of the default speaker loses at most some cycles, which are a gap of the track")
  func changed() throws {
    let lines = try run(
      """
      speaker; "$recorder" start --meeting --tolerate-gaps a.wav >/dev/null; captured 0.5
      pw-metadata 0 default.configured.audio.sink '{ "name": "second" }' Spa:String:JSON >/dev/null
      await 'linked second && ! linked speaker'; captured +0.3; "$recorder" stop --json
      """)
    let result = try #require(try objects(lines).last)
    let gaps = try #require(far(result)["gaps"] as? [[String: Any]])
    #expect(gaps.allSatisfy { $0["cause"] as? String == "overrun" }, "\(result)")
    #expect(try gaps.map { try number("length", of: $0) }.reduce(0, +) < 8_192, "\(result)")
  }

  @Test("A missing device of a required track ends the take")
  func required() throws {
    let lines = try run(
      """
      speaker; "$recorder" \(Self.start) --require far --reconnect 0 a.wav >/dev/null; captured 0.5
      pw-cli destroy second; "$recorder" wait --json; echo "code $?"
      """)
    let result = try #require(try objects(lines).last)
    #expect(result["reason"] as? String == "device" && result["exit"] as? Int == 14)
    #expect(
      result["message"] as? String == "the speaker \"output:second\" disappeared", "\(result)")
    #expect(try lines.number(after: "code") == 14)
  }

  @Test("The gaps of a track survive a crash")
  func killed() throws {
    let lines = try run(
      """
      speaker; "$recorder" \(Self.start) a.wav >/dev/null; session=$(pid); captured 0.5
      pw-cli destroy second; await '"$recorder" status | tr -s " \\n" " " | grep -q disappeared'
      # A crash loses up to a second.
      captured +2; kill -KILL "$session"; ended "$session"; "$recorder" recover --json
      """)
    let recovery = try #require(try objects(lines).last)
    let take = try #require((recovery["recovered"] as? [[String: Any]])?.first, "\(lines)")
    #expect(try number("length", of: gap(take, cause: "disconnected")) > 24_000)
  }
}
