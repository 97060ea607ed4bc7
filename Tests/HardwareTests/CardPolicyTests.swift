import Foundation
import Support
import Testing

/// A PipeWire server with the cards 0 and 1, a policy that restricts the second, and takes of it.
@Suite(
  "A policy for cards, with PipeWire", .requires("RECORDER_KERNEL_CARDS"), .requiresRoot,
  .requires(tool: "wireplumber"), .serialized, .timeLimit(.minutes(10)))
struct CardPolicyTests {
  /// Starts the server and installs the policy until the script ends. No udev runs in the machine,
  /// so PipeWire finds only the cards with a file here. `source` prints the microphone of a card,
  /// `choose` makes it the default, and `begin` starts a take and prints the exit code.
  private static let server = #"""
    limit=240
    trap 'rm -rf /etc/recorder' EXIT
    mkdir -p /etc/recorder/policy.d /run/udev/data
    echo '{"version":1,"rules":[{"service":"microphone","match":{"devices":["hw:CARD=Loopback2,*"]},"status":"restricted"}]}' \
      > /etc/recorder/policy.d/a.json
    for card in 0 1; do echo E:SOUND_INITIALIZED=1 > "/run/udev/data/+sound:card$card"; done
    export XDG_CONFIG_HOME=$HOME/config DBUS_SESSION_BUS_ADDRESS=disabled:
    mkdir -p config/pipewire/pipewire.conf.d config/wireplumber/{main,bluetooth}.lua.d
    echo 'context.properties = { support.dbus = false }' > config/pipewire/pipewire.conf.d/a.conf
    cat > config/wireplumber/main.lua.d/60-cards.lua <<'END'
    alsa_monitor.properties["alsa.reserve"] = false
    v4l2_monitor.enabled = false
    libcamera_monitor.enabled = false
    default_access.properties["enable-flatpak-portal"] = false
    END
    echo 'bluez_monitor.enabled = false' > config/wireplumber/bluetooth.lua.d/60-off.lua
    setpriv --pdeathsig KILL pipewire > pipewire.log 2>&1 &
    await '[ -S "$XDG_RUNTIME_DIR/pipewire-0" ]'
    setpriv --pdeathsig KILL wireplumber > wireplumber.log 2>&1 &
    source_of() { pw-link -o | grep -o "^alsa_input[^:]*snd_aloop\.$1[^:]*" | head -n 1; }
    await '[ -n "$(source_of 0)" ] && [ -n "$(source_of 1)" ]'
    choose() {
      pw-metadata 0 default.configured.audio.source "{ \"name\": \"$1\" }" Spa:String:JSON > /dev/null
      await "pw-metadata -n default 0 | grep -q \"default.audio.source.*$1\""
    }
    begin() { name=$1; shift; recorder start --name "$name" "$@" > /dev/null; echo "$name $?"; }
    recorder permission grant system-audio > /dev/null
    allowed=$(source_of 0) restricted=$(source_of 1)

    """#

  @Test("An authorized card needs no decision of the user, and another card does")
  func authorized() throws {
    let outcome = try Booth().run(
      #"""
      trap 'rm -rf /etc/recorder' EXIT
      mkdir -p /etc/recorder/policy.d
      echo '{"version":1,"rules":[{"service":"microphone","match":{"devices":["hw:CARD=Loopback,*"]},"status":"authorized"}]}' \
        > /etc/recorder/policy.d/a.json
      recorder permission reset > /dev/null; export RECORDER_NO_PROMPT=1
      recorder start --foreground --quiet --device hw:0,1 --duration 0.2 a.wav > /dev/null; echo allowed $?
      recorder start --foreground --quiet --device hw:1,1 --duration 0.2 b.wav > /dev/null; echo undecided $?
      recorder permission grant > /dev/null
      recorder start --foreground --quiet --device hw:1,1 --duration 0.2 b.wav > /dev/null; echo granted $?
      """#)
    for (name, value) in [("allowed", 0), ("undecided", 20), ("granted", 0)] {
      #expect(outcome.numbers(name) == [value], "\(name): \(outcome)")
    }
  }

  @Test("The restricted card is refused, and delivers no sound when it becomes the default")
  func restricted() throws {
    let outcome = try Booth().run(
      Self.server + """
        pw-dump | grep -E '"(api[.])?alsa[.](card|device|path|pcm[.](card|device))"' | sort | uniq -c
        far=(--track far=output)
        begin allowed --track mic=pipewire:NODE=$allowed "${far[@]}" --duration 1 a.wav
        recorder wait allowed > /dev/null
        begin refused --track mic=pipewire:NODE=$restricted "${far[@]}" b.wav
        choose "$allowed"; begin followed --meeting c.wav; captured 1 followed
        recorder start - --name feeder --device test:ramp --format raw --bits 16 --channels 2 \
          2> feeder.log | aplay "${sound[@]}" "${long[@]}" -D hw:Loopback2,1,0 &
        await grep -q RUNNING /proc/asound/Loopback2/pcm1p/sub0/status
        choose "$restricted"; await 'recorder status followed | tr -s " \\n" " " | grep -q "\\"mic\\""'
        captured +1 followed; recorder stop feeder > /dev/null
        recorder stop followed --json; echo "code $?"
        recorder export --track mic c.wav mic.wav > /dev/null
        echo peak $(sox mic.wav -n stat 2>&1 | awk '/Maximum amp/ { print int($3 * 1000) }')
        echo files $(ls | grep -c '^b')
        """, limit: .seconds(500))
    print(outcome.output)
    let expected = [
      ("allowed", 0), ("refused", 22), ("followed", 0), ("code", 14), ("peak", 0), ("files", 0),
    ]
    for (name, value) in expected {
      #expect(outcome.numbers(name) == [value], "\(name): \(outcome)")
    }
    let tracks = try #require(outcome.objects.last?["tracks"] as? [[String: Any]])
    let gaps = try #require(tracks.first?["gaps"] as? [[String: Any]])
    #expect(gaps.last?["cause"] as? String == "permission", "\(tracks)")
  }
}
