import Bench
import Foundation
import RecorderKit
import Testing

@Suite("A recording in the program", .timeLimit(.minutes(5)))
struct RecorderTests {
  @Test("has every frame of the device in its file, up to its maximum length")
  func whole() async throws {
    var recorder = await Home.recorder()
    recorder.maximumDuration = .milliseconds(500)
    let path = Home.file("wav")
    let result = try await recorder.record(to: path)
    #expect(result.reason == .duration && result.isComplete && result.message == nil, "\(result)")
    #expect(result.path == path && result.duration == .milliseconds(500))
    #expect(numbers(try samples(ofWave: path), channels: 2) == Array(0..<24_000))
  }

  @Test("has the right length even if it is read only once")
  func length() async throws {
    let take = try await Home.recorder().start(to: Home.file("wav"))
    try await Known.playElsewhere(.milliseconds(500))
    let (length, moment) = (take.duration, ContinuousClock.now)
    let result = await take.stop()
    let later = ContinuousClock.now - moment
    let excess = result.duration - length
    #expect(excess > .milliseconds(-10) && excess < later + .milliseconds(10), "\(excess)")
    #expect(take.duration == result.duration)
  }

  @Test("accepts a limit that no clock reaches", arguments: [Int64.max, 1 << 50])
  func endless(seconds: Int64) async throws {
    var recorder = await Home.recorder()
    let time = Duration.seconds(seconds)
    (recorder.maximumDuration, recorder.segmentDuration) = (time, time)
    recorder.reconnectTimeout = time
    let take = try await recorder.start(to: Home.file("wav"))
    #expect(try await take.stop().reason == .stopped)
  }

  @Test("is saved if its task is cancelled")
  func cancelled() async throws {
    let recorder = await Home.recorder()
    let path = Home.file("wav")
    let (begin, hasBegun) = AsyncStream.makeStream(of: Void.self)
    let recording = Task {
      try await recorder.record(to: path) { take in
        for await _ in take.buffers { return hasBegun.finish() }
      }
    }
    for await _ in begin {}
    recording.cancel()
    let result = try await recording.value
    #expect(result.reason == .stopped && result.path == path && result.isComplete, "\(result)")
    #expect(jumps(numbers(try samples(ofWave: path), channels: 2)).isEmpty)
  }

  @Test("replaces the sidecar of a former recording too, but no other file of that name")
  func formerSidecar() async throws {
    var recorder = await Home.recorder()
    recorder.maximumDuration = .milliseconds(100)
    let path = Home.file("caf")
    let sidecar = path + ".json"
    // A CAF file has no tags, so its title needs a sidecar.
    recorder.title = "former"
    _ = try await recorder.record(to: path)
    #expect(FileManager.default.fileExists(atPath: sidecar))
    recorder.title = nil
    _ = try await recorder.record(to: path, replacingExisting: true)
    #expect(!FileManager.default.fileExists(atPath: sidecar))
    try Data("{}".utf8).write(to: URL(filePath: sidecar))
    _ = try await recorder.record(to: path, replacingExisting: true)
    #expect(FileManager.default.contents(atPath: sidecar) == Data("{}".utf8))
  }

  @Test("leaves no file if it is discarded")
  func discarded() async throws {
    let path = Home.file("wav")
    let take = try await Home.recorder().start(to: path)
    await take.discard()
    let result = await take.result
    #expect(result.reason == .discarded && result.path == nil)
    #expect(FileManager.default.contents(ofDirectory: path).isEmpty)
  }

