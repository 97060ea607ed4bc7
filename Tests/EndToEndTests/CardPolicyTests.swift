import Foundation
import Support
import Testing

/// Policies that name cards, for microphones of a private PipeWire server whose nodes have the
/// properties of cards. The cards 76 and 77 do not exist, so a rule knows them by number.
@Suite(
  "A policy for cards, with several tracks", .requires("RECORDER_PACED_CARD"),
  .requires("RECORDER_ROOT_TESTS"), .requiresRoot, .timeLimit(.minutes(10)))
struct CardPolicyAsRootTests {
  /// Functions for scripts. `rule` replaces the policy, `choose` changes the default microphone,
  /// `begin` starts a take and prints the exit code, `level` prints the peak of a file.
  private static let words = #"""
    card() { "$root/scripts/paced-card" "$@"; }
    rule() {
      (umask 022; printf '{"version":1,"rules":[{"service":"microphone","match":{"devices":["%s"]},"status":"%s"}]}' \
        "$1" "$2" >/etc/recorder/policy.d/.new && mv /etc/recorder/policy.d/.new /etc/recorder/policy.d/a.json)
    }
    microphone() {
      pw-cli create-node adapter "{ factory.name=support.null-audio-sink node.name=$1
        media.class=Audio/Source/Virtual object.linger=true audio.position=[FL FR]
        alsa.card=$2 alsa.device=0 }" >/dev/null
      await "pw-link -i | grep -q $1:input_FR"
    }
    choose() {
      pw-metadata 0 default.configured.audio.source "{ \"name\": \"$1\" }" Spa:String:JSON >/dev/null
      await "pw-metadata -n default 0 | grep -q \"default.audio.source.*$1\""
    }
    speak() {
      sox -n -r 48000 -c 2 -b 16 tone.wav synth 60 sine 1000 vol 0.25
      setpriv --pdeathsig KILL pw-cat --playback tone.wav >/dev/null 2>&1 &
      for side in FL FR; do await "pw-link pw-cat:output_$side $1:input_$side 2>/dev/null"; done
    }
    linked() { pw-link -l | grep -A 1 "^$1:capture" | grep -q recorder:input; }
    begin() { "$recorder" start "$@" >>begun 2>&1; echo "$name $?"; }
    level() { echo "$1 $(sox "$2" -n stat 2>&1 | awk '/Maximum amp/ { print int($3 * 1000) }')"; }
    microphone room 76; microphone exam 77

    """#

  /// Runs a script in a mount namespace with a copy of `/etc` and one policy for a card.
  private func run(_ card: String, _ status: String, _ script: String) throws -> [String] {
    try runBesideCard(
      """
      cp -a /etc "$HOME/etc" && rm -rf "$HOME/etc/recorder"
      (umask 022; mkdir -p "$HOME/etc/recorder/policy.d")
      cat >script <<'END'
      mount --bind "$HOME/etc" /etc
      \(shellFunctions)
      \(Self.words)
      rule \(card) \(status)
      \(script)
      END
      unshare -m sh script
      """)
  }

  private func expect(_ codes: [(String, Int)], _ lines: [String]) throws {
    for (word, code) in codes {
      #expect(try lines.number(after: word) == code, "\(word): \(lines)")
    }
  }

  private func result(_ lines: [String]) throws -> [String: Any] {
    try parsed(try #require(lines.last { $0.hasPrefix("{") }, "\(lines)"))
  }

  /// Returns the causes of the gaps of the track `mic`.
  private func causes(_ result: [String: Any]) throws -> [String?] {
    let tracks = try #require(result["tracks"] as? [[String: Any]])
    let track = try #require(tracks.first { $0["name"] as? String == "mic" })
    return try #require(track["gaps"] as? [[String: Any]]).map { $0["cause"] as? String }
  }

  @Test("Restricts a take if it covers the card of any microphone, or if a card is unknown")
  func restricts() throws {
    let lines = try run(
      "hw:77,0", "restricted",
      """
      far="--track far=output"
      name=other begin --track mic=pipewire:NODE=room $far --duration 0.2 other.wav
      name=same begin --track mic=pipewire:NODE=exam $far same.wav
      name=any begin --track mic=pipewire:NODE=room --track b=pipewire:NODE=exam any.wav
      name=unknown begin --track mic=default $far unknown.wav
      name=meeting begin --meeting meeting.wav
      "$recorder" wait >/dev/null; echo "files $(ls -A | grep -c wav)"
      rule hw:76,0 restricted
      name=changed begin --track mic=pipewire:NODE=room $far changed.wav
      """)
    try expect(
      [
        ("other", 0), ("same", 22), ("any", 22), ("unknown", 22), ("meeting", 22), ("files", 2),
        ("changed", 22),
      ], lines)
  }

  @Test("Authorizes a take only if it covers the cards of all microphones")
  func authorizes() throws {
    let lines = try run(
      "hw:76,0", "authorized",
      """
      "$recorder" permission reset microphone >/dev/null
      far="--track far=output"
      name=same begin --track mic=pipewire:NODE=room $far same.wav
      "$recorder" stop >/dev/null
      name=other begin --track mic=pipewire:NODE=exam $far other.wav
      name=both begin --track mic=pipewire:NODE=room --track b=pipewire:NODE=exam both.wav
      name=unknown begin --track mic=default $far unknown.wav
      """)
    try expect([("same", 0), ("other", 20), ("both", 20), ("unknown", 20)], lines)
  }

  @Test("Silences the track if the default microphone becomes one of a restricted card")
  func silences() throws {
    let lines = try run(
      "hw:77,0", "restricted",
      """
      choose room; speak exam; name=start begin --meeting a.wav; captured 0.5
      linked room; echo "room $?"; choose exam
      await '"$recorder" status | tr -s " \\n" " " | grep -q "\\"mic\\""'; captured +0.5
      linked exam; echo "exam $?"; choose room; captured +0.5; linked room; echo "again $?"
      "$recorder" stop --json; echo "code $?"
      for track in mic far; do "$recorder" export --track $track a.wav $track.wav >/dev/null; done
      level mic mic.wav; level far far.wav
      grep -c '"event":"stop"' "$XDG_STATE_HOME/recorder/audit.jsonl" | sed 's/^/stops /'
      """)
    try expect(
      [
        ("start", 0), ("room", 0), ("exam", 1), ("again", 1), ("code", 14), ("mic", 0),
        ("stops", 2),
      ], lines)
    #expect(try lines.number(after: "far") > 200, "\(lines)")
    #expect(try causes(result(lines)).last == "permission", "\(lines)")
  }

  @Test("Ends a take of microphones if one of them becomes one of a restricted card")
  func ends() throws {
    let lines = try run(
      "hw:77,0", "restricted",
      """
      choose room; speak exam
      name=start begin --track mic=default --track b=pipewire:NODE=room a.wav; captured 0.5
      choose exam; "$recorder" wait --json; echo "code $?"; level all a.wav
      """)
    try expect([("start", 0), ("code", 24), ("all", 0)], lines)
    #expect(try result(lines)["reason"] as? String == "permission", "\(lines)")
  }

  @Test("Is applied again to the card that is found after a reconnection")
  func reconnects() throws {
    let lines = try run(
      "hw:77,0", "restricted",
      """
      choose room; name=start begin --meeting --reconnect 30s a.wav; captured 0.5
      card restart; await '"$recorder" status | tr -s " \\n" " " | grep -q "\\"mic\\""'
      captured +0.5; linked microphone; echo "unknown $?"
      "$recorder" stop --json; echo "code $?"
      """)
    try expect([("start", 0), ("unknown", 1), ("code", 14)], lines)
    #expect(try causes(result(lines)).last == "permission", "\(lines)")
  }
}
