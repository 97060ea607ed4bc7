internal import Linux

/// The names of the files of a take that has a file for each track: `call-mic.wav`, and with a
/// number `call-mic-002.wav`.
package enum TrackFileName {
  /// Returns the name of the file of a track, for the name that all files of the take share.
  package static func adding(_ track: String, to name: String) -> String {
    let (stem, ending) = name.nameParts
    return "\(stem)-\(track)\(ending)"
  }

  /// Returns the name of the file of the track `other` that belongs to the file `name` of `track`.
  package static func replacing(
    _ track: String, by other: String, in name: String
  ) -> String {
    let (stem, ending) = name.nameParts
    let digits = stem.utf8.reversed().prefix { (0x30...0x39).contains($0) }.count
    let number = digits < fewestDigits ? 0 : digits + 1
    for length in [0, number] where stem.utf8.count > length {
      let base = stem.trimmingBytes(last: length)
      guard base.ends(with: "-" + track) else { continue }
      let rest = stem.trimmingBytes(first: base.utf8.count)
      return "\(base.trimmingBytes(last: track.utf8.count))\(other)\(rest)\(ending)"
    }
    return adding(other, to: name)
  }

  /// The smallest number of digits of a number in a name.
  private static let fewestDigits = 3
}
