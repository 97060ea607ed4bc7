import Bench
import RecorderAVFoundation
import RecorderKit

/// Uses Apple's types on behalf of the tests, in a separate process with its own environment.
@main
@MainActor
struct Probe {
  static func main() {
    Task {
      await perform(Array(CommandLine.arguments.dropFirst()))
      exit(0)
    }
    RunLoop.main.run()
  }

  static func perform(_ arguments: [String]) async {
    switch arguments.first {
    case "status": status()
    case "changes": await changes(Int(arguments[1]) ?? 1)
    case "request": await request(arguments.dropFirst().first ?? "async")
    case "record": await record(Array(arguments.dropFirst()))
    case "player": await player(arguments.dropFirst().first ?? "click")
    case "meters": await meters(arguments[1])
    case "play": await play(arguments[1])
    case "session": session(arguments[1], arguments[2])
    case "blocked": await blocked(arguments[1], arguments[2])
    default: say("unknown:", arguments)
    }
  }

  /// Prints all values that show the permission.
  static func status() {
    say("audio", AVCaptureDevice.authorizationStatus(for: .audio).rawValue)
    say("video", AVCaptureDevice.authorizationStatus(for: .video).rawValue)
    say("application", AVAudioApplication.shared.recordPermission.rawValue)
    say("session", AVAudioSession.sharedInstance().recordPermission.rawValue)
  }

  /// `changes COUNT`: prints the permission status and its changes until it has printed that many.
  static func changes(_ count: Int) async {
    for await status in Microphone.changes().prefix(count) { say(status) }
  }

  /// `player [NAME]`: starts the player that all programs share, halves the volume of a sound, plays
  /// the sound, and prints the names of the player's sounds.
  static func player(_ name: String) async {
    do {
      let player = try await RecorderKit.Running.player()
      try await player.setVolume(of: name, to: 0.5)
      try await player.play(name, on: "test:null")
      say("sounds", try await player.sounds.map(\.name))
    } catch {
      say("refused", error.localizedDescription)
    }
  }

  static func request(_ form: String) async {
    switch form {
    case "async": say("granted", await AVCaptureDevice.requestAccess(for: .audio))
    case "video": say("granted", await AVCaptureDevice.requestAccess(for: .video))
    case "cancelled":
      let asking = Task { await AVCaptureDevice.requestAccess(for: .audio) }
      // The test creates the file once the question appears in the terminal.
      let cue = (ProcessInfo.processInfo.environment["HOME"] ?? "") + "/cancel"
      try? await eventually { FileManager.default.fileExists(atPath: cue) }
      asking.cancel()
      say("granted", await asking.value)
    case "two":
      async let one = AVCaptureDevice.requestAccess(for: .audio)
      async let other = AVAudioApplication.requestRecordPermission()
      say("granted", await one, await other)
    default: await requestByHandler()
    }
    say("status", AVCaptureDevice.authorizationStatus(for: .audio).rawValue)
  }

  private static func requestByHandler() async {
    nonisolated(unsafe) var hasReturned = false
    let lock = NSLock()
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      lock.withLock {
        AVCaptureDevice.requestAccess(for: .audio) { granted in
          // The lock is held until the request has returned.
          lock.withLock { say("granted", granted, "after", hasReturned) }
          done.resume()
        }
        hasReturned = true
      }
    }
  }

  /// `play FILE`: plays until the delegate receives the end.
  static func play(_ path: String) async {
    do {
      let player = try AVAudioPlayer(contentsOf: URL(fileURLWithPath: path))
      let listener = Ends()
      player.delegate = listener
      let hasBegun = player.play()
      say("playing", hasBegun)
      guard hasBegun else { return }
      for await line in listener.lines.stream {
        say(line)
        if line.hasPrefix("played") { break }
      }
      say("isPlaying", player.isPlaying)
      withExtendedLifetime(listener) {}
    } catch {
      say("refused", error.localizedDescription)
    }
  }

  /// `record FILE [SECONDS [RATE]]`: records until the delegate receives the end.
  ///
  /// The file `waited` then contains the longest time, in seconds, that a thread had no processor.
  static func record(_ arguments: [String]) async {
    let rate = arguments.dropFirst(2).first.flatMap { Int($0) } ?? 48_000
    let settings: [String: Any] = [AVSampleRateKey: rate, AVNumberOfChannelsKey: 1]
    do {
      let recorder = try AVAudioRecorder(
        url: URL(fileURLWithPath: arguments[0]), settings: settings)
      let (listener, wait) = (Ends(), ProcessorWait())
      recorder.delegate = listener
      say("prepared", recorder.prepareToRecord())
      let seconds = arguments.dropFirst().first.flatMap(Double.init)
      let hasBegun = seconds.map { recorder.record(forDuration: $0) } ?? recorder.record()
      say("recording", hasBegun)
      guard hasBegun else { return }
      for await line in listener.lines.stream {
        say(line)
        if line.hasPrefix("finished") { break }
      }
      try "\(wait.longest / .seconds(1))".write(toFile: "waited", atomically: true, encoding: .utf8)
      say("isRecording", recorder.isRecording)
      withExtendedLifetime(listener) {}
    } catch {
      say("refused", error.localizedDescription)
    }
  }
}

