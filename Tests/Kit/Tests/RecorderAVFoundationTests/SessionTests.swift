import Bench
import RecorderAVFoundation
import Shapes5
import Shapes6
import Testing

/// Rows 39, 114, 115 and 117 to 119 of the conformance table: the session and the delegates.
@Suite("Session and delegates")
struct SessionTests {
  let probe: Probe

  init() throws { probe = try Probe() }

  @Test("Row 39: another rate does not compile, and the compiler says why")
  func rate() throws {
    let source = try probe.scratch.write(
      """
      import RecorderAVFoundation
      func play(_ player: AVAudioPlayer) {
        player.enableRate = true
        player.rate = 2
      }
      """, to: "rate.swift")
    let end = try Compiler.check(source)
    #expect(end.code != 0)
    for name in ["enableRate", "rate"] {
      #expect(
        end.errors.contains("'\(name)' is unavailable: the rate of a sound cannot be changed"),
        "\(end.errors)")
    }
  }

  @Test(
    "Rows 114 and 115: a category for playing forbids recording, and deactivating stops everything")
  func session() throws {
    try probe.decide("grant")
    try Fixture.write(to: probe.scratch)
    let end = try probe.run("session", "tone.wav", "memo.wav")
    #expect(
      end.output.split(separator: "\n") == [
        "unset true true", "error 560030580", "stopped false false", "playback true false false",
        "error 560030580", "playAndRecord true", "inactive",
      ], "\(end.output) \(end.errors)")
  }

  @Test(
    "Row 117: delegates are called on the main thread, in order, and none is lost while it is blocked"
  )
  func blocked() throws {
    try probe.decide("grant")
    try Fixture.write(to: probe.scratch, frames: 9_600)
    let end = try probe.run("blocked", "tone.wav", "memo.wav")
    #expect(
      end.output == "told 0\nplayed true\nfinished true\n", "\(end.output) \(end.errors)")
  }

  @Test("Row 118: a removed delegate is not called")
  @MainActor
  func noDelegate() async throws {
    let scratch = try Scratch()
    let player = try AVAudioPlayer(
      contentsOf: try Fixture.write(to: scratch, frames: 4_800))
    let listener = Listener()
    player.delegate = listener
    player.play()
    player.delegate = nil
    try await eventually { !player.isPlaying }
    #expect(await listener.settled().isEmpty)
  }

  @Test(
    "Row 119: the ways of writing a delegate compile in both language modes, and each is called")
  @MainActor
  func shapes() async throws {
    try await call(Shapes5.BoundShape()) { $0.ends }
    try await call(Shapes6.BoundShape()) { $0.ends }
    try await call(Shapes5.PlainShape()) { $0.ends }
    try await call(Shapes6.PlainShape()) { $0.ends }
    try await call(Shapes5.HoppingShape()) { $0.ends }
    try await call(Shapes6.HoppingShape()) { $0.ends }
    try await call(Shapes5.ExtendedShape()) { $0.ends }
    try await call(Shapes6.ExtendedShape()) { $0.ends }
    try await call(Shapes5.EmptyShape()) { _ in nil }
    try await call(Shapes6.EmptyShape()) { _ in nil }
    try await call(Shapes5.SendableShape()) { $0.ends }
    try await call(Shapes6.SendableShape()) { $0.ends }
    try await call(Shapes5.ModelShape()) { $0.ends }
    try await call(Shapes6.ModelShape()) { $0.ends }
    try await call(Shapes5.InheritingShape()) { $0.ends }
    try await call(Shapes6.InheritingShape()) { $0.ends }
    try await call(Shapes5.FormerConcurrencyShape()) { $0.ends }
    try await call(Shapes6.FormerConcurrencyShape()) { $0.ends }
    try await call(Shapes5.ActorShape()) { $0.ends }
    try await call(Shapes6.ActorShape()) { $0.ends }
    try await call(Shapes5.QueueShape()) { $0.ends }
    try await call(Shapes6.QueueShape()) { $0.ends }
  }

  /// Lets a player and a recorder report their ends to a delegate. Checks the delegate's count,
  /// unless it has no methods.
  @MainActor
  private func call<Shape: AVAudioPlayerDelegate & AVAudioRecorderDelegate>(
    _ shape: Shape, _ ends: @MainActor (Shape) -> Int?
  ) async throws {
    let scratch = try Scratch()
    let player = try AVAudioPlayer(contentsOf: try Fixture.write(to: scratch, frames: 2_400))
    player.delegate = shape
    try #require(player.play())
    try await eventually { (ends(shape) ?? 1) == 1 && !player.isPlaying }
    let recorder = try AVAudioRecorder(
      url: scratch.file("a.wav"), settings: [AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 1])
    recorder.delegate = shape
    try #require(recorder.record(forDuration: 0.05))
    try await eventually { (ends(shape) ?? 2) == 2 && !recorder.isRecording }
  }
}
