import Audio
import Recording
import Testing

@testable import Takes

@Suite("The warnings of a recording")
struct SessionWarningTests {
  @Test(
    "Each of silence, a disk that is almost full and loss causes its own warning",
    arguments: [
      (0, 0.0, nil, 0, []), (143_999, 0.0, nil, 0, []), (144_000, 0.0, nil, 0, [.silence]),
      (144_000, 0.1, nil, 0, []), (0, 0.1, 299.0, 0, [.disk]), (0, 0.1, 300.0, 0, []),
      (0, 0.1, nil, 1, [.loss]), (144_000, 0.0, 0.0, 9, [.silence, .disk, .loss]),
    ] as [(Int, Double, Double?, Int, [SessionWarning.Kind])])
  func warnings(
    silent: Int, peak: Double, free: Double?, lost: Int, expected: [SessionWarning.Kind]
  ) {
    var progress = TakeProgress()
    progress.leadingSilence = FrameCount(silent)
    progress.highest.peak = peak
    progress.frames.lost = FrameCount(lost)
    let found = SessionWarning.all(
      about: progress, of: [Track(device: "default")], lost: progress.frames.lost, at: .hz48000,
      secondsFree: free)
    #expect(found.map(\.kind) == expected)
  }

  @Test(
    "The warning about a loss has the position of the last one, once the writer has counted it",
    arguments: [(960, Duration.seconds(2)), (1_440, nil)] as [(Int, Duration?)])
  func lastLoss(lost: Int, last: Duration?) {
    var progress = TakeProgress()
    progress.highest.peak = 0.5
    progress.frames.lost = 960
    progress.gaps = [
      Gap(position: 48_000, length: 480, cause: .overrun),
      Gap(position: 96_000, length: 480, cause: .overrun),
    ]
    let found = SessionWarning.all(
      about: progress, of: [Track(device: "default")], lost: FrameCount(lost), at: .hz48000,
      secondsFree: nil)
    #expect(found == [.lost(FrameCount(lost), last: last)])
  }

  @Test(
    "A speaker or a program that is silent is no fault of a device",
    arguments: [
      (["output"], SessionWarning.nothingPlayed), (["app:player", "output"], .nothingPlayed),
      (["default"], .silence), (["output", "default"], .silence),
    ])
  func silence(devices: [String], expected: SessionWarning) {
    var progress = TakeProgress()
    progress.leadingSilence = 144_000
    let tracks = devices.map { Track(device: $0) }
    let found = SessionWarning.all(about: progress, of: tracks, at: .hz48000, secondsFree: nil)
    #expect(found == [expected])
  }

  @Test(
    "A track of a microphone without any sound may be muted, and a speaker's track may just be silent",
    arguments: [
      ("default", Decibels.silence, 144_000, false, true),
      ("default", .silence, 143_999, false, false),
      ("default", Decibels(-90), 144_000, false, false),
      ("output", .silence, 144_000, false, false),
      ("default", .silence, 144_000, true, false),
    ])
  func silentTrack(
    device: String, peak: Decibels, frames: Int, isMissing: Bool, isReported: Bool
  ) {
    var progress = TakeProgress()
    progress.highest.peak = 0.5
    progress.frames.captured = FrameCount(frames)
    var track = Track(name: "mic", device: device, channels: 0..<2)
    track.peak = peak
    if isMissing { track.gaps = [Gap(position: 0, length: 9, cause: .disconnected)] }
    let found = SessionWarning.all(
      about: progress, of: [track, Track(name: "far", device: "output")], at: .hz48000,
      secondsFree: nil)
    #expect(found == (isReported ? [.silentTrack(track)] : []))
  }
}
