import Bench
import RecorderAVFoundation
import RecorderKit
import Testing

/// Rows 49, 58, 60, 75, 77 and 78 of the conformance table: lost devices, sounds of a known
/// loudness, full disks and policies. Each test has its own card or mount.
@Suite("Players and recorders: devices, disks and policies")
struct DeviceFaultTests {
  let probe: Probe
  static let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }
  .path

  init() throws { probe = try Probe() }

  @Test(
    "Row 49: a device that returns within 10 s continues at the next frame",
    // The sleep is the time without a device.
    arguments: ["\"$card\" restart", "\"$card\" kill; sleep 1; \"$card\" restart"])
  func deviceBack(accident: String) throws {
    let samples = (1...144_000).map { Float($0) / 8_388_608 }
    let file = try AudioFileWriter(
      creating: probe.scratch.path("count.wav"),
      format: AudioFormat(sampleRate: 48_000, channelCount: 1, sampleFormat: .float32))
    // The last buffer of a tape is lost if its program ends first. Here that buffer is silence.
    try file.write(samples + [Float](repeating: 0, count: 8_192))
    try file.close()
    // A reopened device appends to the tape. The tape does not have frames that the device did not
    // play.
    let lines = try besideCard(
      """
      RECORDER_PLAYBACK_DEVICE=tape "$probe" play count.wav > output & until_larger tape.raw 115200
      { \(accident); } > /dev/null
      wait $!; cat output
      """)
    #expect(lines == ["playing true", "played true", "isPlaying false"])
    let heard = Tape(probe.scratch).channel(0)
    // The tape has all samples except the 5 ms of the fade-in after the accident. The samples
    // before and after those are exact. A killed server does not report the frames of its last
    // quantum.
    let before = zip(heard, samples).prefix { $0 == $1 }.count
    let after = zip(heard.reversed(), samples.reversed()).prefix { $0 == $1 }.count
    #expect(
      (1...240).contains(heard.count - before - after), "\(before), \(after) of \(heard.count)")
    #expect(abs(heard.count - samples.count) <= 1_024, "\(heard.count)")
  }

  @Test("Row 49: a device that does not come back causes an error, then the end")
  func deviceAway() throws {
    try Fixture.write(to: probe.scratch, frames: 20 * Fixture.frames)
    let lines = try besideCard(
      """
      RECORDER_PLAYBACK_DEVICE=tape "$probe" play tone.wav > output & until_larger tape.raw 115200
      "$card" kill; wait; cat output
      """)
    #expect(lines.count == 4, "\(lines)")
    #expect(lines.first == "playing true")
    #expect(lines.dropFirst().first?.hasPrefix("error ") == true)
    #expect(lines.suffix(2) == ["played false", "isPlaying false"])
  }

  @Test("Row 78: a lost microphone ends the recording, and the file is kept")
  func microphoneAway() throws {
    let lines = try besideCard(
      """
      "$recorder" permission grant --as apple-probe > /dev/null
      "$probe" record "$place/a.wav" > output & until_larger "*.part .*.part" 48000; "$card" kill; wait; cat output
      """)
    #expect(
      lines == ["prepared true", "recording true", "finished false", "isRecording false"],
      "\(lines)")
    #expect(try AudioFileReader(probe.scratch.path("a.wav")).length > 12_000)
  }

  @Test("Row 75: a full-scale sine has peak 0 dB and mean −3 dB; a silent channel has −160 dB")
  func meters() throws {
    let sine = (0..<48_000).flatMap { [Int16(sin(Double($0) * 2 * .pi / 96) * 32_767), 0] }
    try sine.withUnsafeBytes { Data($0) }.write(to: probe.scratch.file("sine.raw"))
    let lines = try besideCard(
      """
      cat >> "$ALSA_CONFIG_PATH" << END
      pcm.sine {
        type file  slave.pcm "$RECORDER_PACED_CARD"  file /dev/null  format raw  infile $place/sine.raw
      }
      END
      "$recorder" permission grant --as apple-probe > /dev/null
      RECORDER_CAPTURE_DEVICE=sine "$probe" meters a.wav
      """)
    let powers = lines.last?.split(separator: " ").compactMap { Double($0) } ?? []
    try #require(powers.count == 4, "\(lines)")
    #expect(abs(powers[0]) < 0.1)
    #expect(abs(powers[1] + 3.01) < 0.2)
    #expect(powers.suffix(2) == [-160, -160])
  }

  @Test("Row 60: a recording on a full disk is refused and leaves no file", .mountsAllowed)
  func alreadyFull() throws {
    let end = try unshared(
      """
      "$recorder" permission grant --quiet --as \(Probe.client) > grant
      mount -t tmpfs -o size=64k tmpfs small
      cat /dev/zero > small/filler 2> /dev/null || true
      "$probe" record small/a.wav 1; ls -A small
      """, makes: "small")
    let lines = end.output.split(separator: "\n")
    #expect(lines.dropFirst() == ["recording false", "filler"], "\(end.output) \(end.errors)")
  }

  @Test("Row 77: a full disk ends the recording with an error and keeps the file", .mountsAllowed)
  func fullDisk() throws {
    // Granted inside the namespace, because the user has another user ID there.
    let end = try unshared(
      """
      "$recorder" permission grant --quiet --as \(Probe.client) > grant
      mount -t tmpfs -o size=18m tmpfs small
      "$probe" record small/a.wav 120 768000; cp small/a.wav a.wav
      """, makes: "small")
    let lines = end.output.split(separator: "\n")
    #expect(lines.prefix(2) == ["prepared true", "recording true"], "\(end.output) \(end.errors)")
    #expect(lines.dropFirst(2).first?.hasPrefix("error ") == true, "\(end.output)")
    #expect(lines.suffix(2) == ["finished false", "isRecording false"])
    #expect(try AudioFileReader(probe.scratch.path("a.wav")).length > 100_000)
  }

  @Test(
    "Row 58: where a policy restricts the microphone, nothing is prepared, recorded or written",
    .mountsAllowed)
  func restricted() throws {
    try probe.decide("grant")
    let end = try unshared(
      """
      cp /etc/passwd /etc/group .
      mount -t tmpfs -o mode=755 tmpfs /etc; cp passwd group /etc; mkdir -p -m 755 /etc/recorder/policy.d
      printf '{"version":1,"rules":[{"service":"microphone","match":{},"status":"restricted"}]}' \
        > /etc/recorder/policy.d/1.json
      "$probe" status; "$probe" record a.wav 1
      """)
    let lines = end.output.split(separator: "\n")
    #expect(lines.first == "audio 1", "\(end.output) \(end.errors)")
    // Apple's types for the permission to record have no value for a restriction.
    #expect(lines.dropFirst(2).prefix(2) == ["application 1684369017", "session 1684369017"])
    #expect(lines.suffix(2) == ["prepared false", "recording false"])
    #expect(try !probe.scratch.names.contains("a.wav"))
  }

  @Test("Row 116: a policy mounted over its directory takes effect immediately", .mountsAllowed)
  func mounted() throws {
    let end = try unshared(
      """
      cp /etc/passwd /etc/group .; mkdir -p -m 755 policies
      mount -t tmpfs -o mode=755 tmpfs /etc; cp passwd group /etc; mkdir -p -m 755 /etc/recorder/policy.d
      printf '{"version":1,"rules":[{"service":"microphone","match":{},"status":"restricted"}]}' > policies/1.json
      chmod 644 policies/1.json
      timeout 20 "$probe" changes 2 > lines & until [ -s lines ]; do sleep 0.02; done
      mount --bind policies /etc/recorder/policy.d
      wait; cat lines
      """)
    #expect(end.output == "notDetermined\nrestricted\n", "\(end.output) \(end.errors)")
  }

  /// Runs a script next to its own sound card, and returns the lines of its output.
  private func besideCard(_ script: String) throws -> [String] {
    let head = """
      root='\(Self.root)' probe='\(Probe.path)' recorder='\(Command.programs)/recorder'
      card="$root/scripts/paced-card" place='\(probe.scratch.url.path)'; cd "$place"
      export RECORDER_CAPTURE_DEVICE="$RECORDER_PACED_CARD" RECORDER_PLAYBACK_DEVICE="$RECORDER_PACED_CARD"
      # A device that keeps the frames that it plays.
      cat >> "$ALSA_CONFIG_PATH" << END
      pcm.tape {
        type file  slave.pcm "$RECORDER_PACED_CARD"  file "|cat >> $place/tape.raw"  format raw
      }
      END
      # Waits until a file of the last program has more bytes; the name may be a pattern.
      until_larger() {
        until [ "$(cat $1 2> /dev/null | wc -c)" -gt "$2" ]; do
          kill -0 $! || exit
          sleep 0.02
        done
      }

      """
    try probe.scratch.write(head + script, to: "script")
    let end = try Command.run(
      Self.root + "/scripts/with-paced-card", ["sh", probe.scratch.path("script")])
    return end.output.split(separator: "\n").map(String.init)
  }

  /// Runs a script in its own mount namespace, so that other processes do not see its mounts.
  private func unshared(_ script: String, makes directory: String? = nil) throws -> Command.End {
    if let directory {
      try FileManager.default.createDirectory(
        at: probe.scratch.file(directory), withIntermediateDirectories: true)
    }
    return try Command.run(
      "/usr/bin/unshare",
      [
        "-rm", "sh", "-ec",
        "probe='\(Probe.path)' recorder='\(Command.programs)/recorder'\n" + script,
      ],
      environment: probe.environment, directory: probe.scratch.url)
  }
}

extension Trait where Self == ConditionTrait {
  /// Runs the test only if the kernel lets this user mount file systems in a namespace.
  static var mountsAllowed: Self {
    .enabled(
      if: (try? Command.run("/usr/bin/unshare", ["-rm", "mount", "-t", "tmpfs", "none", "/mnt"]))?
        .code == 0,
      "this user may not mount a small disk in a namespace of his own")
  }
}
