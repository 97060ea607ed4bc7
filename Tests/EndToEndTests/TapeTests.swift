import Foundation
import Support
import Testing

@Suite("The output of the player", .timeLimit(.minutes(10)))
struct TapeTests {
  /// Plays into a tape, which no clock paces, and returns its frames, without the silence around
  /// the sounds.
  private func recorded(_ script: String, _ theatre: Theatre) throws -> [Float] {
    try theatre.useTape()
    let outcome = try theatre.run(
      "export ALSA_CONFIG_PATH=\"$HOME/asound.conf\" device=tape\n\(script)\ntaped\n")
    #expect(outcome.code == 0, "\(outcome)")
    theatre.endPlayer()
    let tape = try theatre.tape("tape.raw").drop { $0 == 0 }
    return Array(tape.reversed().drop { $0 == 0 }.reversed())
  }

  @Test(
    "Every frame is there once, in its order, after any commands to a silent sound",
    arguments: [
      ("play ./a.wav", "a"), ("play ./a.wav --times 3", "aaa"),
      ("play ./a.wav; play ./a.wav", "a_a"),
      ("play ./a.wav ./b.wav", "a_b"), ("play ./a.wav ./b.wav --times 2", "a_b_a_b"),
      ("sound prepare \"$PWD/a.wav\" -d tape; sound resume \"$PWD/a.wav\" -d tape", "a"),
      ("play ./a.wav; sound replay ./a.wav", "a_a"),
      ("play ./a.wav; sound rewind ./a.wav; sound resume ./a.wav", "a_a"),
      (
        "sound prepare \"$PWD/a.wav\" -d tape; sound seek \"$PWD/a.wav\" 100ms; "
          + "play ./b.wav", "b"
      ),
      ("cat a.wav | play -", "a"),
      ("tail -c +45 a.wav | play - --rate 48000 --channels 1 --bits 16", "a"),
      ("sound mute ./a.wav; play ./a.wav; sound unmute ./a.wav; play ./b.wav", "b"),
    ])
  func exactly(script: String, order: String) throws {
    let theatre = try Theatre()
    let a = try theatre.ramp("a.wav", frames: 5_000).map { Float($0) }
    let b = try theatre.ramp("b.wav", frames: 3_001, from: 7_000).map { Float($0) }
    let heard = try recorded(script, theatre)
    var rest = heard[...]
    for name in order {
      switch name {
      case "_": rest = rest.drop { $0 == 0 }
      case "a":
        #expect(rest.prefix(a.count).elementsEqual(a), "\(order)")
        rest = rest.dropFirst(a.count)
      default:
        #expect(rest.prefix(b.count).elementsEqual(b), "\(order)")
        rest = rest.dropFirst(b.count)
      }
    }
    #expect(rest.isEmpty, "\(rest.count) frames too many")
  }

  @Test(
    "A take with its tracks in one file is mixed by each command that can start it",
    arguments: [
      "play ./a.wav", "sound replay ./a.wav -d tape", "sound resume ./a.wav -d tape",
      "sound prepare ./a.wav -d tape; sound resume ./a.wav",
      "sound seek ./a.wav 0s -d tape; sound resume ./a.wav",
    ])
  func mixed(script: String) throws {
    let theatre = try Theatre()
    let samples = (1...5_000).flatMap { [Int16(2 * $0), 0] as [Int16] }
    let bytes = WaveBytes.file(samples, channels: 2)
    try Data(bytes).write(to: URL(filePath: theatre.scratch.path("a.wav")))
    let tracks = ["mic", "far"].enumerated().map { index, name in
      #"{"name":"\#(name)","device":"d","firstChannel":\#(index + 1),"channels":1}"#
    }
    try theatre.scratch.write(
      #"{"device":"d","tracks":[\#(tracks.joined(separator: ","))]}"#, to: "a.wav.json")
    let heard = try recorded(script, theatre)
    #expect(heard.elementsEqual((1...5_000).map { Float($0) }))
  }

  @Test(
    "A position or volume that is set on a silent sound applies when it resumes",
    arguments: [
      ("sound prepare $a -d tape; sound seek $a 50ms; sound resume $a", 2_400, Float(1)),
      ("sound prepare $a -d tape; sound volume $a 0.5; sound resume $a", 0, 0.5),
      ("play $a; sound seek $a 50ms; sound resume $a", 2_400, 1),
      ("play $a; sound volume $a 0.5; sound replay $a", 0, 0.5),
      ("play $a; sound mute $a; sound seek $a 50ms; sound unmute $a; sound resume $a", 2_400, 1),
    ])
  func settings(script: String, first: Int, factor: Float) throws {
    let theatre = try Theatre()
    let sound = try theatre.ramp("a.wav", frames: 5_000).map { Float($0) * factor }
    let heard = try recorded("a=\"$PWD/a.wav\"; \(script)", theatre)
    // A sound that does not begin at its first frame fades in for 5 ms.
    let expected = sound.dropFirst(first == 0 ? 0 : first + 240)
    #expect(heard.suffix(expected.count).elementsEqual(expected))
  }

  @Test(
    "A loop has no gap, and resumes at the same position", .requires("RECORDER_PACED_CARD"))
  func loop() throws {
    let theatre = try Theatre()
    try theatre.useTape(over: "pipewire")
    let sound = try theatre.ramp("a.wav", frames: 5_000).map { Float($0) }
    let server = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"] ?? ""
    let outcome = try theatre.run(
      """
      export ALSA_CONFIG_PATH="$HOME/asound.conf" device=tape PIPEWIRE_RUNTIME_DIR=\(server)
      longer() { size=$(stat -c %s tape.raw) && await "[ \\$(stat -c %s tape.raw) -gt $((size + $1 * 8 * 48)) ]"; }
      play ./a.wav --loop --detach; await [ -s tape.raw ]; longer 600; sound pause ./a.wav; taped
      sound resume ./a.wav; longer 600; sound stop ./a.wav; taped
      """)
    #expect(outcome.code == 0, "\(outcome)")
    theatre.endPlayer()
    let tape = try theatre.tape("tape.raw").drop { $0 == 0 }
    let around = (0..<20_000).map { sound[$0 % sound.count] }
    #expect(tape.prefix(around.count).elementsEqual(around))
    // Before the fade-out at the end, the tape again has the frames of the loop in their order.
    let last = tape.reversed().drop { $0 == 0 }.dropFirst(240).prefix(20_000).reversed()
    let start = try #require(last.first.map { Int($0) - 1 })
    #expect(last.elementsEqual((0..<20_000).map { sound[(start + $0) % sound.count] }))
  }
}
