import Bench
import RecorderAVFoundation
import RecorderKit
import Testing

/// Rows 52 to 75 of the conformance table: recorders that are allowed to record.
@Suite("AVAudioRecorder")
@MainActor
struct RecorderTests {
  static let mono: [String: Any] = [AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 1]

  let scratch: Scratch
  let listener = Listener()

  init() throws { scratch = try Scratch() }

  @Test("Row 52: creating a recorder opens neither a file nor a device")
  func opensNothing() throws {
    let recorder = try recorder()
    #expect(try scratch.names.isEmpty)
    #expect(!recorder.isRecording)
    #expect(recorder.currentTime == 0)
    #expect(recorder.url == scratch.file("a.wav"))
  }

  @Test(
    "Row 53: the ending chooses the kind of file",
    arguments: [
      ("wav", "WAV"), ("flac", "FLAC"), ("opus", "OGG"), ("caf", "CAF"), ("aiff", "AIFF"),
    ])
  func endings(ending: String, kind: String) throws {
    let recorder = try recorder("a." + ending)
    #expect(recorder.record(forDuration: 0.2))
    recorder.stop()
    let file = try AudioFileReader(scratch.path("a." + ending))
    #expect(file.container.uppercased().contains(kind), "\(file.container)")
  }

  @Test(
    "Row 54: rate, channels and samples are in the file as they were asked for",
    arguments: [
      (8_000, 1, 16, false), (44_100, 2, 24, false), (96_000, 2, 32, false), (48_000, 1, 32, true),
    ])
  func settings(rate: Int, channels: Int, bits: Int, isFloat: Bool) throws {
    let recorder = try AVAudioRecorder(
      url: scratch.file("a.wav"),
      settings: [
        AVFormatIDKey: Int(kAudioFormatLinearPCM), AVSampleRateKey: Double(rate),
        AVNumberOfChannelsKey: channels, AVLinearPCMBitDepthKey: bits,
        AVLinearPCMIsFloatKey: isFloat, AVLinearPCMIsBigEndianKey: false,
      ])
    #expect(recorder.record())
    recorder.stop()
    let format = try AudioFileReader(scratch.path("a.wav")).format
    #expect(format.sampleRate == rate)
    #expect(format.channelCount == channels)
    let samples: [String: AudioFormat.SampleFormat] = [
      "16 false": .int16, "24 false": .int24, "32 false": .int32, "32 true": .float32,
    ]
    #expect(format.sampleFormat == samples["\(bits) \(isFloat)"])
  }

