import Foundation
import Support
import Testing

@Suite("A device that does not exist", .timeLimit(.minutes(10)))
struct DeviceNameTests {
  @Test(
    "causes no advice to plug a device in if a name was typed",
    arguments: ["start a.wav", "$recorder meter", "$recorder play tick"],
    ["mic", "0", "My Mic", "hw:9"])
  func named(command: String, device: String) throws {
    let theatre = try Theatre()
    let studio = theatre.studio
    try studio.run("$recorder permission grant")
    let line = command.hasPrefix("start") ? "$recorder \(command)" : command
    let outcome = try studio.run("\(line) -d '\(device)'")
    #expect(outcome.code == 12 && outcome.errors.contains("\"\(device)\""), "\(outcome)")
    #expect(outcome.errors.contains("\"recorder devices\" lists"), "\(outcome)")
    #expect(
      !outcome.errors.contains("plug a device in") && !outcome.errors.contains("give --device"))
  }

  @Test("is answered with the most similar built-in device")
  func builtIn() throws {
    let studio = try Studio()
    let outcome = try studio.run("$recorder start a.wav -d tst:tone")
    #expect(outcome.errors.contains("did you mean \"test:tone\""), "\(outcome)")
    let misspelt = try studio.run("$recorder start a.wav -d test:tne")
    #expect(misspelt.errors.contains("test:tone"), "\(misspelt)")
  }

  @Test(
    "is answered with PipeWire's nodes, by their descriptions too",
    .requires("RECORDER_PACED_CARD"),
    arguments: [
      ("micro", "pipewire:NODE=microphone"), ("microfone", "pipewire:NODE=microphone"),
      ("MICROPHONE", "pipewire:NODE=microphone"), ("pipewire:NODE=micro", "microphone"),
      ("pipewire:mic", "microphone"), ("pipewire:Microphone", "microphone"),
    ])
  func nodes(typed: String, named: String) throws {
    // `XDG_RUNTIME_DIR` is not changed, so the server is the one of these tests.
    let scratch = try ScratchDirectory()
    let outcome = try sh(
      """
      cd "$HOME"; "$recorder" permission grant > /dev/null
      "$recorder" start a.wav -d '\(typed)'
      """,
      environment: scratch.asHome)
    #expect(outcome.code == 12 && outcome.errors.contains("\"\(named)\""), "\(outcome)")
    #expect(!outcome.errors.contains("Host is down"), "\(outcome)")
    #expect(outcome.errors.contains("recorder devices"))
  }
}

@Suite("A device without a clock", .timeLimit(.minutes(10)))
struct UnpacedTests {
  @Test("loses no frames: the capture waits for the writer", arguments: ["flac", "wav", "opus"])
  func whole(suffix: String) throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      "$recorder" start a.\(suffix) -d null -r 8000 -c 1 --duration 20m > /dev/null
      "$recorder" wait --json
      """, limit: .seconds(120))
    let result = try parsed(outcome.output)
    #expect(outcome.code == 0 && (result["gaps"] as? [Any])?.isEmpty == true, "\(outcome)")
    let frames = try #require(result["frames"] as? [String: Int])
    #expect(frames["lost"] == 0 && frames["onDisk"] == 8_000 * 1_200)
    #expect(try studio.json("takes")["takes"] != nil)
  }

  @Test("is stopped like any other device")
  func stopped() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      "$recorder start a.flac -d null > /dev/null; captured 1; $recorder stop --json")
    let result = try parsed(outcome.output)
    #expect(outcome.code == 0 && result["reason"] as? String == "stopped", "\(outcome)")
    #expect((result["frames"] as? [String: Int])?["lost"] == 0)
  }
}
