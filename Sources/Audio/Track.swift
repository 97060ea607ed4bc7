/// One track of a take: a device, and the channels that it fills. A plain take has one track
/// without a name.
package struct Track: Hashable, Sendable {
  /// The name, or nil for the track of a plain take.
  package var name: String?
  /// The device as the user typed it.
  package var device: String
  /// The sound server's description of the recorded device, or nil if the description is unknown.
  package var deviceTitle: String?
  /// The delay of this track relative to the first track, or nil if it is unknown. It is the
  /// difference between the delays that the sound server reports for the two devices.
  package var offset: Duration?
  /// The channels in each frame, counted from 0, or nil until the device is open.
  package var channels: Range<Int>?
  /// The highest peak, or nil if it is unknown or the track has no channels of its own.
  package var peak: Decibels?
  /// The ranges that are silent because the device was missing or the track lost its permission, or
  /// nil if the ranges are unknown.
  package var gaps: [Gap]?
  /// The cause that ended the track before the end of the take (`permission` or `expired`), or nil
  /// if the track did not end early.
  package var ended: Gap.Cause?
  /// The path of the file that contains only this track, or nil if the track is in the file of the
  /// take.
  package var file: String?
  /// The size of `file` in bytes, or nil if it is unknown.
  package var bytes: Int64?

  /// A track. Its channels are known once its device is open.
  package init(name: String? = nil, device: String, channels: Range<Int>? = nil) {
    self.name = name
    self.device = device
    self.channels = channels
  }
}

extension Track {
  /// The maximum number of channels of a track in a take with several tracks.
  package static let mostChannels = ChannelCount.stereo

  /// The maximum number of tracks of a take.
  package static let mostTracks = 64

  /// Returns whether a device records sound that this machine plays: `output`, `output:NODE` or
  /// `app:NAME`.
  package static func recordsSystemAudio(_ device: String) -> Bool {
    device.utf8.elementsEqual("output".utf8)
      || ["output:", "app:"].contains { device.utf8.starts(with: $0.utf8) }
  }

  /// Whether the track records the sound of a program.
  package var isProgram: Bool { device.utf8.starts(with: "app:".utf8) }

  /// The maximum length of a name.
  private static let longestName = 32

  /// Returns whether a text is a valid name: 1 to 32 characters, which are a to z, 0 to 9 or a
  /// dash.
  package static func isName(_ text: String) -> Bool {
    (1...longestName).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }
}

extension [Int] {
  /// The ranges with these lengths, one after another: `[2, 1]` gives 0 to 1, and 2.
  package var consecutiveRanges: [Range<Int>] {
    var end = 0
    return map { length in
      defer { end += length }
      return end..<end + length
    }
  }
}

extension [Track] {
  /// The tracks if they have names, or nil for a plain take.
  package var named: [Track]? { first?.name == nil ? nil : self }

  /// The files of the tracks, in the same order, if each track has its own file. Otherwise empty.
  package var files: [String] { compactMap(\.file) }

  /// Whether several tracks have their own channels in each frame. If so, a conversion to fewer
  /// channels would drop tracks, or mix only some of them.
  package var areSideBySide: Bool { filter { $0.channels != nil }.count > 1 }

  /// The devices of all tracks, separated by commas.
  package var devices: String {
    dropFirst().reduce(first?.device ?? "") { "\($0), \($1.device)" }
  }

  /// Returns tracks with the same names and devices, in the same order, that have these channels in
  /// each frame.
  package func filling(_ channels: [Range<Int>]) -> [Track] {
    zip(self, channels).map { Track(name: $0.name, device: $0.device, channels: $1) }
  }

  /// Sets the gaps of each track. Only the latest gaps of each track are kept. `most` is the
  /// maximum number of gaps of all tracks together, and each track gets an equal share of it.
  package mutating func set(_ gaps: [[Gap]], most: Int) {
    for (index, gaps) in zip(indices, gaps) { self[index].gaps = [Gap](gaps.suffix(most / count)) }
  }

