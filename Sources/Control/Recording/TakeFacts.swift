package import Audio
internal import JSON

/// The facts that both a status and a result contain: about a take, or about one of its files.
package struct TakeFacts: Hashable, Sendable {
  /// The identifier of the take in the catalogue.
  package var identifier: String
  /// The user's name for the session.
  package var name: String
  /// The client that requested the recording, or nil for the client `everyone`.
  package var client: String?
  /// The tracks, at least one.
  package var tracks: [Track]
  /// The format that the device delivers.
  package var stream: StreamFormat
  /// The container of the file.
  package var format: FileFormat
  /// The sample format, the rate and the channels of the file, or nil if they are unknown.
  package var file: StreamFormat?
  /// The path of the file. Nil for the standard output, or if no file was kept.
  package var path: String?
  /// The counts of the frames, at the device's rate.
  package var frames = Accounting()
  /// The most recent gaps, at most `mostGaps`.
  package var gaps: [Gap] = []
  /// The highest peak, as an amplitude from 0 to 1.
  package var highestPeak = 0.0
  /// The size of the file in bytes, or of the files of all tracks together.
  package var bytes: Int64 = 0
  /// The number of marks.
  package var marks = 0
  /// The number of this file if the take has several files, otherwise nil.
  package var segment: Int?

  /// The largest number of gaps in a message. More gaps would not fit into a line. The sidecar has
  /// all gaps.
  package static let mostGaps = 200

  /// Creates the facts about a take without frames. The caller sets the other members later.
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
  /// The paths of the files: one path, one path for each track, or none.
  package var files: [String] { path.map { [$0] + tracks.files.dropFirst() } ?? [] }
}

/// The JSON members of the facts, in groups. A status or a result lists its own members between the
/// groups.
extension TakeFacts {
  /// Placeholder facts. Reading JSON replaces them.
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

  /// Lists the frame counts and the gaps. Counts that are too high are refused, because their sums
  /// could overflow.
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
