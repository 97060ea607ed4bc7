package import Audio
internal import Control
package import Files
package import JSON
internal import Linux

/// The facts about the source of an export. They come from a confined decoder process and from the
/// sidecar.
package struct ExportSource: Hashable, Sendable {
  /// The number of frames per second.
  package var rate: SampleRate
  /// The number of samples per frame.
  package var channels: ChannelCount
  /// The smallest sample format that holds the samples exactly, or nil if there is none.
  package var sample: SampleFormat?
  /// The length in frames.
  package var frames: FrameCount
  /// The format of a file without a header, or nil if the file has a header.
  package var raw: StreamFormat?
  /// The sources that were appended to this source, in order.
  private(set) var following: [ExportSource] = []
  /// The tracks of the take, from the sidecar. Empty if the tracks have no names.
  package var tracks: [Track] = []
  /// The tags of the file.
  package var tags: SoundFileTags = [:]
  /// The marks, at the rate of the source.
  package var marks: [SoundFileCue] = []
  /// The positions of lost frames, from the file or the sidecar. Each label states the number of
  /// lost frames and the cause.
  package var gaps: [SoundFileCue] = []
  /// The rate of the device, or nil if the sidecar does not state it. The gaps of the tracks count
  /// frames at this rate.
  package var deviceRate: SampleRate?
  /// The bits per sample, or nil if the encoding has no fixed number.
  private(set) var bits: Int?
}

extension ExportSource {
  /// This source and the sources that follow it.
  var all: [ExportSource] { [self] + following }

  /// The bits per sample, or nil if the samples are not integers.
  var integerBits: Int? { sample.flatMap { $0.isFloat ? nil : bits ?? $0.significantBits } }

  /// Returns the number of frames of all sources at a rate.
  func length(at rate: SampleRate) -> FrameCount {
    all.reduce(0) { $0 + $1.frames.converted(from: $1.rate, to: rate) }
  }

  /// A source with the channels of several files side by side, one file for each track. It ends
  /// with the shortest file.
  package init(_ files: [ExportSource], of tracks: [Track]) {
    self = files[0]
    let end = files.map(\.frames).min() ?? frames
    frames = end
    marks.removeAll { $0.frame > end }
    let ranges = files.map(\.channels.value).consecutiveRanges
    channels = ChannelCount(ranges.last?.upperBound ?? 0) ?? channels
    self.tracks = zip(tracks, ranges).map { track, channels in
      var track = track
      track.channels = channels
      return track
    }
  }

  /// Returns whether this source has the tracks of another source, in the same channels.
  package func hasTracks(of other: ExportSource) -> Bool {
    tracks.elementsEqual(other.tracks) {
      ($0.name ?? "").isSameName(as: $1.name ?? "") && $0.channels == $1.channels
    }
  }

  /// Appends another source, with its marks.
  mutating func append(_ next: ExportSource) {
    let (end, rate) = (length(at: rate), rate)
    marks += next.marks.map { mark in
      SoundFileCue(at: end + mark.frame.converted(from: next.rate, to: rate), label: mark.label)
    }
    following.append(next)
  }

  /// Creates a source from the JSON members that `recorder info --json` reports for a file. The
  /// result is nil if the rate, the channels or the length is missing.
  package init?(_ members: JSONObject, sample: SampleFormat?) {
    guard let rate = members["rate"].flatMap(SampleRate.init(json:)),
      let channels = members["channels"].flatMap(ChannelCount.init(json:)),
      let frames = members["frames"].flatMap(FrameCount.init(json:))
    else { return nil }
    self.init(rate: rate, channels: channels, sample: sample, frames: frames)
    bits = members["bits"]?.integer.map(Int.init(clamping:))
    for tag in SoundFileTag.allCases { tags[tag] = members["tags"]?[tag.rawValue]?.string }
    marks = (members["marks"]?.array ?? []).compactMap { mark in
      guard let frame = mark["frame"].flatMap(FrameCount.init(json:)) else { return nil }
      return SoundFileCue(at: frame, label: mark["label"]?.string ?? "")
    }
    gaps = marks.filter(\.isGap)
  }

  /// The maximum size of a sidecar in bytes. The events of a take of several days need less.
  private static let largestSidecar = 1 << 26

  /// Adds the facts of a sidecar. Does nothing if the sidecar does not exist or cannot be read.
  package mutating func addSidecar(at path: String) {
    if let json = Self.sidecar(at: path) { add(sidecar: json) }
  }

  private static func sidecar(at path: String) -> JSONValue? {
    guard let file = try? Descriptor(opening: path, [.nonBlocking]),
      (try? file.status())?.kind == .regular,
      let bytes = try? file.readAll(upTo: largestSidecar)
    else { return nil }
    return try? JSONValue(decoding: bytes.span, limits: JSONLimits(bytes: largestSidecar))
  }

