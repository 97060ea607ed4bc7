import Foundation
import RecorderKit

/// Recordings and plays of eight tasks, each ended in a different way. Afterwards no resources may
/// remain.
struct Storm: Sendable {
  let count: Int
  let directory: String
  /// The path of the command, which revokes and grants access meanwhile.
  let recorder: String

  private static let tasks = 8
  private static let kinds = 9
  private static let playsPerTake = 5

  func run() async throws {
    let delegates = try await Delegates(sound: directory + "/../short.wav")
    // The first rounds create some resources permanently, such as the threads of tasks. These are
    // not a leak.
    try await rounds(0..<Self.tasks * Self.kinds, delegates)
    let before = try await settled()
    try await rounds(Self.tasks * Self.kinds..<Self.tasks * Self.kinds + count, delegates)
    let paths = (0..<Self.tasks).map { "\(directory)/together\($0).wav" }
    let starts = try await delegates.record(to: paths) {
      try await permission("revoke", "--as", "hosting")
    }
    // The device that the players with Apple's interfaces share is kept for 20 s after its last
    // use.
    let limit = ContinuousClock.now + .seconds(60)
    var after = try await settled()
    while after.isMore(than: before), ContinuousClock.now < limit { after = try await settled() }
    print("descriptors \(after.descriptors - before.descriptors - Left.runLoop)")
    if after.isMore(than: before) {
      print("opened \(after.files.difference(from: before.files).insertions)")
    }
    print("threads \(after.threads - before.threads)")
    print("running \(await Running.takes.count)")
    let (all, wrong) = await delegates.counts
    print("delegates \(all)")
    print("mistold \(wrong)")
    print("starting \(Int(starts / .milliseconds(1)))")
    print("kilobytes \(after.kilobytes - before.kilobytes)")
  }

  private func rounds(_ numbers: Range<Int>, _ delegates: Delegates) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<Self.tasks {
        group.addTask {
          let player = Player(on: "test:null")
          for number in numbers.dropFirst(task) where (number - task).isMultiple(of: Self.tasks) {
            try await round(number, of: task, delegates)
            for place in 0..<Self.playsPerTake {
              try await play(number + place, on: player, delegates)
            }
          }
          await player.close()
        }
      }
      try await group.waitForAll()
    }
  }

  /// Returns the open resources once they have not changed for a while, because a thread reports
  /// its result shortly before it ends.
  private func settled() async throws -> Left {
    var (last, since) = (Left(), ContinuousClock.now)
    while ContinuousClock.now - since < .milliseconds(500) {
      // Nothing reports the end of a thread of the library.
      try await Task.sleep(for: .milliseconds(10))
      let now = Left()
      if (now.descriptors, now.threads) != (last.descriptors, last.threads) { since = .now }
      last = now
    }
    return last
  }

  /// The open files, the threads and the memory of this program.
  private struct Left {
    /// The open files, sorted, without their numbers.
    let files = Self.openFiles
    let threads = Self.entries(of: "task")
    let kilobytes = Self.residentKilobytes

    var descriptors: Int { files.count }

    /// The number of descriptors that Foundation opens when a run loop is first used: those of an
    /// epoll, a timer and an event.
    static let runLoop = 3

    func isMore(than other: Left) -> Bool {
      descriptors > other.descriptors + Self.runLoop || threads > other.threads
    }

    private static var residentKilobytes: Int {
      let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = status?.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
      return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }

    private static var openFiles: [String] {
      let directory = "/proc/self/fd"
      let numbers = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
      let files = numbers.compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\($0)")
      }
      return files.map { $0.filter { !$0.isNumber } }.sorted()
    }

    private static func entries(of name: String) -> Int {
      (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(name)"))?.count ?? 0
    }
  }

  /// Makes one recording, or one capture without a file.
  private func round(_ number: Int, of task: Int, _ delegates: Delegates) async throws {
    var recorder = Recorder(from: "test:ramp")
    recorder.bufferDuration = .milliseconds(5)
    let path = "\(directory)/\(number).wav"
    switch (number / Self.tasks + task) % Self.kinds {
    case 0: try await recorder.start(to: path).stop()
    case 1: await (try recorder.start(to: path)).discard()
    case 2: try await cancelled(recorder, path, after: .milliseconds(number % 40))
    case 3:
      let take = try await recorder.start(to: path)
      try await take.pause(releasingMicrophone: number.isMultiple(of: 2))
      try await take.resume()
      async let place = take.mark("here")
      take.requestStop()
      _ = try? await place
      _ = await take.result
    case 4:
      // The take is not held any more, and ends by itself.
      recorder.maximumDuration = .milliseconds(30)
      let take = try await recorder.start(to: path)
      for await _ in take.levels { break }
      for await _ in take.events {}
    case 5:
      for try await _ in Microphone.buffers(from: "test:ramp") { break }
    case 6: try await revoked(path, of: task)
    case 7: try await delegates.record(to: path, number / (Self.tasks * Self.kinds) + task)
    default:
      let client = Microphone.Client("nobody") ?? .current
      do throws(RecorderError) {
        _ = try await Recorder(from: "test:ramp", client: client).start(to: path)
      } catch {
        guard error.code == .accessNotDetermined else { throw error }
      }
    }
  }

  private func revoked(_ path: String, of task: Int) async throws {
    let name = "guest\(task)"
    guard let client = Microphone.Client(name) else { return }
    try await permission("grant", "--as", name)
    let take = try await Recorder(from: "test:ramp", client: client).start(to: path)
    try await permission("revoke", "--as", name)
    let reason = await take.result.reason
    guard reason == .permission else { throw Unexpected(what: "\(name) ended by \(reason)") }
  }

  private func permission(_ arguments: String...) async throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: recorder)
    process.arguments = ["permission"] + arguments + ["--quiet"]
    process.standardOutput = FileHandle.nullDevice
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in done.resume() }
      do { try process.run() } catch { done.resume(throwing: error) }
    }
  }

  private func play(_ number: Int, on player: Player, _ delegates: Delegates) async throws {
    let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
    let sound = try Sound.frames([AudioBuffer([Float](repeating: 0.1, count: 480), format: format)])
    switch number % 6 {
    case 0: try await player.play(sound)
    case 1:
      let task = Task { try await player.play(sound, repeating: .times(100)) }
      // Each play is cancelled after a different time.
      try await Task.sleep(for: .milliseconds(number % 20))
      task.cancel()
      try await task.value
    case 2:
      let playback = try await player.start(sound, repeating: .forever)
      playback.stop()
      guard await playback.waitUntilEnded() == .stopped else {
        throw Unexpected(what: "an end of a play")
      }
    case 3: _ = try await player.start(sound)
    case 4: try await delegates.play(number / 6)
    default:
      let playback = try player.playback(of: sound, repeating: .forever)
      playback.resume()
      playback.pause()
      playback.seek(to: .milliseconds(5))
      playback.resume()
    }
  }

  private func cancelled(_ recorder: Recorder, _ path: String, after pause: Duration) async throws {
    let recording = Task { try await recorder.record(to: path) }
    // Each take is cancelled after a different time.
    try await Task.sleep(for: pause)
    recording.cancel()
    do {
      _ = try await recording.value
    } catch let error as RecorderError where error.code == .alreadyEnded {
      // The take was cancelled before its first frame.
    }
  }
}
