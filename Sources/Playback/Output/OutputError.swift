/// Why an output does not take a command; it stays as it was.
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
