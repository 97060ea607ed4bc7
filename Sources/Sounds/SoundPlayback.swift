internal import Audio
internal import Decoding
internal import Linux
package import Playback

/// One playback of a sound: it loads the sound, gives it a voice on an output, sends commands to
/// the voice and reads the voice's reports.
///
/// Only one thread at a time may use a playback. Its functions never wait.
package final class SoundPlayback {
  /// The file or the frames of the sound.
  package let source: PlaySource
  /// The decoded sound, or nil if it is not loaded.
  package private(set) var sound: Sound?
  /// The gain of the playback; 1 leaves the samples unchanged.
  package private(set) var volume: Float = 1
  private let loader: SoundLoader
  private var loading: SoundLoading?
  private var voice: (identifier: VoiceID, output: Output)?
  /// The commands that the output had no room for.
  private var backlog: [VoiceCommand] = []
  /// The time at which the fade-out before a stop ends, or nil if no such fade-out is in progress.
  private var fadesUntil: Duration?
  /// Whether a fade-out has changed the gain of the voice.
  private var isFaded = false

  /// The delay before the next attempt if the output has no room for a command.
  private static let retry = Duration.milliseconds(5)

  /// A playback of a sound that is not loaded yet.
  package init(_ source: PlaySource, _ loader: SoundLoader) {
    self.source = source
    self.loader = loader
  }
}

extension SoundPlayback {
  /// Continues to load the sound. Returns whether `output` can play the sound now.
  ///
  /// Without an output, the sound is decoded for the format that the device probably has. It is
  /// decoded again if the device has another format.
  package func load(for output: Output?) throws(SoundError) -> Bool {
    let format = output?.format ?? OutputOpening.likely
    if let sound, output == nil || sound.format.suits(format) { return output != nil }
    if loading?.format.suits(format) != true {
      loading = SoundLoading(source, for: format, loader)
    }
    guard let result = loading?.result else { return false }
    loading = nil
    sound = try SoundError.of(source.name, result.get())
    return output != nil
  }

  /// Gives the loaded sound a voice with the gain of the playback.
  ///
  /// - Parameter options: the options for playing immediately, or nil for a voice that is stopped
  ///   at the beginning of the sound.
  package func begin(on output: Output, _ options: PlayOptions? = nil) throws(OutputError) {
    guard let sound else { preconditionFailure("the sound is not loaded") }
    if var options {
      options.volume = volume
      voice = (try output.play(sound, options), output)
    } else {
      voice = (try output.prepare(sound), output)
      if volume != 1 { fadeVoice(to: volume, within: .zero) }
    }
  }

  /// Stops and releases the voice. Drops a sound with a window or a fault, because such a sound
  /// must be decoded again for the next play.
  package func release() {
    if let voice { voice.output.release(voice.identifier) }
    (voice, backlog, fadesUntil, isFaded) = (nil, [], nil, false)
    if sound?.window != nil || sound?.fault != nil { sound = nil }
  }
}

extension SoundPlayback {
  /// Sends a command to the voice, as soon as the output has room for it. Without a voice, the
  /// command has no effect.
  package func send(_ command: VoiceCommand) {
    backlog.append(command)
    drain()
  }

  /// Moves the voice to a position.
  package func seek(to position: Duration) {
    guard let rate = voice?.output.format.rate else { return }
    // Round to the nearest frame: the position may be inexact, because it may come from a
    // floating-point number.
    let nearest = position + FrameCount(1).duration(at: rate) / 2
    send(.seek(FrameCount(nearest, at: rate)))
  }

  /// Fades to a gain.
  package func setVolume(_ volume: Float, within fade: Duration = .zero) {
    self.volume = volume
    if fadesUntil == nil { fadeVoice(to: volume, within: fade) }
  }

  /// Stops the voice, after a fade-out if `fade` is not zero.
  package func stop(within fade: Duration = .zero) {
    fadesUntil = nil
    guard fade > .zero else { return send(.stop) }
    fadeVoice(to: 0, within: fade)
    isFaded = true
    fadesUntil = KernelClock.monotonic.now + fade
  }

  /// Restores the gain after a fade-out. If a fade-out before a stop is in progress, cancels the
  /// fade-out and the stop.
  package func restoreVolume() {
    fadesUntil = nil
    if isFaded { fadeVoice(to: volume, within: .zero) }
    isFaded = false
  }

  private func fadeVoice(to volume: Float, within fade: Duration) {
    guard let voice else { return }
    send(.volume(volume, within: FrameCount(fade, at: voice.output.format.rate)))
  }

  private func drain() {
    guard let voice else { return backlog.removeAll() }
    while let command = backlog.first {
      do throws(OutputError) {
        try voice.output.send(command, to: voice.identifier)
        backlog.removeFirst()
        sound?.window?.wake()
      } catch .queueFull {
        return
      } catch {
        return backlog.removeAll()
      }
    }
  }

  /// Sends the waiting commands, and stops the voice if its fade-out has ended. Call this after
  /// each change of the output and at `deadline`.
  package func advance() {
    if let fadesUntil, fadesUntil <= KernelClock.monotonic.now {
      self.fadesUntil = nil
      send(.stop)
    }
    drain()
    if hasWork { sound?.window?.wake() }
  }

  /// The time at which `advance` must be called even without an event, or nil if there is no such
  /// time.
  package var deadline: Duration? {
    backlog.isEmpty ? fadesUntil : KernelClock.monotonic.now + Self.retry
  }
}

extension SoundPlayback {
  /// Whether the playback has a voice.
  package var hasVoice: Bool { voice != nil }

  /// Whether the fade-out before a stop is in progress.
  package var isFading: Bool { fadesUntil != nil }

  /// Whether the voice has not carried out all commands yet.
  package var isPending: Bool { !backlog.isEmpty || report?.isPending == true }

  /// Whether the voice is playing.
  package var isPlaying: Bool { report?.state == .playing }

  /// Whether the output has to play the voice or to carry out a command.
  package var hasWork: Bool { isPending || isPlaying }

  /// The latest report of the voice, or nil without a voice.
  package var report: VoiceReport? { voice.flatMap { $0.output.report(of: $0.identifier) } }

  /// The position in the sound that is audible now, or nil without a voice.
  package var position: Duration? {
    guard let voice, let report else { return nil }
    return report.position.duration(at: voice.output.format.rate)
  }

  /// The decoding error that ends the sound early, or nil if there was no error so far.
  package var fault: SoundError? {
    sound?.fault.map { .brokenOff(name: source.name, $0) }
  }

  /// Returns the report of the voice if the voice has carried out all commands, otherwise nil. Ends
  /// the repetitions of a sound with a fault.
  package func settledReport() -> VoiceReport? {
    guard backlog.isEmpty, let report, !report.isPending else { return nil }
    if report.state != .ended, report.loops || report.playsLeft > 1, sound?.fault != nil {
      send(.repeats(0))
    }
    return report
  }
}