extension Probe {
  private static let settings: [String: Any] = [AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 1]

  /// Prints the peak and the mean of both channels after half a second of recording.
  static func meters(_ path: String) async {
    let settings: [String: Any] = [AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 2]
    do {
      let recorder = try AVAudioRecorder(url: URL(fileURLWithPath: path), settings: settings)
      recorder.isMeteringEnabled = true
      guard recorder.record() else { return say("recording false") }
      try await eventually { recorder.currentTime > 0.5 }
      recorder.updateMeters()
      let powers = (0..<2).flatMap {
        [recorder.peakPower(forChannel: $0), recorder.averagePower(forChannel: $0)]
      }
      say(powers.map { "\($0)" }.joined(separator: " "))
      recorder.stop()
    } catch {
      say("refused", error.localizedDescription)
    }
  }

  /// Prints how the session affects a player and a recorder.
  static func session(_ sound: String, _ memo: String) {
    let session = AVAudioSession.sharedInstance()
    do {
      try session.setActive(false)
      let player = try AVAudioPlayer(contentsOf: URL(fileURLWithPath: sound))
      let recorder = try AVAudioRecorder(url: URL(fileURLWithPath: memo), settings: settings)
      player.numberOfLoops = -1
      say("unset", player.play(), recorder.record())
      deactivate()
      say("stopped", player.isPlaying, recorder.isRecording)
      try session.setCategory(.playback)
      say("playback", player.play(), recorder.prepareToRecord(), recorder.record())
      deactivate()
      try session.setCategory(.playAndRecord, mode: .default, options: [.defaultToSpeaker])
      say("playAndRecord", recorder.record())
      recorder.stop()
      deactivate()
    } catch {
      say("refused", error)
    }
  }

  private static func deactivate() {
    do {
      try AVAudioSession.sharedInstance().setActive(false, options: .notifyOthersOnDeactivation)
      say("inactive")
    } catch {
      say("error", (error as NSError).code)
    }
  }

  /// Blocks the main thread while a player and a recorder end, then prints the delegate calls that
  /// came later.
  static func blocked(_ sound: String, _ memo: String) async {
    do {
      let listener = Ends()
      let player = try AVAudioPlayer(contentsOf: URL(fileURLWithPath: sound))
      let recorder = try AVAudioRecorder(url: URL(fileURLWithPath: memo), settings: settings)
      player.delegate = listener
      recorder.delegate = listener
      player.play()
      recorder.record(forDuration: 1)
      // The main thread stays blocked until both have ended.
      while player.isPlaying || recorder.isRecording { usleep(10_000) }
      say("told", listener.count)
      var lines = listener.lines.stream.makeAsyncIterator()
      for _ in 0..<2 { say(await lines.next() ?? "none") }
      withExtendedLifetime((listener, player, recorder)) {}
    } catch {
      say("refused", error)
    }
  }

}

/// Turns the delegate calls of a player and a recorder into lines. Calls that did not come on the
/// main thread are marked.
@MainActor
final class Ends: NSObject, AVAudioRecorderDelegate, AVAudioPlayerDelegate {
  let lines = AsyncStream.makeStream(of: String.self)
  private(set) var count = 0

  func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool) {
    add("finished \(flag)")
  }

  func audioRecorderEncodeErrorDidOccur(_ recorder: AVAudioRecorder, error: (any Error)?) {
    add("error \(error?.localizedDescription ?? "none")")
  }

  func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
    add("played \(flag)")
  }

  func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) {
    add("error \(error?.localizedDescription ?? "none")")
  }

  private func add(_ line: String) {
    count += 1
    lines.continuation.yield(Thread.isMainThread ? line : line + " elsewhere")
  }
}

/// Prints a line and flushes it, so that a reader of the pipe receives it immediately.
func say(_ items: Any...) {
  print(items.map { "\($0)" }.joined(separator: " "))
  fflush(nil)
}
