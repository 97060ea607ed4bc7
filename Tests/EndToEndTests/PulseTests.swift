import Foundation
import Support
import Testing

@Suite(
  "A recording through the PulseAudio plugin", .requires("RECORDER_PACED_CARD"),
  .requires(tool: "pipewire-pulse"), .requires(package: "libpipewire-0.3"),
  .timeLimit(.minutes(5)))
struct PulseTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  @Test(
    "of a stopped session reports the lost frames to within a period",
    arguments: isThorough ? [3, 10, 40] : [3])
  func stopped(seconds: Int) throws {
    let microphone = try NumberedMicrophone()
    let ended = try Tool.run(
      "\(Self.root)/scripts/with-paced-card",
      [
        "sh", "-c",
        """
        \(shellFunctions)
        cd "$HOME"; "$recorder" permission grant > /dev/null
        \(NumberedMicrophone.words)
        numbers; "\(Self.root)/scripts/paced-card" pulse >> "$ALSA_CONFIG_PATH" || exit 1
        setpriv --pdeathsig KILL pipewire-pulse 2> /dev/null & pulse=$!
        await [ -S "$XDG_RUNTIME_DIR/pulse/native" ]
        "$recorder" start --device pulse --json a.wav > started || exit 1
        session=$(number pid < started); captured 1
        halted "$session" \(seconds)
        # Frames that the server claims to have count as lost when they have been missing for a second.
        # After a long halt, the server claims for 3 s that more sound is on the way.
        captured +\(seconds > 20 ? 5 : 3)
        "$recorder" stop --json; echo "code $?"; mv a.wav '\(microphone.take)'; kill $pulse $source || :
        """,
      ],
      environment: [
        "recorder": try Products.recorder, "numbers": microphone.program,
        "RECORDER_PERMISSION": nil, "RECORDER_NO_PROMPT": nil,
      ], limit: .seconds(seconds + 60))
    let lines = ended.outputText.split(separator: "\n").map(String.init)
    try #require(ended.code == 0 && lines.count == 2, "\(ended.outputText)\(ended.errorText)")
    let frames = try #require(try parsed(lines[0])["frames"] as? [String: Int])
    let (lost, error) = (frames["lost"] ?? 0, try microphone.error())
    print("pulse, stopped for \(seconds) s: \(lost) frames lost, off by \(error)")
    #expect(abs(error) <= 4_800)
    #expect(lines[1] == (lost > 0 ? "code 14" : "code 0"))
  }
}
