package import Audio
package import Files
internal import Linux
internal import RealTime

/// The layout of an export. All positions and lengths are in frames at the rate of the file. The
/// layout depends only on the plan and the source.
package struct ExportLayout: Hashable, Sendable {
  /// One file of the export.
  package struct Piece: Hashable, Sendable {
    /// The frames of the file, counted from the beginning of the source.
    package var range: Range<FrameCount>
    /// The marks in the file, counted from the beginning of the file.
    package var marks: [SoundFileCue]
    /// The label of the mark at the beginning of the file. Nil if there is no such label, or if the
    /// export is not split at marks.
    package var label: String?
  }

  /// The container.
  package let format: FileFormat
  /// The rate, the channels and the sample format of the file.
  package let stream: StreamFormat
  /// The mix of the source's channels into the channels of the file, or nil if no tracks are
  /// chosen.
  let map: ChannelMap?
  /// The files in order.
  package private(set) var pieces: [Piece]
  /// Whether integer samples are read unchanged.
  package let keepsIntegers: Bool
  /// Whether the file needs dither. It needs dither if its samples are integers, and if they are
  /// computed or have fewer bits than the samples of the source.
  let needsNoise: Bool
  let fadeIn: FrameCount
  let fadeOut: FrameCount
  /// The length of the source if the requested part would end after the source, otherwise nil.
  package let exceededLength: Duration?

  /// Creates the layout of an export.
  ///
  /// - Parameter part: the frames to export, or nil for the range of the plan.
  package init(_ plan: ExportPlan, _ source: ExportSource, part: Range<FrameCount>? = nil) throws {
    format = plan.format
    let tracks = try Self.tracks(plan, source)
    stream = try Self.stream(plan, source, tracks)
    map =
      tracks.isEmpty ? nil : ChannelMap(mixing: tracks, of: source.channels, to: stream.channels)
    let keepsSamples = map?.isSelection ?? (stream.channels == source.channels)
    let rate = stream.rate
    let isSame =
      keepsSamples && source.all.allSatisfy { $0.rate == rate && $0.channels == source.channels }
    let isExact = plan.loudness == nil && plan.echo == nil
    keepsIntegers =
      isSame && isExact
      && source.all.allSatisfy { $0.sample.map { !$0.isFloat } ?? false }
    let bits = source.all.map { $0.sample?.significantBits ?? .max }.max() ?? .max
    needsNoise =
      !stream.sample.isFloat
      && (!isSame || !isExact || bits > stream.sample.significantBits)
    fadeIn = FrameCount(plan.fadeIn, at: stream.rate)
    fadeOut = FrameCount(plan.fadeOut, at: stream.rate)
    let length = source.length(at: rate)
    let isExceeded = plan.to.map { FrameCount($0, at: rate) > length } ?? false
    exceededLength = isExceeded ? length.duration(at: rate) : nil
    let range = if let part { part } else { try Self.range(plan, source, stream.rate) }
    let marks = source.marks.map { mark in
      SoundFileCue(at: mark.frame.converted(from: source.rate, to: rate), label: mark.label)
    }.sorted { $0.frame < $1.frame }
    let isToEnd = range.upperBound == source.length(at: rate)
    pieces = try Self.pieces(range, marks, isSplit: plan.splitsAtMarks, isToEnd: isToEnd)
    guard !range.isEmpty || format.mayBeEmpty else { throw ExportRefusal.noFrames(format) }
    // Before the silence is removed, the size of the file is not known.
    if part != nil || !plan.trims { try checkSize() }
  }

  /// Throws if a file would be larger than its format allows.
  private func checkSize() throws {
    guard let most = format.mostBytes else { return }
    let longest = pieces.map { ($0.range.upperBound - $0.range.lowerBound).value }.max() ?? 0
    guard Int128(longest) * Int128(stream.bytesPerFrame) <= Int128(most) else {
      throw ExportRefusal.tooLarge(format)
    }
  }

  /// The number of marks that the user has set.
  package var marks: Int { pieces.reduce(0) { $0 + $1.marks.ofUser } }

  /// All frames of the export.
  package var range: Range<FrameCount> {
    (pieces.first?.range.lowerBound ?? 0)..<(pieces.last?.range.upperBound ?? 0)
  }

  /// Returns the channels of each track to write. Returns an empty array if the plan neither
  /// chooses a track nor mixes the tracks.
  static func tracks(_ plan: ExportPlan, _ source: ExportSource) throws -> [Range<Int>] {
    guard plan.mixes || plan.track != nil else { return [] }
    let chosen = source.tracks.filter { track in
      plan.track.map { track.name?.isSameName(as: $0) == true } ?? true
    }
    guard !chosen.isEmpty else {
      throw ExportRefusal.noTrack(plan.track, has: source.tracks.compactMap(\.name))
    }
    return chosen.compactMap(\.channels)
  }

  private static func stream(
    _ plan: ExportPlan, _ source: ExportSource, _ tracks: [Range<Int>]
  ) throws -> StreamFormat {
    let format = plan.format
    let widest = tracks.map(\.count).max().flatMap { ChannelCount($0) }
    let channels = plan.channels ?? widest ?? source.channels
    guard channels.value <= format.mostChannels else {
      let names = tracks.isEmpty ? source.tracks.compactMap(\.name) : []
      throw ExportRefusal.channels(format, channels, tracks: names)
    }
    if let sample = plan.sample, !format.exportSamples.contains(sample) {
      throw ExportRefusal.sample(format, sample)
    }
    return StreamFormat(
      rate: format.exportRate(for: plan.rate ?? source.rate), channels: channels,
      sample: plan.sample ?? format.exportSample(for: source.sample))
  }

  private static func range(
    _ plan: ExportPlan, _ source: ExportSource, _ rate: SampleRate
  ) throws -> Range<FrameCount> {
    let length = source.length(at: rate)
    let first = plan.from.map { FrameCount($0, at: rate) } ?? 0
    let last = min(length, plan.to.map { FrameCount($0, at: rate) } ?? length)
    if first < last || (plan.from == nil && plan.to == nil) { return first..<last }
    guard plan.from != nil, first >= length else { throw ExportRefusal.emptyPart }
    throw ExportRefusal.beyondEnd(
      length: source.length(at: source.rate).duration(at: source.rate))
  }

  private static func pieces(
    _ range: Range<FrameCount>, _ marks: [SoundFileCue], isSplit: Bool, isToEnd: Bool
  ) throws -> [Piece] {
    var cuts: [FrameCount] = [range.lowerBound]
    if isSplit {
      let marks = marks.filter { range.contains($0.frame) && !$0.isOfSession }
      for mark in marks where cuts.last != mark.frame { cuts.append(mark.frame) }
      guard !marks.isEmpty else { throw ExportRefusal.noMarks }
    }
    cuts.append(range.upperBound)
    return cuts.indices.dropLast().map { index in
      let part = cuts[index]..<cuts[index + 1]
      // A mark that was set during the last pause is at the end of the file, after the last frame.
      let hasEnd = isToEnd && part.upperBound == range.upperBound
      let own = marks.filter {
        part.contains($0.frame) || hasEnd && $0.frame == part.upperBound
      }
      return Piece(
        range: part,
        marks: own.map { SoundFileCue(at: $0.frame - part.lowerBound, label: $0.label) },
        label: isSplit ? own.first { $0.begins(part) }?.label : nil)
    }
  }
}

