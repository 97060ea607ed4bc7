internal import Linux
internal import Synchronization

/// The settings of one output's mix.
package struct OutputSettings: Hashable, Sendable {
  /// The duration of the fade-out at a stop or a jump, which prevents a click.
  package var fade: Duration = .milliseconds(5)
  /// The duration of audio that is rendered in one step. It is never shorter than a fade.
  package var period: Duration = .milliseconds(5)
  /// The largest number of voices at a time, including stopped voices.
  package var voices = 256
  /// The largest number of waiting commands.
  package var commands = 1_024
  /// The seed of the dither noise.
  package var seed: UInt64 = 1
  /// The longest wait for the return of a lost device.
  package var patience: Duration = .seconds(10)
  /// The duration of the silence that is written after the last sound, so that the sound also
  /// leaves other buffers between the device's buffer and the loudspeaker.
  package var silence: Duration = .milliseconds(200)

  /// The default settings.
  package init() {}
}

/// The reason why an output refused a command. The output is unchanged.
package enum OutputError: Error, Hashable, Sendable {
  /// The rendering thread has not yet read the previous commands.
  case queueFull
  /// All voices are in use.
  case tooManyVoices(Int)
  /// The voice was released.
  case noSuchVoice
  /// The rate or the channels of the sound differ from those of the output.
  case unfit
  /// The output has ended.
  case ended
}

extension OutputError: CustomStringConvertible {
  /// A message such as `too many commands are waiting`.
  package var description: String {
    switch self {
    case .queueFull: "too many commands are waiting"
    case .tooManyVoices(let count): "\(count) sounds are in use already"
    case .noSuchVoice: "that sound no longer exists"
    case .unfit: "the sound was not decoded for this output"
    case .ended: "the output has ended"
    }
  }
}

/// The reason why an output ended.
package enum PlaybackEnd: Hashable, Sendable {
  /// The output ended on request.
  case finished
  /// The device was lost and did not come back in time. The value is the device's message.
  case disconnected(String)
  /// The device accepts no frames, but reports no error. The value is the time since the device
  /// last played.
  case stalled(Duration)
}

extension PlaybackEnd: CustomStringConvertible {
  /// The end, as the second part of a sentence that begins with the device.
  package var description: String {
    switch self {
    case .finished: "has been closed"
    case .disconnected(let words): "was disconnected and did not return in time: \(words)"
    case .stalled(let time): "has accepted no audio for \(time.components.seconds) s"
    }
  }
}

/// The state that the rendering thread shares with other threads, in addition to the table of
/// voices: requests, events and the end.
final class OutputState: Sendable {
  /// Whether another thread has requested the end of the output.
  let isStopping = Atomic(false)
  /// Ends the wait of the rendering thread.
  let wake: Event
  /// Signals that the state of a voice changed, or that the output has ended.
  let changed: Event
  /// The number of underruns during playback.
  let underruns = Atomic<Int>(0)
  /// The number of times that the rendering thread has run through its loop. It does not change
  /// while the thread sleeps, or while a call to the device does not return.
  let turns = Atomic<Int>(0)
  /// The number of frames that have left the device's buffer.
  let played = Atomic<Int64>(0)
  private let ending = Mutex<PlaybackEnd?>(nil)

  init() throws(SystemError) {
    wake = try Event()
    changed = try Event()
  }

  /// The reason why the output ended, or nil while it runs.
  var end: PlaybackEnd? { ending.withLock { $0 } }

  /// Sets the end and signals `changed`. This is the last step of the rendering thread.
  func finish(_ end: PlaybackEnd) {
    ending.withLock { $0 = end }
    changed.signal()
  }

  /// Requests the end of the rendering thread.
  func stop() {
    // Relaxed: the flag publishes no other data, and the thread checks again after each wait.
    isStopping.store(true, ordering: .relaxed)
    wake.signal()
  }
}
