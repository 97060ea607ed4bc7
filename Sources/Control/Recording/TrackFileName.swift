internal import Linux

/// The file names of a take with a separate file for each track, such as `call-mic.wav`, or
/// `call-mic-002.wav` with a number.
package enum TrackFileName {
  /// Returns the file name of a track. `name` is the common name of the take's files, such as
  /// `call.wav`.
  package static func adding(_ track: String, to name: String) -> String {
    let (stem, ending) = name.nameParts
    return "\(stem)-\(track)\(ending)"
  }

  /// Returns the file name of the track `other`. `name` is the file name of `track`.
  package static func replacing(
    _ track: String, by other: String, in name: String
  ) -> String {
    guard let (base, rest) = parts(of: name, around: track) else { return adding(other, to: name) }
    return "\(base)-\(other)\(rest)"
  }

  /// Returns the common name of the take's files. `name` is the file name of `track`. Returns nil
  /// if `name` does not contain the track.
  package static func removing(_ track: String, from name: String) -> String? {
    parts(of: name, around: track).map { $0.base + $0.rest }
  }

  /// Returns the parts of a name before and after the track, or nil if the name does not contain
  /// the track.
  private static func parts(
    of name: String, around track: String
  ) -> (base: String, rest: String)? {
    let (stem, ending) = name.nameParts
    let digits = stem.utf8.reversed().prefix { (0x30...0x39).contains($0) }.count
    let number = digits < fewestDigits ? 0 : digits + 1
    for length in [0, number] where stem.utf8.count > length {
      let base = stem.trimmingBytes(last: length)
      guard base.ends(with: "-" + track) else { continue }
      let rest = stem.trimmingBytes(first: base.utf8.count)
      return (base.trimmingBytes(last: track.utf8.count + 1), rest + ending)
    }
    return nil
  }

  /// The smallest number of digits of a number in a name.
  private static let fewestDigits = 3
}
