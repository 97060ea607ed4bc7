import Foundation
import Support
import Testing

@Suite("Playing a long sound", .timeLimit(.minutes(10)))
struct LongSoundTests {
  @Test("The decoder can begin at any frame, with the same result as from the start")
  func decoderStarts() throws {
    let theatre = try Theatre()
    try theatre.ramp("a.wav", frames: 200_000)
    let outcome = try theatre.run(
      """
      ffmpeg -v error -i a.wav a.flac && ffmpeg -v error -i a.wav -ar 44100 other.wav
      decode() {
        "$recorder" decode "{\\"format\\":{\\"rate\\":48000,\\"channels\\":1,\\"sample\\":\\"FLOAT\\"},\\"first\\":$2}" < $1 |
          tail -c +9
      }
      for file in a.wav a.flac other.wav; do
        decode $file 0 > whole
        for first in 1 4799 100000 199999; do
          decode $file $first > part
          tail -c +$((first * 4 + 1)) whole > rest
          test $(stat -c %s part) = $(stat -c %s rest) || echo "$file $first: sizes"
          test $file = other.wav || cmp part rest
        done
        cp part "part.$file"; cp rest "rest.$file"
      done
      decode other.wav 100000 > part; decode other.wav 0 | tail -c +400001 > rest
      """)
    #expect(outcome.code == 0 && outcome.output == "" && outcome.errors == "", "\(outcome)")
    let parts = try ["part", "rest"].map { name in
      try theatre.scratch.read(name).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }
    #expect(parts[0].count == 100_000)
    let furthest = zip(parts[0], parts[1]).map { abs($0 - $1) }.max()
    #expect(try #require(furthest) < 1e-5)
  }

  @Test("A sound of three hours begins immediately, needs little memory and can seek anywhere")
  func threeHours() throws {
    let theatre = try Theatre()
    try theatre.ramp("long.wav", frames: 48_000)
    // The header is changed to that of three hours. The silence takes no space on the disk.
    let frames = 3 * 3_600 * 48_000
    let file = try FileHandle(forUpdating: URL(filePath: theatre.scratch.path("long.wav")))
    for (place, value) in [(4, 36 + 2 * frames), (40, 2 * frames)] {
      try file.seek(toOffset: UInt64(place))
      try file.write(contentsOf: Data(Theatre.little(value, 4)))
    }
    try file.truncate(atOffset: UInt64(44 + 2 * frames))
    try file.close()
    let outcome = try theatre.run(
      """
      play ./long.wav --detach --json
      name=$(pwd -P)/long.wav
      sound seek "$name" 2h30m
      sound rewind "$name"
      sound seek "$name" 2h59m59s800ms
      """)
    #expect(outcome.code == 0 && outcome.errors == "", "\(outcome)")
    #expect(outcome.output.contains("\"duration\":10800.0"), "\(outcome.output)")
    #expect(try theatre.wait { $0.values.first?["state"] as? String == "ended" })
    let player = try #require(theatre.studio.processes().first)
    let status = try String(contentsOfFile: "/proc/\(player)/status", encoding: .utf8)
    let peak = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM") })
    let kilobytes = try #require(peak.split(separator: " ").compactMap { Int($0) }.first)
    #expect(kilobytes < 64 << 10)
  }