extension [SoundFileCue] {
  /// The number of marks that the user has set.
  var ofUser: Int { count { !$0.isOfSession } }
}

extension SoundFileCue {
  /// Whether a session, not the user, set this cue at a pause or a gap. Only WAV files have such
  /// cues.
  fileprivate var isOfSession: Bool { label.begins(with: "paused for ") || isGap }

  /// Whether the user has set this cue at the beginning of a part, with a label.
  fileprivate func begins(_ part: Range<FrameCount>) -> Bool {
    frame == part.lowerBound && !label.isEmpty && !isOfSession
  }

  /// Whether a session set this cue at a gap.
  package var isGap: Bool {
    label.ends(with: ")")
      && (label.holds(" frames lost (") || label.begins(with: "1 frame lost ("))
  }
}

extension ExportLayout {
  /// Whether the levels of this layout are also the levels of the whole source. The levels for Opus
  /// differ, because frequencies below 3 Hz are removed before the measurement. With several
  /// tracks, the levels differ because only the source is measured with the weights for tracks.
  func isWhole(of source: ExportSource) -> Bool {
    format != .opus && stream.rate == source.rate && stream.channels == source.channels
      && map == nil && source.tracks.count < 2 && source.following.isEmpty
      && range == 0..<source.frames && fadeIn == 0
      && fadeOut == 0
  }

  /// Returns the fraction of the export that is before a frame, 0 to 1.
  func share(before frame: FrameCount) -> Double {
    let all = Double((range.upperBound - range.lowerBound).value)
    return all > 0 ? Double((frame - range.lowerBound).value) / all : 1
  }

  /// Returns the next frame after `frame` at which a fade ends or begins, or `end` if `end` comes
  /// first.
  func edge(behind frame: FrameCount, before end: FrameCount) -> FrameCount {
    [range.lowerBound + fadeIn, range.upperBound - fadeOut]
      .filter { $0 > frame }.reduce(end, min)
  }

  /// Returns whether a fade changes the frame at `frame`.
  func fades(at frame: FrameCount) -> Bool {
    frame < range.lowerBound + fadeIn || frame >= range.upperBound - fadeOut
  }

  /// Applies the fades to a block of samples. The first frame of the block is the frame `start`.
  func fade(_ samples: inout [Float], at start: FrameCount) {
    let channels = stream.channels.value
    let (first, last) = (range.lowerBound, range.upperBound)
    let end = start + FrameCount(samples.count / channels)
    guard start < first + fadeIn || end > last - fadeOut else { return }
    for frame in 0..<(samples.count / channels) {
      let here = start + FrameCount(frame)
      var gain = 1.0
      if here < first + fadeIn { gain *= Double((here - first).value) / Double(fadeIn.value) }
      if here >= last - fadeOut {
        gain *= Double((last - here).value - 1) / Double(fadeOut.value)
      }
      for channel in 0..<channels { samples[frame * channels + channel] *= Float(gain) }
    }
  }
}