  @Test(
    "never begins without access, and leaves no file",
    arguments: [Microphone.Prompt.Answer.notNow, .never])
  func refused(answer: Microphone.Prompt.Answer) async throws {
    let client = await Home.client(granting: false)
    let status = await Microphone.requestAccess(
      for: "test:ramp", client: client, asking: Microphone.Prompt { _, _ in answer })
    #expect(status == (answer == .never ? .denied : .notDetermined))
    let path = Home.file("wav")
    let errors = [
      await #expect(throws: RecorderError.self) {
        try await Recorder(from: "test:ramp", client: client).start(to: path)
      },
      await #expect(throws: RecorderError.self) {
        for try await _ in Microphone.buffers(from: "test:ramp", client: client) {}
      },
    ]
    for error in errors {
      #expect(error?.code == (answer == .never ? .accessDenied : .accessNotDetermined))
      // The command in the message has to grant access to the client of the recording.
      #expect(error?.subject == client.name && error?.reason.contains(client.name) == true)
    }
    #expect(FileManager.default.contents(ofDirectory: path).isEmpty)
  }

  @Test("reports its events in their order")
  func events() async throws {
    let path = Home.file("wav")
    let take = try await Home.recorder().start(to: path)
    var events = take.events.makeAsyncIterator()
    try await take.pause()
    #expect(take.state == .paused)
    try await take.resume()
    #expect(take.state == .recording)
    let place = try await take.mark("here")
    let result = await take.stop()
    #expect(take.state == .ended && result.reason == .stopped)
    var told: [Take.Event] = []
    while let event = await events.next() { told.append(event) }
    #expect(told == [.paused, .resumed, .marked("here", at: place), .file(path)])
    let late = [
      await #expect(throws: RecorderError.self) { try await take.mark("late") },
      await #expect(throws: RecorderError.self) { try await take.pause() },
    ]
    #expect(late.allSatisfy { $0?.code == .alreadyEnded })
  }

  @Test("closes the device in a pause that releases it, without the gap in the file")
  func released() async throws {
    let path = Home.file("wav")
    let begin = ContinuousClock.now
    let take = try await Home.recorder().start(to: path)
    try await take.pause(releasingMicrophone: true)
    let (stood, paused) = (take.duration, ContinuousClock.now)
    try await Known.playElsewhere(.milliseconds(400))
    #expect(take.duration - stood < .milliseconds(100) && take.state == .paused)
    let news = take.buffers
    let gap = ContinuousClock.now - paused
    try await take.resume()
    for await _ in news { break }
    let result = await take.stop()
    let lasted = ContinuousClock.now - begin
    #expect(result.isComplete && result.duration < lasted - gap + .milliseconds(50), "\(result)")
    let heard = numbers(try samples(ofWave: path), channels: 2)
    // A reopened ramp starts at 0 again.
    let jumps = jumps(heard)
    #expect(jumps.count == 1 && jumps.allSatisfy { heard[$0] < 4_800 }, "\(jumps)")
    #expect(Int64(heard.count) == Int64(result.duration / .seconds(1) * 48_000 + 0.5))
  }

  @Test("has its marks at the right positions, also without a listener")
  func unattended() async throws {
    let take = try await Home.recorder().start(to: Home.file("wav"))
    let (began, wait) = (ContinuousClock.now, ProcessorWait())
    for _ in 0..<5 {
      try await Known.playElsewhere(.milliseconds(410))
      let before = ContinuousClock.now - began
      let place = try await take.mark()
      let after = ContinuousClock.now - began
      let error = .milliseconds(80) + wait.longest
      #expect(place > before - error && place < after + error)
    }
    await take.stop()
  }

  @Test("sends levels soon after its first listener arrives")
  func soon() async throws {
    let take = try await Home.recorder().start(to: Home.file("wav"))
    try await Known.playElsewhere(.milliseconds(1_200))
    let (began, wait) = (ContinuousClock.now, ProcessorWait())
    var levels = 0
    for await _ in take.levels {
      levels += 1
      if levels == 10 { break }
    }
    #expect(ContinuousClock.now - began < .milliseconds(600) + wait.longest)
    // A length that is read repeatedly is up to date as well.
    try await Known.playElsewhere(.milliseconds(1_200))
    var lengths: Set<Duration> = []
    let (reading, readingWait) = (ContinuousClock.now, ProcessorWait())
    try await eventually {
      lengths.insert(take.duration)
      return lengths.count > 20
    }
    #expect(ContinuousClock.now - reading < .seconds(1) + readingWait.longest)
    await take.stop()
  }

  @Test("takes another name if the client's name is in use")
  func names() async throws {
    let recorder = await Home.recorder()
    let first = try await recorder.start(to: Home.file("wav"))
    let second = try await recorder.start(to: Home.file("wav"))
    #expect(second.name == first.name + "-2")
    var named = recorder
    named.name = first.name
    await #expect(throws: RecorderError.self) { try await named.start(to: Home.file("wav")) }
    _ = (await first.stop(), await second.stop())
  }

  @Test(
    "refuses impossible settings and creates no file",
    arguments: [
      ("a.m4a", nil, nil), ("a.flac", AudioFormat.SampleFormat.float32, nil), ("a.wav", nil, 0),
      ("a.opus", nil, 300), ("", nil, nil),
    ] as [(String, AudioFormat.SampleFormat?, Int?)])
  func impossible(name: String, sample: AudioFormat.SampleFormat?, channels: Int?) async throws {
    var recorder = await Home.recorder()
    (recorder.sampleFormat, recorder.channelCount) = (sample, channels)
    let directory = Home.file("d")
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    await #expect(throws: RecorderError.self) {
      try await recorder.start(to: name.isEmpty ? "" : "\(directory)/\(name)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
  }

  @Test("replaces a file only on request, and not before the end")
  func replaced() async throws {
    let path = Home.file("wav")
    try Data("old".utf8).write(to: URL(fileURLWithPath: path))
    let recorder = await Home.recorder()
    await #expect(throws: RecorderError.self) { try await recorder.start(to: path) }
    let take = try await recorder.start(to: path, replacingExisting: true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("old".utf8))
    await take.stop()
    #expect(try !samples(ofWave: path).isEmpty)
  }

  @Test("is listed among the recordings of all programs and can be ended there")
  func elsewhere() async throws {
    let take = try await Home.recorder().start(to: Home.file("wav"))
    let remote = try #require(await Running.takes.first { $0.name == take.name })
    #expect(remote.device == "test:ramp" && remote.path == take.path)
    try await remote.pause()
    try await eventually { take.state == .paused }
    #expect(try await remote.status.state == .paused)
    try await remote.resume()
    let place = try await remote.mark("there")
    #expect(place > .zero)
    let result = try await remote.stop()
    #expect(result.path == take.path && result.reason == .stopped)
    #expect(await take.result.path == result.path)
    let error = await #expect(throws: RecorderError.self) { try await remote.stop() }
    #expect(error?.code == .alreadyEnded)
  }

  @Test("can be read by other programs while it runs, if they have the permission")
  func heardElsewhere() async throws {
    let recorder = await Home.recorder()
    let take = try await recorder.start(to: Home.file("wav"))
    let remote = try #require(await Running.takes.first { $0.name == take.name })
    let stranger = await Home.client(granting: false)
    let error = await #expect(throws: RecorderError.self) {
      for try await _ in remote.buffers(client: stranger) {}
    }
    #expect(error?.code == .accessNotDetermined, "\(String(describing: error))")
    let unknown = await #expect(throws: RecorderError.self) {
      for try await _ in remote.buffers(track: "spk", client: recorder.client) {}
    }
    #expect(unknown?.code == .invalidArgument && unknown?.description.utf8.count ?? 0 < 120)
    let speech = AudioFormat(sampleRate: 16_000, channelCount: 1)
    var converted = remote.buffers(as: speech, client: recorder.client).makeAsyncIterator()
    #expect(try await converted.next()?.format == speech)
    var (next, count) = (Int64?.none, 0)
    for try await buffer in remote.buffers(client: recorder.client) {
      #expect(buffer.format == take.format && buffer.lost == 0)
      #expect((next ?? buffer.position) == buffer.position)
      let heard = numbers(Array(buffer.samples), channels: 2)
      #expect(heard.first == number(buffer.position) && jumps(heard).isEmpty)
      next = buffer.position + Int64(buffer.frameCount)
      count += buffer.frameCount
      if count > 24_000 { take.requestStop() }
    }
    let result = await take.result
    #expect(next == result.captured && result.isComplete, "\(result)")
    let late = await #expect(throws: RecorderError.self) {
      for try await _ in remote.buffers(client: recorder.client) {}
    }
    #expect(late?.code == .alreadyEnded)
  }

  @MainActor @Test("is followed by its model")
  func model() async throws {
    let take = try await Home.recorder().start(to: Home.file("wav"))
    let model = TakeModel(take)
    try await take.mark("a")
    try await eventually { model.levels.all.peak > 0 && !model.marks.isEmpty }
    #expect(model.state == .recording && model.levels.channels.count == 2)
    await take.stop()
    try await eventually { model.result != nil }
    #expect(model.state == .ended && model.marks.map(\.text) == ["a"])
  }
}

extension FileManager {
  /// Returns the names in the directory of `path` that contain its stem.
  func contents(ofDirectory path: String) -> [String] {
    let url = URL(fileURLWithPath: path)
    let stem = url.deletingPathExtension().lastPathComponent
    let all = (try? contentsOfDirectory(atPath: url.deletingLastPathComponent().path)) ?? []
    return all.filter { $0.contains(stem) }
  }
}
