internal import Control
internal import Playback

/// An order in progress, and the playback of its current sound.
final class PlayJob {
  let order: PlayOrder
  let identifier: PlayerOrderID
  private(set) var playback: SoundPlayback
  private(set) var isOver = false
  /// Whether the order was answered.
  var isAnswered = false
  /// Whether the waiting client has disconnected, so that the sound fades out.
  var isAbandoned = false
  /// The sounds that are played, with their indices in the order.
  private let sounds: [(index: Int, file: PlayFile)]
  private let loader: SoundLoader
  /// The outcomes of all sounds of the order. Nil for sounds that were not reached yet.
  private var results: [PlayResult.Played?]
  /// The position of the current sound in `sounds`.
  private(set) var index = 0
  private var round = 1

  /// - Parameters:
  ///   - sounds: the sounds to play, with their indices in the order. Not empty.
  ///   - silent: an outcome for each muted or disabled sound of the order, nil for the others.
  init(
    _ order: PlayOrder, _ identifier: PlayerOrderID, _ sounds: [(index: Int, file: PlayFile)],
    _ silent: [PlayResult.Played?], _ loader: SoundLoader
  ) {
    self.order = order
    self.identifier = identifier
    self.sounds = sounds
    self.loader = loader
    playback = SoundPlayback(.file(sounds[0].file), loader)
    results = silent
    current.reason = .playing
  }

  /// The name of the current sound.
  var name: String { sounds[index].file.name }

  /// The outcome of the current sound.
  private var current: PlayResult.Played {
    get {
      results[sounds[index].index] ?? PlayResult.Played(name, output: order.device, .playing)
    }
    set { results[sounds[index].index] = newValue }
  }

  /// Whether the current sound has not started yet.
  var isWaiting: Bool { !isOver && !playback.hasVoice }

  /// Whether the order has several sounds. The job repeats a sequence itself; the voice repeats a
  /// single sound, without a gap.
  var isSequence: Bool { sounds.count > 1 }

  /// Records the start of the current sound; returns false if it is already recorded.
  func began(at moment: Duration) -> Bool {
    guard current.started == nil else { return false }
    current.started = moment
    current.duration = playback.sound?.duration
    current.flaw = playback.sound?.flaw
    return true
  }

  /// Continues with the next sound; returns false after the last one.
  func next() -> Bool {
    current.reason = .ended
    let isLast = index == sounds.count - 1
    if isLast {
      guard isSequence, order.loops || round < order.times else { return false }
      round += 1
    }
    index = isLast ? 0 : index + 1
    current.reason = .playing
    playback = SoundPlayback(.file(sounds[index].file), loader)
    return true
  }

  /// Ends the order, with this reason for its current sound.
  func end(_ reason: PlayResult.Played.Reason) {
    current.reason = reason
    isOver = true
  }

  /// Ends the order because it is within the cooldown.
  ///
  /// - Parameter past: the time since the last play.
  func endCoolingDown(after past: Duration) {
    current.playedBefore = past
    end(.ignored)
  }

  var result: PlayResult { PlayResult(results.compactMap(\.self)) }
}

/// A name that was played on an output, with its playbacks.
final class NamedSound {
  let name: String
  /// The newest playback, which commands address.
  var main: SoundPlayback
  /// The earlier playbacks that still play.
  var others: [SoundPlayback] = []
  /// The number of the latest use; the name with the lowest number is forgotten first.
  var used = 0

  init(_ name: String, _ playback: SoundPlayback) {
    self.name = name
    main = playback
  }

  var playbacks: [SoundPlayback] { others + [main] }

  /// Whether any playback of the name is playing.
  var isPlaying: Bool { main.isPlaying || others.contains(where: \.isPlaying) }
}
