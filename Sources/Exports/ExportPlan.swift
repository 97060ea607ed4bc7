package import Analysis
package import Audio
internal import Control
package import Decoding
package import Files
package import JSON
package import Linux

/// The facts of a sound that is exported, as a confined reader and the sidecar report them.
package struct ExportSource: Hashable, Sendable {
  /// Frames a second.
  package var rate: SampleRate
  /// Samples a frame.
  package var channels: ChannelCount
  /// The least sample format that holds the samples as they are; nil where there is none.
  package var sample: SampleFormat?
  /// The length.
  package var frames: FrameCount
  /// The format of the samples of a file without a header; nil for one that states it.
  package var raw: StreamFormat?
  /// The texts that the file carries.
  package var tags: SoundFileTags = [:]
  /// The marks, at the rate of the source.
  package var marks: [SoundFileCue] = []
  /// The places at which frames are missing, with the cause and the number, by the sidecar.
  package var gaps: [SoundFileCue] = []

  /// A sound without texts and marks.
  package init(
    rate: SampleRate, channels: ChannelCount, sample: SampleFormat?, frames: FrameCount
  ) {
    self.rate = rate
    self.channels = channels
    self.sample = sample
    self.frames = frames
  }

  /// Reads the members of `recorder info --json` for a file; nil where it states no length.
  package init?(_ members: JSONObject, sample: SampleFormat?) {
    guard let rate = members["rate"].flatMap(Int.init(json:)).flatMap({ SampleRate($0) }),
      let channels = members["channels"].flatMap(Int.init(json:)).flatMap({ ChannelCount($0) }),
      let frames = members["frames"].flatMap(FrameCount.init(json:))
    else { return nil }
    self.init(rate: rate, channels: channels, sample: sample, frames: frames)
    for tag in SoundFileTag.allCases { tags[tag] = members["tags"]?[tag.rawValue]?.string }
    marks = (members["cues"]?.array ?? []).compactMap { cue in
      guard let frame = cue["frame"].flatMap(FrameCount.init(json:)) else { return nil }
      return SoundFileCue(at: frame, label: cue["label"]?.string ?? "")
    }
  }

  /// More than every event of a take of days needs.
  private static let largestSidecar = 1 << 26

  /// Adds what the sidecar of a take at a path has; a file without one stays as it is.
  package mutating func addSidecar(beside path: String) {
    guard let file = try? Descriptor(opening: path + ".json", [.nonBlocking]),
      (try? file.status())?.kind == .regular,
      let bytes = try? file.readAll(upTo: Self.largestSidecar),
      let json = try? JSONValue(
        decoding: bytes.span, limits: JSONLimits(bytes: Self.largestSidecar))
    else { return }
    add(sidecar: json)
  }

  /// Adds what only the sidecar of a take has: texts and, where the file has none, marks.
  ///
  /// The sidecar of another file, one of another length, is skipped.
  package mutating func add(sidecar json: JSONValue) {
    guard json["frames"]?["onDisk"]?.integer == frames.value else { return }
    tags[.title] = tags[.title] ?? json["title"]?.string
    tags[.comment] = tags[.comment] ?? json["note"]?.string
    if let began = json["began"].flatMap(Duration.init(moment:)) {
      tags[.date] = tags[.date] ?? WallTime(sinceEpoch: began).rfc3339
    }
    gaps = (json["events"]?.array ?? []).compactMap { event in
      guard event["event"]?.string == "gap",
        let frame = event["frame"].flatMap(FrameCount.init(json:))
      else { return nil }
      let label = "\(event["lost"]?.integer ?? 0) frames lost (\(event["cause"]?.string ?? ""))"
      return SoundFileCue(at: frame, label: label)
    }
    guard marks.isEmpty else { return }
    marks = (json["events"]?.array ?? []).compactMap { event in
      guard event["event"]?.string == "mark",
        let frame = event["frame"].flatMap(FrameCount.init(json:))
      else { return nil }
      return SoundFileCue(at: frame, label: event["text"]?.string ?? "")
    }
  }
}

/// The wishes for an export: the part of the sound, and the form of the file.
package struct ExportPlan: Sendable {
  /// The container.
  package var format: ExportFormat
  /// The time in the source at which the export begins; nil for its beginning.
  package var from: Duration?
  /// The time in the source at which the export ends; nil for its end.
  package var to: Duration?
  /// True for a file for each part between two marks.
  package var splitsAtMarks = false
  /// True to skip the silence at both ends.
  package var trims = false
  /// The channels of the file; nil for those of the source.
  package var channels: ChannelCount?
  /// The rate of the file; nil for that of the source, or the nearest that the format has.
  package var rate: SampleRate?
  /// The samples of the file; nil for those of the source, or the nearest that the format has.
  package var sample: SampleFormat?
  /// The length of a fade at the beginning.
  package var fadeIn = Duration.zero
  /// The length of a fade at the end.
  package var fadeOut = Duration.zero

  /// The integrated loudness of the file, in LUFS; nil for that of the source.
  package var loudness: Double?

  /// An export of the whole sound as it is.
  package init(_ format: ExportFormat) { self.format = format }
}

/// The reason why a sound was not exported.
package enum ExportError: Error, Hashable, Sendable {
  /// The source could not be decoded.
  case decoding(DecodingError)
  /// The file could not be written, or its name is taken.
  case output(SystemError)
  /// An encoder or a disk failed.
  case writing(path: String, SoundFileError)
  /// The sound cannot be what is wanted.
  case refused(ExportRefusal)
  /// A library that measures failed.
  case analysis(AnalysisError)
  /// A signal arrived.
  case interrupted(Signal)
}
