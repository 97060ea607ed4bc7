/// The tracks that are silent in a block of frames, grouped by the reason.
package struct SilentTracks: Hashable, BitwiseCopyable, Sendable {
  /// The tracks whose device is missing.
  package var missing: TrackSet
  /// The tracks whose device has lost frames, or is not aligned yet.
  package var interrupted: TrackSet

  /// The silent tracks, by default none.
  package init(missing: TrackSet = TrackSet(), interrupted: TrackSet = TrackSet()) {
    (self.missing, self.interrupted) = (missing, interrupted)
  }

  // Without this function, each comparison in another target would call a function of the protocol
  // `Equatable`. Such a call looks up the metadata of the type.
  package static func == (left: SilentTracks, right: SilentTracks) -> Bool {
    left.missing == right.missing && left.interrupted == right.interrupted
  }

  /// Adds the tracks of another value.
  package mutating func formUnion(_ other: SilentTracks) {
    missing.formUnion(other.missing)
    interrupted.formUnion(other.interrupted)
  }

  /// Converts the indices of a device's tracks into indices of the take. For each track of the
  /// device, `tracks` has the index in the take.
  package func mapped(to tracks: [Int]) -> SilentTracks {
    var mapped = SilentTracks()
    for index in tracks.indices {
      if missing.contains(index) { mapped.missing.insert(tracks[index]) }
      if interrupted.contains(index) { mapped.interrupted.insert(tracks[index]) }
    }
    return mapped
  }

  /// Returns the cause of the silence of a track, or nil if it is not silent.
  package func cause(of track: Int) -> Gap.Cause? {
    missing.contains(track) ? .disconnected : interrupted.contains(track) ? .overrun : nil
  }
}
