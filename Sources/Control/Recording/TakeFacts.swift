package import Audio
internal import JSON

/// The facts that a status and a result share, about a take or one of its files.
package struct TakeFacts: Hashable, Sendable {
  /// The identifier of the take in the catalogue.
  package var identifier: String
  /// The user's name for the session.
  package var name: String
  /// The client that requested the recording, or nil for everyone.
  package var client: String?
  /// The tracks, at least one.
  package var tracks: [Track]
  /// The format that the device delivers.
  package var stream: StreamFormat
  /// The container of the file.
  package var format: FileFormat
  /// The sample format, rate and channels in the file, or nil if unknown.
  package var file: StreamFormat?
  /// The path of the file, or nil for the standard output or if no file was kept.
  package var path: String?
  /// The frames, counted at the device's rate.
  package var frames = Accounting()
  /// The last gaps, at most `mostGaps`.
  package var gaps: [Gap] = []
  /// The highest peak, as an amplitude from 0 to 1.
  package var highestPeak = 0.0
  /// The size of the file in bytes, or of the files of all tracks together.
  package var bytes: Int64 = 0
  /// The number of marks.
  package var marks = 0
  /// The number of this file in a take with several files, or nil otherwise.
  package var segment: Int?

  /// The largest number of gaps in a message. More would not fit into a line; the sidecar has all
  /// of them.
  package static let mostGaps = 200

  /// The facts of a take without frames. The other members are set once they are known.
  package init(
    identifier: String, name: String, device: String, stream: StreamFormat, format: FileFormat
  ) {
    self.identifier = identifier
    self.name = name
    tracks = [Track(device: device)]
    self.stream = stream
    self.format = format
  }
}

extension TakeFacts {
  /// The paths of the files: one, one for each track, or none.
  package var files: [String] { path.map { [$0] + tracks.files.dropFirst() } ?? [] }
}

/// The JSON members of the facts, in groups. A status and a result list their own members between
/// the groups.
extension TakeFacts {
  /// Facts whose members are about to be read.
  static var blank: TakeFacts {
    TakeFacts(identifier: "", name: "", device: "", stream: .blank, format: .wav)
  }

  /// Lists the devices and the formats.
  mutating func listSource(in form: inout JSONForm) {
    form.member(tracks: &tracks)
    stream.list(in: &form)
    form.member("format", &format)
    form.member("file", &file)
  }

  /// Lists the frame counts and the gaps. Sums of the counts must not overflow.
  mutating func listCounts(in form: inout JSONForm) {
    form.member("frames", &frames)
    form.require(frames.elapsed.duration(at: stream.rate) < .mostRecorded)
    form.member("gaps", &gaps)
  }

  /// Lists the size of the file in bytes and its number of marks.
  mutating func listSize(in form: inout JSONForm) {
    form.member("bytes", &bytes, in: .sizes)
    form.member("marks", &marks, in: .counts)
  }
}
