internal import Audio
internal import Control
internal import Linux
internal import Playback

/// One order in progress, and the sound of it that is playing.
final class PlayJob {
  enum Phase {
    /// Its device is not open yet, or its next sound has not been found.
    case waiting
    case loading(SoundLoading)
    /// The sound is decoded and waits for a free voice, or for another play of its name to end.
    case ready(Sound)
    case playing(VoiceID, Sound)
    case over
  }

  let order: PlayOrder
  let identifier: PlayerOrderID
  let sounds: [FoundSound]
  var phase = Phase.waiting
  /// The outcome of each sound, so far.
  private var results: [PlayResult.Played]
  private(set) var place = 0
  private var round = 1
  /// Its first sound, decoded for the probable format of the device.
  var guess: SoundLoading?
  /// True once the order was answered.
  var isAnswered = false
  /// The time at which it is faded out, after its waiting client has disconnected.
  var fadesUntil: Duration?

  init(_ order: PlayOrder, _ identifier: PlayerOrderID, _ sounds: [FoundSound]) {
    self.order = order
    self.identifier = identifier
    self.sounds = sounds
    results = sounds.map { PlayResult.Played($0.name, output: order.device, .playing) }
  }

  var sound: FoundSound { sounds[place] }
  var isOver: Bool { if case .over = phase { true } else { false } }
  var voice: VoiceID? { if case .playing(let voice, _) = phase { voice } else { nil } }

  /// A single sound is repeated by its voice, without a gap; a sequence is repeated here.
  var isSequence: Bool { sounds.count > 1 }

  /// Records the start of the sound; false where that is recorded already.
  func began(at moment: Duration, _ sound: Sound) -> Bool {
    guard results[place].started == nil else { return false }
    results[place].started = moment
    results[place].duration = sound.duration
    results[place].flaw = sound.flaw
    return true
  }

  /// Continues with the next sound; false after the last.
  func next() -> Bool {
    results[place].reason = .ended
    phase = .waiting
    place += 1
    if place < sounds.count { return true }
    place = sounds.count - 1
    guard isSequence, order.loops || round < order.times else { return false }
    place = 0
    round += 1
    return true
  }

  /// Ends the order, with this reason for its present sound.
  func end(_ reason: PlayResult.Played.Reason) {
    results[place].reason = reason
    phase = .over
  }

  /// Ends the order, because this time since the last play is within the cooldown.
  func endCoolingDown(after past: Duration) {
    results[place].playedBefore = past
    end(.ignored)
  }

  var result: PlayResult { PlayResult(Array(results[...(round > 1 ? results.count - 1 : place)])) }
}

/// A name that was played on an output: the voice that commands address, and earlier ones that
/// still play.
final class Track {
  let name: String
  var path: String
  /// The sound of the latest play.
  var sound: Sound
  /// The voice of the latest play.
  var main: VoiceID
  /// The voices of earlier plays that are still playing.
  var others: [VoiceID] = []
  /// The volume of the latest play; `isFaded` is true after a fade that left the voice at another.
  var volume: Float = 1
  var isFaded = false
  /// A counter of uses, by which the oldest name is forgotten.
  var used = 0

  init(_ name: String, _ found: FoundSound, _ sound: Sound, _ voice: VoiceID) {
    self.name = name
    path = found.path
    self.sound = sound
    main = voice
  }

  var length: Duration { sound.duration }

  var voices: [VoiceID] { others + [main] }

  /// True if any of its voices is playing.
  func isPlaying(on output: Output) -> Bool {
    voices.contains { output.report(of: $0)?.state == .playing }
  }

  /// Restores the gain after a fade that ended a play.
  func restoreVolume(on output: Output) throws(OutputError) {
    guard isFaded else { return }
    isFaded = false
    try output.send(.volume(volume, within: 0), to: main)
  }
}
