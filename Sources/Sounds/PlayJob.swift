internal import Control
internal import Playback

/// An order in progress, and the playback of its current sound.
final class PlayJob {
  let order: PlayOrder
  let identifier: PlayerOrderID
  private(set) var playback: SoundPlayback
  private(set) var isOver = false
  /// Whether a sound of the order has begun.
  var hasBegun = false
  /// Whether the current sound begins paused, because it was paused before it began.
  var isHeld = false
  /// The position at which the current sound begins, or nil for its beginning.
  var start: Duration?
  /// Whether the waiting client has disconnected, so that the sound fades out.
  var isAbandoned = false
  /// Whether the order was answered, or needs no answer.
  private var isAnswered = false
  private var failure: SoundError?
  /// The sounds that are played, with their indices in the order.
  private let sounds: [(index: Int, file: PlayFile)]
  private let loader: SoundLoader
  /// The outcomes of all sounds of the order. Nil for sounds that were not reached yet.
  private var results: [PlayResult.Played?]
  /// The index of the current sound in `sounds`.
  private var index = 0
  private var round = 1

  /// - Parameters:
  ///   - sounds: the sounds to play, with their indices in the order. Not empty.
  ///   - disabled: an outcome for each disabled sound of the order, nil for all other sounds.
  init(
    _ order: PlayOrder, _ identifier: PlayerOrderID, _ sounds: [(index: Int, file: PlayFile)],
    _ disabled: [PlayResult.Played?], _ loader: SoundLoader
  ) {
    self.order = order
    self.identifier = identifier
    self.sounds = sounds
    self.loader = loader
    playback = SoundPlayback(.file(sounds[0].file), loader)
    results = disabled
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

  /// The name of the sound after the current one, or nil if the current one is the last.
  var next: String? { nextIndex.map { sounds[$0].file.name } }

  /// The index in `sounds` of the sound after the current one, or nil if the current one is the
  /// last. A sequence that is repeated continues with its first sound.
  private var nextIndex: Int? {
    if index + 1 < sounds.count { return index + 1 }
    return isSequence && (order.loops || round < order.times) ? 0 : nil
  }
}

extension PlayJob {
  /// Records the start of the current sound.
  func began(at moment: Duration) {
    guard current.started == nil else { return }
    current.started = moment
    current.duration = playback.sound?.duration
    current.flaw = playback.sound?.flaw
  }

  /// Skips sounds that are muted and have not started. Ends the order if all its sounds are muted.
  func skipMuted(_ memory: SoundStore) {
    var skipped = 0
    while isWaiting, memory.isMuted(name) {
      skipped += 1
      if skipped == sounds.count { end(.muted) } else { proceed(.muted) }
    }
  }

  /// Continues with the next sound, or ends the order after the last one.
  ///
  /// - Parameter reason: the outcome of the current sound.
  func proceed(_ reason: PlayResult.Played.Reason) {
    if isOver { return }
    guard let next = nextIndex, !isAbandoned else { return end(reason) }
    current.reason = reason
    if next == 0 { round += 1 }
    index = next
    current.reason = .playing
    (isHeld, start) = (false, nil)
    playback = SoundPlayback(.file(sounds[index].file), loader)
  }

  /// Ends the order, with this reason for its current sound.
  func end(_ reason: PlayResult.Played.Reason) {
    if isOver { return }
    current.reason = reason
    isOver = true
  }

  /// Ends the order because the cooldown since the last play has not passed yet.
  ///
  /// - Parameter past: the time since the last play.
  func endCoolingDown(after past: Duration) {
    current.playedBefore = past
    end(.ignored)
  }

  /// Ends the order because of a failure.
  func fail(_ failure: SoundError) {
    if isOver { return }
    self.failure = failure
    end(.stopped)
  }

  /// Ends the order without an answer, because its client has disconnected. A sound that is playing
  /// first fades out within `fade`.
  func abandon(within fade: Duration) {
    (isAnswered, isAbandoned) = (true, true)
    if isWaiting { end(.stopped) } else { playback.stop(within: fade) }
  }

  /// Returns the answer to the order once. Returns nil before the answer is ready, and after the
  /// call that returned the answer.
  func takeAnswer() -> PlayerAnswer? {
    guard !isAnswered, isOver || !order.waits && results.contains(where: { $0?.started != nil })
    else { return nil }
    isAnswered = true
    return failure.map(PlayerAnswer.refused) ?? .played(PlayResult(results.compactMap(\.self)))
  }
}