  @Test(
    "A card gets every frame, and after a jump exactly the frames of the new position",
    .requires("RECORDER_PACED_CARD"))
  func heard() throws {
    let theatre = try Theatre()
    let frames = 40 * 48_000
    let samples = try theatre.ramp("long.wav", frames: frames).map { Float($0) }
    try theatre.useTape(over: "pipewire")
    let server = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"] ?? ""
    let outcome = try theatre.run(
      """
      export ALSA_CONFIG_PATH="$HOME/asound.conf" device=tape PIPEWIRE_RUNTIME_DIR=\(server)
      play ./long.wav & play=$!
      await 'sound status | grep -q "playing *0:0[4-9]"'
      sound seek "$(pwd -P)/long.wav" 36s
      wait $play; taped
      """)
    #expect(outcome.code == 0 && outcome.errors == "", "\(outcome)")
    theatre.endPlayer()
    let tape = Array(
      try theatre.tape("tape.raw").drop { $0 == 0 }.reversed().drop { $0 == 0 }.reversed())
    let jump = 36 * 48_000
    // The first 5 ms after the seek fade in.
    let tail = Array(samples[(jump + 240)...])
    #expect(tape.suffix(tail.count).elementsEqual(tail))
    let first = zip(tape, samples).prefix { $0 == $1 }.count
    #expect(first > 3 * 48_000 && first < jump)
    // Between the two there are a fade of 5 ms, the silence of the seek, and another fade.
    let between = tape[first..<(tape.count - tail.count)]
    #expect(between.count < 48_000)
  }

  @Test(
    "A command that changes nothing is inaudible, although it rewinds the buffer",
    .requires("RECORDER_PACED_CARD"))
  func takenBack() throws {
    let theatre = try Theatre()
    try theatre.ramp("long.wav", frames: 31 * 48_000)
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let script = """
      cd '\(theatre.scratch.path)'
      PIPEWIRE_ALSA='{ stream.capture.sink=true target.object=speaker }' \\
        arecord -q -D pipewire -f FLOAT_LE -c 2 -r 48000 -t raw monitor.raw & monitor=$!
      await [ -s monitor.raw ]
      "$recorder" play --device pipewire --detach ./long.wav
      await '"$recorder" sound status | grep -q "playing *0:0[1-9]"'
      pw-dump | grep -o '"node.latency": "[0-9]*/48000"' > cycles
      for round in $(seq 40); do "$recorder" sound volume long.wav 1; done
      "$recorder" sound stop
      await '[ $(tail -c 8000 monitor.raw | tr -d "\\0" | wc -c) = 0 ]'
      for player in $(pgrep -f 'recorder player'); do
        if grep -qz "SESSION=$RECORDER_PACED_CARD_SESSION" /proc/$player/environ; then
          kill $player
          ended $player
        fi
      done
      kill $monitor; wait $monitor
      """
    // The test uses a card of its own, because the sounds of other tests would be captured as well.
    let outcome = try Tool.run(
      "/\(root)/scripts/with-paced-card", ["sh", "-c", shellFunctions + script],
      environment: ["recorder": try Products.recorder], limit: .seconds(60))
    let heard = try theatre.tape("monitor.raw").drop { $0 == 0 }.reversed().drop { $0 == 0 }
    #expect(heard.count > 48_000, "\(outcome.errorText)")
    let cycles = String(decoding: try theatre.scratch.read("cycles"), as: UTF8.self)
    #expect(cycles.contains("\"2049/48000\""), "\(cycles)")
    // The stop fades out for 5 ms. A busy server may lose single cycles, but an audible command
    // would do so 40 times.
    let whole = Array(heard.reversed().dropLast(240))
    let breaks = zip(whole, whole.dropFirst()).count { $1 != ($0 == 30_000 ? 1 : $0 + 1) }
    #expect(whole.first == 1 && breaks <= 3, "\(breaks) breaks in \(whole.count) frames")
  }

  @Test("The decoder of a stopped sound soon ends, and a resume starts a new one")
  func decoderEnds() throws {
    let theatre = try Theatre()
    try theatre.ramp("long.wav", frames: 40 * 48_000)
    try theatre.run("play ./long.wav --detach; sound stop; sound replay \"$PWD/long.wav\"")
    let player = try #require(theatre.studio.processes().first)
    let outcome = try theatre.run(
      """
      pgrep -P \(player) > /dev/null || echo "no decoder" >&2
      sound stop
      await '! pgrep -P \(player) > /dev/null'
      sound seek "$PWD/long.wav" 20; sound resume "$PWD/long.wav"
      await 'sound status | grep -q "playing *0:2[1-9]"'
      """)
    #expect(outcome.code == 0 && outcome.errors == "", "\(outcome)")
  }
}