  @Test("Row 55: AAC is refused, and the error names the supported encodings")
  func aac() throws {
    let error = #expect(throws: RecorderError.self) {
      try AVAudioRecorder(
        url: scratch.file("a.m4a"), settings: [AVFormatIDKey: Int(kAudioFormatMPEG4AAC)])
    }
    let words = try #require(error).localizedDescription
    #expect(words.contains("AAC") && words.contains("FLAC") && words.contains("Opus"), "\(words)")
  }

  @Test(
    "Row 56: a setting that cannot be meant is refused, without a file",
    arguments: [
      (AVSampleRateKey, "loud"), (AVNumberOfChannelsKey, "two"), (AVSampleRateKey, "-1"),
      (AVNumberOfChannelsKey, "0"), (AVLinearPCMBitDepthKey, "13"),
    ])
  func wrongType(key: String, value: String) throws {
    let setting: Any = Int(value).map { $0 as Any } ?? value
    #expect(throws: RecorderError.self) {
      try AVAudioRecorder(url: scratch.file("a.wav"), settings: [key: setting])
    }
    #expect(try scratch.names.isEmpty)
  }

  @Test("Row 57: an existing file is kept until the new one is complete")
  func existing() throws {
    try scratch.write("kept", to: "a.wav")
    let recorder = try recorder()
    #expect(recorder.prepareToRecord())
    #expect(recorder.prepareToRecord())
    #expect(recorder.record())
    #expect(try String(contentsOf: scratch.file("a.wav"), encoding: .utf8) == "kept")
    recorder.stop()
    #expect(try AudioFileReader(scratch.path("a.wav")).length > 0)
  }

  @Test(
    "Row 60: a place that cannot be written to is refused",
    arguments: ["none/a.wav", "file/a.wav", "directory.wav", "/dev/null/a.wav"])
  func place(path: String) throws {
    try scratch.write("no directory", to: "file")
    try FileManager.default.createDirectory(
      at: scratch.file("directory.wav"), withIntermediateDirectories: false)
    try expectRefusal(at: path.hasPrefix("/") ? URL(fileURLWithPath: path) : scratch.file(path))
    #expect(try scratch.names == ["directory.wav", "file"])
  }

  @Test(
    "Row 60: a directory that this user may not write to is refused",
    .enabled(if: geteuid() != 0, "root may write anywhere"))
  func forbidden() throws {
    let directory = scratch.file("closed")
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o555])
    try expectRefusal(at: directory.appending(path: "a.wav"))
  }

  private func expectRefusal(at url: URL) throws {
    let recorder = try AVAudioRecorder(url: url, settings: Self.mono)
    #expect(!recorder.prepareToRecord())
    #expect(!recorder.record())
    #expect(!recorder.isRecording)
  }

  @Test("Row 61: record starts a recording, and isRecording is true")
  func record() throws {
    let recorder = try recorder()
    #expect(recorder.record())
    #expect(recorder.isRecording)
    recorder.stop()
    #expect(!recorder.isRecording)
  }

  @Test("Row 62: record during a recording continues the same recording")
  func recordTwice() async throws {
    let recorder = try recorder()
    recorder.record()
    try await eventually { recorder.currentTime > 0.3 }
    #expect(recorder.record())
    #expect(recorder.currentTime > 0.3)
    recorder.stop()
    #expect(try seconds() > 0.3)
  }

  @Test("Row 63: a pause is not in the file, and record resumes")
  func pause() async throws {
    let recorder = try recorder()
    let begin = ContinuousClock.now
    recorder.record()
    try await eventually { recorder.currentTime > 0.2 }
    recorder.pause()
    #expect(!recorder.isRecording)
    try await playElsewhere(0.5)
    #expect(recorder.record())
    #expect(recorder.isRecording)
    let place = recorder.currentTime
    try await eventually { recorder.currentTime > place + 0.1 }
    recorder.stop()
    let (length, lasted) = (try seconds(), (ContinuousClock.now - begin) / .seconds(1))
    #expect(length > 0.3 && length < lasted - 0.44, "\(length) of \(lasted)")
  }

  @Test("Row 64: the length does not change during a pause and is not 0")
  func paused() async throws {
    let recorder = try recorder()
    recorder.record()
    try await eventually { recorder.currentTime > 0.2 }
    recorder.pause()
    try await playElsewhere(0.1)
    let place = recorder.currentTime
    #expect(place > 0.2)
    try await playElsewhere(0.3)
    #expect(recorder.currentTime == place)
    recorder.stop()
  }

  @Test("Row 64: a length that is read once in a pause equals that of the file")
  func pausedOnce() async throws {
    let recorder = try recorder()
    recorder.record()
    try await playElsewhere(0.5)
    recorder.pause()
    let length = recorder.currentTime
    recorder.stop()
    let saved = try seconds()
    #expect(abs(saved - length) < 0.001, "\(length) of \(saved)")
  }

  @Test("Row 65: the length is 0 after a stop")
  func stopped() async throws {
    let recorder = try recorder()
    recorder.record()
    try await eventually { recorder.currentTime > 0.1 }
    recorder.stop()
    #expect(recorder.currentTime == 0)
  }

  @Test(
    "Row 66: after a stop the file is complete", arguments: ["wav", "flac", "opus", "caf", "aiff"])
  func complete(ending: String) throws {
    let recorder = try recorder("a." + ending)
    recorder.record()
    recorder.stop()
    let file = try AVAudioFile(forReading: scratch.file("a." + ending))
    #expect(file.length > 0)
    #expect(try scratch.names == ["a." + ending])
  }

  @Test("Row 67: a stop is reported once, as a success, on the main thread")
  func finish() async throws {
    let recorder = try recorder()
    recorder.record()
    recorder.stop()
    #expect(try await listener.end())
    #expect(await listener.settled() == [.finished(true)])
    #expect(listener.isAlwaysMain)
  }

  @Test("Row 68: record after a stop replaces the file with a new recording")
  func again() async throws {
    let recorder = try recorder()
    #expect(recorder.record(forDuration: 0.5))
    _ = try await listener.end()
    #expect(try frames() == 24_000)
    #expect(recorder.record(forDuration: 0.25))
    _ = try await listener.end()
    #expect(try frames() == 12_000)
  }

  @Test("record and deleteRecording wait for the file of a recording that ends by itself")
  func againAtOnce() async throws {
    let recorder = try recorder()
    for _ in 0..<10 {
      #expect(recorder.record(forDuration: 0.1))
      while recorder.isRecording { await Task.yield() }
    }
    #expect(recorder.deleteRecording())
    #expect(try scratch.names.isEmpty)
  }

  @Test("Row 69: a one-second recording has as many frames as the rate and ends by itself")
  func duration() async throws {
    let recorder = try recorder()
    #expect(recorder.record(forDuration: 1))
    #expect(try await listener.end())
    #expect(!recorder.isRecording)
    #expect(try frames() == 48_000)
  }

  @Test("Row 70: a pause does not count as recorded time")
  func durationWithPause() async throws {
    let recorder = try recorder()
    recorder.record(forDuration: 6)
    try await eventually { recorder.currentTime > 0.1 }
    recorder.pause()
    try await playElsewhere(1)
    #expect(recorder.record(forDuration: 6))
    #expect(try await listener.end())
    #expect(try frames() == 288_000)
  }

  @Test("The limit of the last call applies to the whole recording", arguments: [true, false])
  func newLimit(isTimed: Bool) async throws {
    let recorder = try recorder()
    recorder.record()
    try await eventually { recorder.currentTime > 0.1 }
    recorder.pause()
    #expect(isTimed ? recorder.record(atTime: 0, forDuration: 3) : recorder.record(forDuration: 3))
    #expect(try await listener.end())
    #expect(try frames() == 144_000)
  }

  @Test("record() removes the limit of a paused recording")
  func noLimit() async throws {
    let recorder = try recorder()
    recorder.record(forDuration: 3)
    try await eventually { recorder.currentTime > 0.1 }
    recorder.pause()
    #expect(recorder.record())
    try await eventually { recorder.currentTime > 3.1 }
    recorder.stop()
    #expect(try await listener.end())
  }

  @Test("Row 71: a stop before any recording does nothing")
  func stopFirst() async throws {
    let recorder = try recorder()
    recorder.stop()
    recorder.pause()
    #expect(await listener.settled().isEmpty)
    #expect(try scratch.names.isEmpty)
  }

  @Test("Row 72: a stop in a pause saves the file")
  func stopPaused() async throws {
    let recorder = try recorder()
    recorder.record()
    try await eventually { recorder.currentTime > 0.2 }
    recorder.pause()
    recorder.stop()
    #expect(try await listener.end())
    #expect(try seconds() > 0.2)
  }

  @Test("Row 73: a recording can be deleted once, after its end")
  func delete() throws {
    let recorder = try recorder()
    recorder.record()
    #expect(!recorder.deleteRecording())
    recorder.stop()
    #expect(try scratch.names == ["a.wav"])
    #expect(recorder.deleteRecording())
    #expect(try scratch.names.isEmpty)
    #expect(!recorder.deleteRecording())
  }

  @Test("Row 73: a recording is deleted with its sidecar, but not with another file of that name")
  func deleteSidecar() async throws {
    let marked = try recorder("a.flac")
    marked.record()
    let take = await RecorderKit.Running.takes.first { $0.path == scratch.path("a.flac") }
    try await #require(take).mark("here")
    marked.stop()
    #expect(try scratch.names == ["a.flac", "a.flac.json"])
    #expect(marked.deleteRecording())
    #expect(try scratch.names.isEmpty)
    try scratch.write("{}", to: "a.wav.json")
    let plain = try recorder()
    plain.record()
    plain.stop()
    #expect(plain.deleteRecording())
    #expect(try scratch.names == ["a.wav.json"])
  }

  @Test("Row 74: the format and the settings are known after preparing")
  func format() throws {
    let recorder = try recorder()
    recorder.prepareToRecord()
    #expect(recorder.format.sampleRate == 48_000)
    #expect(recorder.format.channelCount == 1)
    #expect(recorder.settings[AVSampleRateKey] as? Int == 48_000)
    #expect(recorder.settings[AVLinearPCMBitDepthKey] as? Int == 16)
  }

  @Test("Row 75: meters keep their values between calls of updateMeters")
  func metersStay() async throws {
    let recorder = try recorder()
    recorder.isMeteringEnabled = true
    recorder.record()
    try await eventually { recorder.currentTime > 0.2 }
    #expect(recorder.peakPower(forChannel: 0) == -160)
    recorder.updateMeters()
    let peak = recorder.peakPower(forChannel: 0)
    #expect(peak > -30)
    recorder.stop()
    recorder.isMeteringEnabled = false
    #expect(recorder.peakPower(forChannel: 0) == -160)
  }

  @Test("Row 75: only updateMeters changes the meters; without metering they are −160")
  func meters() async throws {
    let recorder = try recorder()
    recorder.record()
    try await eventually { recorder.currentTime > 0.2 }
    recorder.updateMeters()
    #expect(recorder.peakPower(forChannel: 0) == -160)
    recorder.isMeteringEnabled = true
    #expect(recorder.averagePower(forChannel: 0) == -160)
    recorder.updateMeters()
    let (peak, mean) = (recorder.peakPower(forChannel: 0), recorder.averagePower(forChannel: 0))
    // The mean of a sine is 3.01 dB below its peak.
    #expect(abs(peak - mean - 3.01) < 0.3)
    #expect(peak < 0.1 && peak > -30)
    #expect(recorder.peakPower(forChannel: 9) == -160)
    recorder.stop()
  }

  private func recorder(_ name: String = "a.wav") throws -> AVAudioRecorder {
    let recorder = try AVAudioRecorder(url: scratch.file(name), settings: Self.mono)
    recorder.delegate = listener
    return recorder
  }

  private func frames() throws -> Int64 { try AudioFileReader(scratch.path("a.wav")).length }

  private func seconds() throws -> Double { Double(try frames()) / 48_000 }
}
