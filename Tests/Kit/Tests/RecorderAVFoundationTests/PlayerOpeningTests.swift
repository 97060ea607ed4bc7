import Bench
import RecorderAVFoundation
import RecorderKit
import Testing

/// Rows 1 to 12 of the conformance table: creating and opening players.
@Suite("AVAudioPlayer: opening")
struct PlayerOpeningTests {
  let scratch: Scratch
  let tone: URL

  init() throws {
    scratch = try Scratch()
    tone = try Fixture.write(to: scratch)
  }

  @Test("Row 1: a missing file is refused")
  func missing() {
    #expect(throws: RecorderError.self) { try AVAudioPlayer(contentsOf: scratch.file("none.wav")) }
  }

  @Test("Row 2: a text is refused")
  func text() throws {
    let url = try scratch.write(String(repeating: "no sound ", count: 100), to: "a.wav")
    #expect(throws: RecorderError.self) { try AVAudioPlayer(contentsOf: url) }
    #expect(throws: RecorderError.self) { try AVAudioPlayer(data: Data("no sound".utf8)) }
  }

  @Test("Row 3: an MPEG-4 file is refused, and the error names its encoding")
  func aac() throws {
    let head: [UInt8] =
      [0, 0, 0, 0x20] + Array("ftypM4A ".utf8) + [UInt8](repeating: 0, count: 400)
    try Data(head).write(to: scratch.file("a.m4a"))
    let error = #expect(throws: RecorderError.self) {
      try AVAudioPlayer(contentsOf: scratch.file("a.m4a"))
    }
    #expect(try #require(error).localizedDescription.contains("AAC"))
  }

  @Test("Row 4: creating a player does not open its device")
  func opensNothing() throws {
    let player = try AVAudioPlayer(contentsOf: tone)
    player.currentDevice = "there:is:no:such:device"
    #expect(!player.isPlaying)
    #expect(player.duration == 1)
  }

  @Test("Row 5: a wrong type hint is ignored", arguments: [AVFileType.mp3, .m4a, .aiff])
  func wrongHint(hint: AVFileType) throws {
    let player = try AVAudioPlayer(contentsOf: tone, fileTypeHint: hint.rawValue)
    #expect(player.duration == 1)
    let fromData = try AVAudioPlayer(data: Data(contentsOf: tone), fileTypeHint: hint.rawValue)
    #expect(fromData.duration == 1)
  }

  @Test("Row 6: a file and its bytes play the same frames")
  @MainActor
  func sameFrames() async throws {
    var heard: [[Float]] = []
    for (number, player) in [
      try AVAudioPlayer(contentsOf: tone), try AVAudioPlayer(data: Data(contentsOf: tone)),
    ].enumerated() {
      let tape = Tape(scratch, "\(number).raw")
      let listener = Listener()
      player.currentDevice = tape.device
      player.delegate = listener
      try #require(player.play())
      _ = try await listener.end()
      player.stop()
      heard.append(tape.channel(0))
    }
    #expect(heard[0] == Fixture.samples)
    #expect(heard[1] == heard[0])
  }

  @Test("Row 7: a player has the URL or the data that it was created from")
  func origins() throws {
    let file = try AVAudioPlayer(contentsOf: tone)
    #expect(file.url == tone)
    #expect(file.data == nil)
    let data = try Data(contentsOf: tone)
    let memory = try AVAudioPlayer(data: data)
    #expect(memory.url == nil)
    #expect(memory.data == data)
  }

  @Test(
    "Row 8: the length is the frames by the rate, the channels are the file's, and no device is needed",
    arguments: ["wav", "flac", "caf", "aiff", "opus"], [1, 2])
  func facts(ending: String, channels: Int) throws {
    // Opus has only one rate.
    for (frames, rate) in [(22_051, 44_100), (1, 8_000), (96_001, 96_000), (4_801, 48_000)]
    where ending != "opus" || rate == 48_000 {
      let url = scratch.file("\(rate)." + ending)
      try Tones.write(url, frames: frames, rate: rate, channels: channels)
      for player in [
        try AVAudioPlayer(contentsOf: url), try AVAudioPlayer(data: Data(contentsOf: url)),
      ] {
        player.currentDevice = "there:is:no:such:device"
        #expect(abs(player.duration - Double(frames) / Double(rate)) < 1e-9, "\(rate) Hz")
        #expect(player.numberOfChannels == channels)
        #expect(player.format.sampleRate == Double(rate))
      }
    }
  }

  @Test("Row 9: a new player is stopped, at the beginning, at full volume")
  func defaults() throws {
    let player = try AVAudioPlayer(contentsOf: tone)
    #expect(player.volume == 1)
    #expect(player.pan == 0)
    #expect(player.numberOfLoops == 0)
    #expect(!player.isMeteringEnabled)
    #expect(player.currentTime == 0)
    #expect(!player.isPlaying)
    #expect(player.delegate == nil)
  }

  @Test("Row 10: preparing opens the device and can be repeated")
  func prepare() throws {
    let tape = Tape(scratch)
    let player = try AVAudioPlayer(contentsOf: tone)
    player.currentDevice = tape.device
    #expect(player.prepareToPlay())
    #expect(player.prepareToPlay())
    #expect(!player.isPlaying)
    #expect(player.currentTime == 0)
    player.stop()
  }

  @Test("Row 11: preparing and playing return false if the device cannot be opened")
  @MainActor
  func noDevice() async throws {
    let player = try AVAudioPlayer(contentsOf: tone)
    let listener = Listener()
    player.delegate = listener
    player.currentDevice = "there:is:no:such:device"
    #expect(!player.prepareToPlay())
    #expect(!player.play())
    #expect(!player.play(atTime: player.deviceCurrentTime + 0.1))
    #expect(!player.isPlaying)
    #expect(await listener.settled().isEmpty)
  }

  @Test("Row 12: a player plays without preparation, and play returns before the end")
  func playUnprepared() throws {
    let long = try Fixture.write(to: scratch, "long.wav", frames: 20 * Fixture.frames)
    let player = try AVAudioPlayer(contentsOf: long)
    #expect(player.play())
    #expect(player.isPlaying && player.currentTime < 15)
    player.stop()
  }
}
