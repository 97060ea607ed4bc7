internal import Audio
internal import CommandLine
internal import Control
internal import JSON
internal import Linux
internal import Playback
internal import Sounds

/// What the player knows and decides, on its main thread: the answers to requests.
final class PlayerDesk {
  var outputs: [PlayerOutput] = []
  var memory: SoundMemory
  let cache = DecodeCache(limit: 64 << 20)
  let news: News
  private var replies: [(Ticket, Reply)] = []
  private var libraries: [PlayerEnvironment: SoundLibrary] = [:]
  /// Who asked this player to make room for another.
  private var leaving: [Ticket] = []
  /// Commands about a sound whose device or whose frames are not there yet.
  var commands: [SoundCommand] = []

  init(_ memory: SoundMemory, _ opening: OutputOpening?) throws(Failure) {
    self.memory = memory
    if let opening {
      news = opening.news
      outputs = [PlayerOutput(opening, cache)]
    } else {
      news = try News.made()
    }
  }

  /// Readable when `advance` has something to do.
  var descriptors: [Int32] {
    [news.number] + outputs.compactMap { $0.output?.changed.number }
  }

  /// When `advance` has something to do without any event.
  var deadline: Duration? {
    let now = KernelClock.monotonic.now
    let fades = outputs.flatMap { $0.jobs.compactMap(\.fadesUntil) }
    let isOpening = outputs.contains { $0.output == nil }
    let told = commands.compactMap(\.told).map { $0 + SoundCommand.patience }
    return (fades + told + (isOpening ? [now + .milliseconds(500)] : [])).min()
  }

  /// Whether something is heard, or is about to be.
  var isBusy: Bool { !commands.isEmpty || outputs.contains { !$0.isQuiet } }

  /// Whether a sound waits to go on.
  var holdsPlaces: Bool { outputs.contains(where: \.holdsPlaces) }

  /// True while a sound is paused: the player waits longer for it than for one that was stopped.
  var isPaused: Bool { outputs.contains(where: \.isPaused) }

  /// Whether nothing has been heard for so long that it has left every device's buffer.
  var isAtRest: Bool {
    let now = KernelClock.monotonic.now
    return !isBusy && !holdsPlaces && outputs.allSatisfy { now - $0.busy > Self.rest }
  }

  private static let rest = Duration.seconds(1)

  /// Who asked this player to make room since the last call.
  func takeLeaving() -> [Ticket] {
    defer { leaving = [] }
    return leaving
  }

  /// What is to be sent.
  func takeReplies() -> [(Ticket, Reply)] {
    defer { replies = [] }
    return replies
  }

  func reply(_ ticket: Ticket, _ reply: Reply) { replies.append((ticket, reply)) }
}

extension PlayerDesk {
  /// What to do about a request.
  func answer(_ ticket: Ticket, _ request: Control.Request) -> Answer {
    do throws(Failure) {
      switch request.verb {
      case "status": return .reply(.done(status))
      case "watch": return .watch(.done(status))
      case "leave": leaving.append(ticket)
      case "play":
        guard let order = PlayOrder(json: .object(request.arguments)) else {
          throw Failure(.usage, Message("this is no order that the player understands"))
        }
        try play(order, ticket)
      default:
        try take(SoundCommand(request, ticket))
      }
      return .later
    } catch {
      return .reply(.refused(Refusal(error)))
    }
  }

  /// Goes on with everything that waited.
  func advance() {
    news.clear()
    for output in outputs {
      output.advance(memory) { job, answer in reply(job.ticket, answer) }
    }
    commands.removeAll { perform($0) }
    outputs.removeAll { $0.failure != nil }
  }

  /// Who waits for the end of a play.
  var waiting: [Ticket] {
    outputs.flatMap { output in
      output.jobs.filter { $0.order.waits && $0.fadesUntil == nil }.map(\.ticket)
    }
  }

  /// Whoever waited for a play has gone: it falls silent.
  func abandon(_ ticket: Ticket) {
    for output in outputs {
      for job in output.jobs where job.ticket == ticket && job.order.waits {
        job.isTold = true
        guard let voice = job.voice, let device = output.output else {
          job.end(.stopped)
          continue
        }
        let frames = FrameCount(PlayerOutput.farewell, at: device.format.rate)
        try? device.tell(voice, .volume(0, within: frames))
        job.fadesUntil = KernelClock.monotonic.now + PlayerOutput.farewell
      }
    }
    commands.removeAll { $0.ticket == ticket }
  }

  /// Closes devices that nobody has used for so long.
  func closeOutputs(idleFor limit: Duration) {
    let now = KernelClock.monotonic.now
    outputs.removeAll { output in
      guard output.isQuiet, !output.holdsPlaces, now - output.busy > limit else { return false }
      output.output?.stop()
      return true
    }
  }

  /// The player ends: so does all that waits.
  func end() {
    memory.played.save()
    for output in outputs {
      output.output?.stop()
      for job in output.jobs where !job.isTold {
        job.end(.stopped)
        reply(job.ticket, .done(job.result.json.object ?? [:]))
      }
    }
    outputs = []
  }

  private func play(_ order: PlayOrder, _ ticket: Ticket) throws(Failure) {
    let library = library(for: order.environment)
    var found: [FoundSound] = []
    var silent: [PlayResult.Played] = []
    for wanted in order.sounds {
      guard let sound = try FoundSound(wanted, in: library) else {
        silent.append(PlayResult.Played(wanted.name, output: order.device, .disabled))
        continue
      }
      if memory.isMuted(wanted.name) {
        silent.append(PlayResult.Played(wanted.name, output: order.device, .muted))
      } else {
        found.append(sound)
      }
    }
    guard !found.isEmpty else {
      return reply(ticket, .done(PlayResult(silent).json.object ?? [:]))
    }
    output(order.device, order.environment).add(PlayJob(order, ticket, found))
  }

  /// The output of a device, which is opened where it is not.
  func output(_ device: String, _ environment: PlayerEnvironment) -> PlayerOutput {
    let key = OutputKey(device, environment)
    if let output = outputs.first(where: { $0.key == key && $0.failure == nil }) { return output }
    let output = PlayerOutput(OutputOpening(key, news), cache)
    outputs.append(output)
    return output
  }

  func library(for environment: PlayerEnvironment) -> SoundLibrary {
    if let library = libraries[environment] { return library }
    if libraries.count >= 16 { libraries = [:] }
    let library = SoundLibrary(for: environment)
    libraries[environment] = library
    return library
  }
}
