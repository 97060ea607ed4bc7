package import Audio
package import Linux
internal import RealTime
internal import Synchronization

/// One device and the thread that plays the mix of many voices on it.
///
/// The device is prepared and does not run while all is silent.
package final class Output: Sendable {
  private let table: VoiceTable
  private let link: OutputLink

  /// Starts the thread; the device stays silent until there is something to play.
  ///
  /// How late a command is heard is up to the device's buffer, which is kept full: open it small.
  /// - Parameters:
  ///   - spare: a new table with these settings, made while the device was opened; taken where its format fits.
  ///   - reopen: opens the device anew, in the same format, after it went; called on the thread.
  package init<Sink: FrameSink & ~Copyable>(
    on sink: consuming Sink, _ settings: OutputSettings = .init(), spare: VoiceTable? = nil,
    reopen: @escaping @Sendable () -> Sink?
  ) throws(SystemError) {
    link = try OutputLink()
    let fitting = spare?.format == sink.format ? spare : nil
    table = fitting ?? VoiceTable(sink.format, settings)
    let (mixing, link) = (table.mixing, link)
    let device = Handoff(sink)
    _ = try Thread("output", priority: .realTime(15)) {
      guard let sink = device.take(), let mixing = mixing.take() else { return }
      let loop = PlaybackLoop(sink, mixing: mixing, link: link, settings, reopen: reopen)
      loop.run()
    }
  }

  deinit { link.ask(.stop) }
}

extension Output {
  /// The format for which sounds must be decoded.
  package var format: StreamFormat { table.format }

  /// Readable after a voice began to do something else, and after the end; clear it, then look.
  package var changed: Descriptor {
    _read { yield link.changed.descriptor }
  }

  /// Ends the signal of `changed`.
  package func clearChanged() { link.changed.clear() }

  /// The number of times that the device ran dry while something was to be heard.
  package var underruns: Int { link.underruns.load(ordering: .relaxed) }

  /// Its end; nil while it plays.
  package var end: PlaybackEnd? { link.end }

  /// Begins to play a sound with a voice of its own.
  ///
  /// - Parameter leaving: whether the voice goes by itself once it is silent.
  package func play(
    _ sound: Sound, _ options: PlayOptions = .init(), leaving: Bool = false
  ) throws(OutputError) -> VoiceID {
    if end != nil { throw .ended }
    let voice = try table.play(sound, options, leaving: leaving)
    link.wake.signal()
    return voice
  }

  /// Gives a sound a voice that is silent at its beginning, to be told what to do.
  package func prepare(_ sound: Sound) throws(OutputError) -> VoiceID {
    if end != nil { throw .ended }
    let voice = try table.prepare(sound)
    link.wake.signal()
    return voice
  }

  /// Tells a voice what to do; it does so with the next period.
  package func tell(_ voice: VoiceID, _ command: VoiceCommand) throws(OutputError) {
    if end != nil { throw .ended }
    try table.tell(voice, command)
    link.wake.signal()
  }

  /// The last report of a voice, as it is heard: what the device still holds is to come. Nil once it has gone.
  package func report(of voice: VoiceID) -> VoiceReport? {
    // Relaxed: an older number says for a moment longer that the sound is not over.
    let played = link.played.load(ordering: .relaxed)
    return table.report(of: voice)?.heard(played, length: table.length(of: voice))
  }

  /// Stops a voice and lets it go; one that has gone already is not an error.
  package func release(_ voice: VoiceID) throws(OutputError) {
    try table.release(voice)
    link.wake.signal()
  }

  /// Forgets voices that were let go and are silent, and with them their sounds.
  package func sweep() { table.sweep() }

  /// Plays everything to its end, then ends.
  package func finish() { link.ask(.finish) }

  /// Ends at once.
  package func stop() { link.ask(.stop) }
}

/// The reason why an output did not take a command; it stays as it was.
package enum OutputError: Error, Hashable, Sendable {
  /// The thread that renders has not yet come to the commands before.
  case queueFull
  /// As many voices as there can be are in use.
  case tooManyVoices(Int)
  /// That voice is not there any more.
  case noSuchVoice
  /// The sound has another rate or other channels than the output.
  case unfit
  /// The output has ended.
  case ended
}

extension OutputError: CustomStringConvertible {
  /// `too many commands at once`.
  package var description: String {
    switch self {
    case .queueFull: "too many commands at once"
    case .tooManyVoices(let count): "\(count) sounds are in use already"
    case .noSuchVoice: "that sound is not there any more"
    case .unfit: "the sound was not decoded for this output"
    case .ended: "the output has ended"
    }
  }
}

/// The end of an output.
package enum PlaybackEnd: Hashable, Sendable {
  /// As it was told to.
  case finished
  /// The device went and did not come back in time; what it said.
  case disconnected(String)
  /// The device takes nothing any more and does not say why.
  case stalled(Duration)
}
