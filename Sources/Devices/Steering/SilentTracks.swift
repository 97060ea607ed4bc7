internal import Audio

/// The tracks that are silent in some frames, by the reason.
struct SilentTracks: Hashable, Sendable {
  /// The tracks whose device is missing.
  var missing: TrackSet = []
  /// The tracks whose device has lost frames, or is not aligned yet.
  var interrupted: TrackSet = []

  mutating func formUnion(_ other: SilentTracks) {
    missing.formUnion(other.missing)
    interrupted.formUnion(other.interrupted)
  }

  /// Returns the tracks of a take, if this value contains their indices in `tracks`.
  func mapped(to tracks: [Int]) -> SilentTracks {
    var mapped = SilentTracks()
    for index in tracks.indices {
      let track = TrackSet(index: tracks[index])
      if missing.contains(index) { mapped.missing.formUnion(track) }
      if interrupted.contains(index) { mapped.interrupted.formUnion(track) }
    }
    return mapped
  }
}
