internal import Linux
internal import Synchronization

/// The settings of one output's mix.
package struct OutputSettings: Hashable, Sendable {
  /// The time in which a stop or a jump fades to silence, without a click.
  package var fade: Duration = .milliseconds(5)
  /// The audio rendered at once; never less than a fade.
  package var period: Duration = .milliseconds(5)
  /// The most sounds at once, stopped ones included.
  package var voices = 256
  /// The most commands that can wait.
  package var commands = 1_024
  /// The seed of the dither noise.
  package var seed: UInt64 = 1
  /// The longest wait for a lost device.
  package var patience: Duration = .seconds(10)
  /// Silence played after the last sound, to push it through any buffers behind the device's.
  package var silence: Duration = .milliseconds(200)

  /// The usual settings.
  package init() {}
}

/// The reason why an output refused a command; the output stays as it was.
package enum OutputError: Error, Hashable, Sendable {
  /// The thread that renders has not yet read the commands before.
  case queueFull
  /// All voices are in use.
  case tooManyVoices(Int)
  /// The voice was released.
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
  /// It ended on request.
  case finished
  /// The device was lost and did not come back in time, with the device's message.
  case disconnected(String)
  /// The device accepts no frames any more and reports no error.
  case stalled(Duration)
}

/// The state that the thread that renders shares with others beside the table of voices: requests,
/// events and its end.
final class OutputState: Sendable {
  /// The request of other threads about the end.
  enum Request: UInt8, AtomicRepresentable {
    /// Keep playing.
    case run
    /// End as soon as all is silent.
    case finish
    /// End now.
    case stop
  }

  let request = Atomic<Request>(.run)
  /// Ends the thread's wait.
  let wake: Event
  /// Signals to others that the state of a voice changed, or that the output has ended.
  let changed: Event
  /// The number of times that the device ran dry during playback.
  let underruns = Atomic<Int>(0)
  /// The frames that have left the device.
  let played = Atomic<Int64>(0)
  private let ending = Mutex<PlaybackEnd?>(nil)

  init() throws(SystemError) {
    wake = try Event()
    changed = try Event()
  }

  /// The reason of the output's end; nil while it runs.
  var end: PlaybackEnd? { ending.withLock { $0 } }

  /// Sets the end and signals `changed`; the last step of the thread.
  func finish(_ end: PlaybackEnd) {
    ending.withLock { $0 = end }
    changed.signal()
  }

  /// Asks the thread to end; a `stop` cannot be taken back.
  func ask(_ wanted: Request) {
    // Releases nothing; the thread looks again after each wait.
    if request.load(ordering: .relaxed) != .stop { request.store(wanted, ordering: .relaxed) }
    wake.signal()
  }
}
