package import Audio
package import Control
package import Files
package import Linux

/// A fault at the end of a file, which leaves the sound intact and is reported in the result.
package enum TakeFault: Sendable {
  /// The header or the last block could not be written.
  case file(SoundFileError)
  /// The file or its sidecar could not be put in place.
  case system(SystemError)
  /// Another program removed or replaced the file during the recording; its path.
  case removed(String)
  /// A file that was removed could not be copied either.
  case unsaved(SystemError)
  /// Another file had the name by then.
  case nameTaken(String)
  /// The directory could not be synchronized after the renaming.
  case nameUncertain(SystemError)
  /// A foreign file is in the place of the sidecar.
  case sidecarExists(String)
  /// A recovered file is damaged in the middle; the damaged piece was kept.
  case damagedInside
  /// The marks could not be written into a recovered file.
  case marksUnwritten
  /// The catalogue has no line of a recovered file.
  case unlisted(DirectoryRefusal)
}

/// A cut in the timeline of a file, which gets a mark.
package enum TimelineCut: Sendable {
  case paused(Duration)
  case gap(Gap)
}

extension RecordingResult {
  /// Adds a fault from the end; an earlier outcome counts more.
  package mutating func add(_ words: String, _ outcome: Outcome) {
    let isKnown = message?.holds(words) ?? false
    if !isKnown { message = [message, words].compactMap(\.self).joined(separator: "; ") }
    if exit == 0 { exit = outcome.rawValue }
  }
}
