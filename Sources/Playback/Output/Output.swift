package import Audio
package import Linux
internal import RealTime
internal import Synchronization

/// One device and the thread that plays the mix of many voices on it.
///
/// While all voices are silent, the device is prepared but does not run.
package final class Output: Sendable {
  private let table: VoiceTable
  private let state: OutputState

  /// Starts the thread. The device stays silent until a sound plays.
  ///
  /// A command is delayed by up to the length of the device's buffer, which is kept full. So open
  /// the device with a small buffer.
  /// - Parameters:
  ///   - spare: an unused table with these settings, or nil. It is used if it has the format of the
  ///     device.
  ///   - reopen: opens a lost device again, in the same format. It is called on the thread of the
  ///     output.
  package init<Sink: FrameSink & ~Copyable>(
    on sink: consuming Sink, _ settings: OutputSettings = .init(), spare: VoiceTable? = nil,
    reopen: @escaping @Sendable () -> Sink?
  ) throws(SystemError) {
    state = try OutputState()
    let fitting = spare?.format == sink.format ? spare : nil
    table = fitting ?? VoiceTable(sink.format, settings)
    let (table, mixing, state) = (table, table.mixing, state)
    let device = Handoff(sink)
    _ = try Thread("output", priority: .realTime(15)) {
      guard let sink = device.take(), let mixing = mixing.take() else { return }
      let loop = PlaybackLoop(sink, mixing: mixing, state: state, settings, reopen: reopen)
      loop.run()
      // Keep the table until here, because the thread may outlive this object and reads the sounds
      // in the table.
      withExtendedLifetime(table) {}
    }
  }

  deinit { state.stop() }
}

extension Output {
  /// The required format of decoded sounds.
  package var format: StreamFormat { table.format }

  /// A descriptor that is readable after the state of a voice changed, and after the end of the
  /// output. First call `clearChanged`, then read the reports.
  package var changed: Descriptor {
    _read { yield state.changed.descriptor }
  }

  /// Clears the signal of `changed`, and frees the sounds of released voices that are silent.
  package func clearChanged() {
    state.changed.clear()
    table.sweep()
  }

  /// The number of underruns during playback.
  package var underruns: Int { state.underruns.load(ordering: .relaxed) }

  /// The number of times that the thread has run through its loop. It does not change while the
  /// thread sleeps, or while a call to the device does not return.
  package var turns: Int { state.turns.load(ordering: .relaxed) }

  /// The reason why the output ended, or nil while it plays.
  package var end: PlaybackEnd? { state.end }

  /// Plays a sound with a new voice.
  package func play(
    _ sound: Sound, _ options: PlayOptions = .init()
  ) throws(OutputError) -> VoiceID {
    if end != nil { throw .ended }
    let voice = try table.play(sound, options)
    state.wake.signal()
    return voice
  }

  /// Creates a voice for a sound. Its state is `stopped`, and it waits for commands at the
  /// beginning of the sound.
  package func prepare(_ sound: Sound) throws(OutputError) -> VoiceID {
    if end != nil { throw .ended }
    let voice = try table.prepare(sound)
    state.wake.signal()
    return voice
  }

  /// Sends a command to a voice. The command takes effect with the next period.
  package func send(_ command: VoiceCommand, to voice: VoiceID) throws(OutputError) {
    if end != nil { throw .ended }
    try table.send(command, to: voice)
    state.wake.signal()
  }

  /// Returns the state of a voice at the last frame that has left the device's buffer, or nil if
  /// the voice was released.
  package func report(of voice: VoiceID) -> VoiceReport? {
    // Relaxed: if the number is out of date, the sound counts as playing for a moment longer.
    let played = state.played.load(ordering: .relaxed)
    return table.report(of: voice)?.played(upTo: played, length: table.length(of: voice))
  }

  /// Stops and releases a voice, even if the queue is full. Does nothing if the voice was already
  /// released.
  package func release(_ voice: VoiceID) {
    table.release(voice)
    state.wake.signal()
  }

  /// Ends the output without playing the frames in the device's buffer.
  package func stop() { state.stop() }
}