  /// Returns the tracks of a take with a separate file for each track, with the current paths of
  /// these files. Returns an empty array for any other take.
  ///
  /// The sidecar may come from another user, so only the file names in it are used, and not the
  /// directories. The sidecar belongs to the file of the first track, and all files are in the
  /// directory of this file. If this file has another name than in the sidecar, all files were
  /// renamed together, and their names are derived from the name of this file.
  package static func fileTracks(beside path: String) -> [Track] {
    let tracks = sidecar(at: path + ".json").flatMap { [Track](ofTake: $0)?.named } ?? []
    guard let first = tracks.first(where: { $0.file != nil }) else { return [] }
    let (directory, own) = path.pathParts
    return tracks.compactMap { track in
      guard let saved = track.file?.pathParts.name, let name = track.name else { return nil }
      let derived = TrackFileName.replacing(first.name ?? "", by: name, in: own)
      let isSaved = first.file?.pathParts.name.isSameName(as: own) == true
      var track = track
      track.file =
        name.isSameName(as: first.name ?? "") ? path : directory.path(of: isSaved ? saved : derived)
      return track
    }
  }

  /// Returns the number of channels of each track in a file, from the sidecar of the file. Returns
  /// an empty array if the file does not contain several tracks.
  package static func trackChannels(inSidecar path: String) -> [ChannelCount] {
    let tracks = sidecar(at: path).flatMap { [Track](ofTake: $0)?.named } ?? []
    let channels = tracks.compactMap { $0.channels.flatMap { ChannelCount($0.count) } }
    let isOneFile = tracks.count > 1 && tracks.files.isEmpty && channels.count == tracks.count
    return isOneFile ? channels : []
  }

  /// Returns the file of a track. Throws if no track with a file has this name.
  package static func file(of name: String, among tracks: [Track]) throws -> String {
    guard let file = tracks.first(where: { $0.name?.isSameName(as: name) == true })?.file else {
      throw ExportRefusal.noTrack(name, has: tracks.compactMap(\.name))
    }
    return file
  }

  /// Adds facts from the sidecar of a take: the tracks, the gaps, and the rate of the device. Adds
  /// each tag that the file does not have, and the marks if the file has no marks.
  ///
  /// A sidecar that states another length is ignored, because it belongs to another file.
  package mutating func add(sidecar json: JSONValue) {
    guard json["frames"]?["onDisk"]?.integer == frames.value else { return }
    var named = [Track](ofTake: json)?.named ?? []
    // If each track has its own file, this file has only the first track.
    if var first = named.first(where: { $0.file != nil }) {
      first.channels = first.channels.map { 0..<$0.count }
      named = [first]
    }
    let isFitting = named.allSatisfy { ($0.channels?.upperBound ?? .max) <= channels.value }
    tracks = isFitting ? named : []
    deviceRate = json["rate"].flatMap(SampleRate.init(json:))
    tags[.title] = tags[.title] ?? json["title"]?.string
    tags[.comment] = tags[.comment] ?? json["note"]?.string
    if let began = json["began"].flatMap(Duration.init(moment:)) {
      tags[.date] = tags[.date] ?? WallTime(sinceEpoch: began).rfc3339
    }
    func events(_ kind: String, label: (JSONValue) -> String) -> [SoundFileCue] {
      (json["events"]?.array ?? []).compactMap { event in
        guard event["event"]?.string == kind,
          let frame = event["frame"].flatMap(FrameCount.init(json:))
        else { return nil }
        return SoundFileCue(at: frame, label: label(event))
      }
    }
    let lostRate = deviceRate ?? rate
    let gaps = events("gap") { event in
      let lost = event["lost"].flatMap(FrameCount.init(json:)) ?? 0
      return lossText(lost, at: lostRate, cause: event["cause"]?.string)
    }
    if !gaps.isEmpty { self.gaps = gaps }
    if marks.isEmpty { marks = events("mark") { $0["text"]?.string ?? "" } }
  }
}

/// The request for an export: the part of the sound and the form of the file.
package struct ExportPlan: Sendable {
  /// The container.
  package var format: FileFormat
  /// The time in the source at which the export begins, or nil for the beginning of the source.
  package var from: Duration?
  /// The time in the source at which the export ends, or nil for the end of the source.
  package var to: Duration?
  /// Whether to write a separate file for each part between two marks.
  package var splitsAtMarks = false
  /// Whether to remove the silence at both ends.
  package var trims = false
  /// The name of the only track to write, or nil for all tracks.
  package var track: String?
  /// The name of the track whose echo is removed from the track to write, or nil to remove no echo.
  package var echo: String?
  /// Whether to mix all tracks.
  package var mixes = false
  /// The channels of the file, or nil for the channels of the source or of its tracks.
  package var channels: ChannelCount?
  /// The wanted rate, or nil for the rate of the source. The file gets the `exportRate` for this
  /// rate.
  package var rate: SampleRate?
  /// The sample format of the file, or nil for the `exportSample` of the source's format.
  package var sample: SampleFormat?
  /// The length of a fade at the beginning.
  package var fadeIn = Duration.zero
  /// The length of a fade at the end.
  package var fadeOut = Duration.zero

  /// The integrated loudness of the file in LUFS, or nil to keep the loudness of the source.
  package var loudness: Double?

  /// Creates a plan to export the whole sound unchanged.
  package init(_ format: FileFormat) { self.format = format }
}
