internal import Audio
internal import Control
internal import Linux
internal import Playback

/// An order in progress, and its current sound.
final class PlayJob {
  enum Phase {
    /// The device is not open yet, or the next sound is not loaded yet.
    case waiting
    case loading(SoundLoading)
    /// The sound is decoded. It waits for a free voice, or for another play of its name to end.
    case ready(Sound)
    case playing(VoiceID, Sound)
    case over
  }

  let order: PlayOrder
  let identifier: PlayerOrderID
  let sounds: [FoundSound]
  var phase = Phase.waiting
  /// The outcomes of the sounds so far.
  private var results: [PlayResult.Played]
  private(set) var index = 0
  private var round = 1
  /// The first sound, decoded for the expected format of the device.
  var guess: SoundLoading?
  /// Whether the order was answered.
  var isAnswered = false
  /// The end of the fade-out after the waiting client has disconnected, or nil if it has not.
  var fadesUntil: Duration?

  init(_ order: PlayOrder, _ identifier: PlayerOrderID, _ sounds: [FoundSound]) {
    self.order = order
    self.identifier = identifier
    self.sounds = sounds
    results = sounds.map { PlayResult.Played($0.name, output: order.device, .playing) }
  }

  var sound: FoundSound { sounds[index] }
  var isOver: Bool { if case .over = phase { true } else { false } }
  var voice: VoiceID? { if case .playing(let voice, _) = phase { voice } else { nil } }

  /// Whether the order has several sounds. The job repeats a sequence itself; the voice repeats a
  /// single sound, without a gap.
  var isSequence: Bool { sounds.count > 1 }

  /// Records the start of the current sound; returns false if it is already recorded.
  func began(at moment: Duration, _ sound: Sound) -> Bool {
    guard results[index].started == nil else { return false }
    results[index].started = moment
    results[index].duration = sound.duration
    results[index].flaw = sound.flaw
    return true
  }

  /// Continues with the next sound; returns false after the last one.
  func next() -> Bool {
    results[index].reason = .ended
    phase = .waiting
    index += 1
    if index < sounds.count { return true }
    index = sounds.count - 1
    guard isSequence, order.loops || round < order.times else { return false }
    index = 0
    round += 1
    return true
  }

  /// Ends the order, with this reason for its current sound.
  func end(_ reason: PlayResult.Played.Reason) {
    results[index].reason = reason
    phase = .over
  }

  /// Ends the order because it is within the cooldown.
  ///
  /// - Parameter past: the time since the last play.
  func endCoolingDown(after past: Duration) {
    results[index].playedBefore = past
    end(.ignored)
  }

  var result: PlayResult { PlayResult(Array(results[...(round > 1 ? results.count - 1 : index)])) }
}

/// A name that was played on an output, with the voices that play it.
final class Track {
  let name: String
  var path: String
  /// The sound of the newest play.
  var sound: Sound
  /// The voice of the newest play, which commands address.
  var main: VoiceID
  /// The voices of earlier plays that still play.
  var others: [VoiceID] = []
  /// The volume of the newest play. If `isFaded` is true, a fade has left the voice at another
  /// volume.
  var volume: Float = 1
  var isFaded = false
  /// The number of the latest use; the name with the lowest number is forgotten first.
  var used = 0

  init(_ name: String, _ found: FoundSound, _ sound: Sound, _ voice: VoiceID) {
    self.name = name
    path = found.path
    self.sound = sound
    main = voice
  }

  var length: Duration { sound.duration }

  var voices: [VoiceID] { others + [main] }

  /// Returns whether any voice of the name is playing.
  func isPlaying(on output: Output) -> Bool {
    voices.contains { output.report(of: $0)?.state == .playing }
  }

  /// Restores the volume after a play that ended with a fade-out.
  func restoreVolume(on output: Output) throws(OutputError) {
    guard isFaded else { return }
    isFaded = false
    try output.send(.volume(volume, within: 0), to: main)
  }
}