  /// Sets the peak of each track from the highest peak of each channel.
  package mutating func set(peaks: [Double]) {
    for index in indices {
      guard let channels = self[index].channels, channels.upperBound <= peaks.count else {
        continue
      }
      self[index].peak = peaks[channels].max().map { Decibels(amplitude: $0) }
    }
  }

  /// Returns the set of the tracks that meet a condition.
  package func set(where condition: (Track) -> Bool) -> TrackSet {
    TrackSet(indices.filter { condition(self[$0]) })
  }

  /// The tracks of a set.
  package subscript(_ set: TrackSet) -> [Track] {
    indices.filter { set.contains($0) }.map { self[$0] }
  }
}

/// A set of tracks, stored as a bit for each index in a take. It allocates no memory, so audio
/// threads can use it.
///
/// Its functions do not come from a protocol such as `OptionSet`. If code in another target calls a
/// function of a protocol, each call looks up the metadata of the type.
package struct TrackSet: Hashable, BitwiseCopyable, Sendable {
  /// A bit for each track. The first track has the lowest bit.
  package private(set) var rawValue: UInt64

  /// A set of the tracks whose bits are set, by default none.
  package init(rawValue: UInt64 = 0) { self.rawValue = rawValue }

  /// The set of one track.
  package init(index: Int) { rawValue = 1 << UInt64(index) }

  /// The set of several tracks.
  package init(_ indices: [Int]) { self = indices.reduce(into: TrackSet()) { $0.insert($1) } }

  package static func == (left: TrackSet, right: TrackSet) -> Bool {
    left.rawValue == right.rawValue
  }

  /// Whether the set has no tracks.
  package var isEmpty: Bool { rawValue == 0 }

  /// Returns whether the set has the track at this index.
  package func contains(_ index: Int) -> Bool { rawValue >> UInt64(index) & 1 == 1 }

  /// Adds the track at this index.
  package mutating func insert(_ index: Int) { formUnion(TrackSet(index: index)) }

  /// Adds the tracks of another set.
  package mutating func formUnion(_ other: TrackSet) { rawValue |= other.rawValue }

  /// Returns the tracks that are in one of the two sets, or in both.
  package func union(_ other: TrackSet) -> TrackSet {
    TrackSet(rawValue: rawValue | other.rawValue)
  }

  /// Returns the tracks that are in both sets.
  package func intersection(_ other: TrackSet) -> TrackSet {
    TrackSet(rawValue: rawValue & other.rawValue)
  }

  /// Returns the tracks that are not in the other set.
  package func subtracting(_ other: TrackSet) -> TrackSet {
    TrackSet(rawValue: rawValue & ~other.rawValue)
  }
}

/// The silent ranges of a track in the current file of a running take.
package struct SilentRanges: Hashable, Sendable {
  private var gaps: [Gap] = []
  /// The range that has not ended, with the length 0.
  private var current: Gap?

  /// No ranges.
  package init() {}

  /// The cause of the range that has not ended, or nil if there is none.
  package var cause: Gap.Cause? { current?.cause }

  /// The ranges for the next file. A range that has not ended continues from the beginning of the
  /// next file.
  package var continued: SilentRanges {
    var next = SilentRanges()
    next.change(to: cause, at: 0)
    return next
  }

  /// Ends the current range at a position. If there is a cause, begins a new range at the same
  /// position.
  package mutating func change(to cause: Gap.Cause?, at position: FrameCount) {
    gaps = ranges(upTo: position)
    current = cause.map { Gap(position: position, length: 0, cause: $0) }
  }

  /// Returns the ranges in a file that ends at this position.
  package func ranges(upTo end: FrameCount) -> [Gap] {
    var gaps = gaps
    if var last = current {
      last.length = end - last.position
      gaps.append(last)
    }
    return gaps.filter { $0.position < end }.map { gap in
      Gap(position: gap.position, length: min(gap.length, end - gap.position), cause: gap.cause)
    }
  }
}
