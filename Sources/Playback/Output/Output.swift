package import Audio
package import Linux
internal import RealTime
internal import Synchronization

/// One device and the thread that plays the mix of many voices on it.
///
/// The device is prepared and does not run while all is silent.
package final class Output: Sendable {
  private let table: VoiceTable
  private let state: OutputState

  /// Starts the thread; the device stays silent until a sound plays.
  ///
  /// The delay of a command is up to the device's buffer, which is kept full: open it small.
  /// - Parameters:
  ///   - spare: a new table with these settings, made while the device was opened; used where
  ///     its format fits.
  ///   - reopen: opens a lost device anew, in the same format; called on the thread.
  package init<Sink: FrameSink & ~Copyable>(
    on sink: consuming Sink, _ settings: OutputSettings = .init(), spare: VoiceTable? = nil,
    reopen: @escaping @Sendable () -> Sink?
  ) throws(SystemError) {
    state = try OutputState()
    let fitting = spare?.format == sink.format ? spare : nil
    table = fitting ?? VoiceTable(sink.format, settings)
    let (mixing, state) = (table.mixing, state)
    let device = Handoff(sink)
    _ = try Thread("output", priority: .realTime(15)) {
      guard let sink = device.take(), let mixing = mixing.take() else { return }
      let loop = PlaybackLoop(sink, mixing: mixing, state: state, settings, reopen: reopen)
      loop.run()
    }
  }

  deinit { state.ask(.stop) }
}

extension Output {
  /// The format in which sounds must be decoded.
  package var format: StreamFormat { table.format }

  /// Readable after the state of a voice changed, and after the end; clear it, then read the
  /// reports.
  package var changed: Descriptor {
    _read { yield state.changed.descriptor }
  }

  /// Ends the signal of `changed`.
  package func clearChanged() { state.changed.clear() }

  /// The number of times that the device ran dry during playback.
  package var underruns: Int { state.underruns.load(ordering: .relaxed) }

  /// The reason of its end; nil while it plays.
  package var end: PlaybackEnd? { state.end }

  /// Plays a sound with a voice of its own.
  ///
  /// - Parameter leaving: true releases the voice by itself once it is silent.
  package func play(
    _ sound: Sound, _ options: PlayOptions = .init(), leaving: Bool = false
  ) throws(OutputError) -> VoiceID {
    if end != nil { throw .ended }
    let voice = try table.play(sound, options, leaving: leaving)
    state.wake.signal()
    return voice
  }

  /// Gives a sound a voice that is silent at its beginning, for later commands.
  package func prepare(_ sound: Sound) throws(OutputError) -> VoiceID {
    if end != nil { throw .ended }
    let voice = try table.prepare(sound)
    state.wake.signal()
    return voice
  }

  /// Gives a voice a command, which takes effect with the next period.
  package func send(_ command: VoiceCommand, to voice: VoiceID) throws(OutputError) {
    if end != nil { throw .ended }
    try table.send(command, to: voice)
    state.wake.signal()
  }

  /// The last report of a voice, as of the frames that have left the device's buffer. Nil once the
  /// voice is released.
  package func report(of voice: VoiceID) -> VoiceReport? {
    // Relaxed: an older number only reports for a moment longer that the sound is not over.
    let played = state.played.load(ordering: .relaxed)
    return table.report(of: voice)?.played(upTo: played, length: table.length(of: voice))
  }

  /// Stops and releases a voice; one that was released already is not an error.
  package func release(_ voice: VoiceID) throws(OutputError) {
    try table.release(voice)
    state.wake.signal()
  }

  /// Forgets voices that were released and are silent, and with them their sounds.
  package func sweep() { table.sweep() }

  /// Plays everything to its end, then ends.
  package func finish() { state.ask(.finish) }

  /// Ends at once.
  package func stop() { state.ask(.stop) }
}
