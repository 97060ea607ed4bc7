/// One track of a take: a device, and the channels that it fills. A plain take has one track
/// without a name.
package struct Track: Hashable, Sendable {
  /// The name, or nil for the track of a plain take.
  package var name: String?
  /// The device, as it was typed.
  package var device: String
  /// The sound server's description of the device that the name means now, or nil if it is unknown.
  package var deviceTitle: String?
  /// The channels in each frame, counted from 0, or nil until the device is open.
  package var channels: Range<Int>?

  /// A track. Its channels are known once its device is open.
  package init(name: String? = nil, device: String, channels: Range<Int>? = nil) {
    self.name = name
    self.device = device
    self.channels = channels
  }
}

extension Track {
  /// The most channels of a track if a take has several.
  package static let mostChannels = ChannelCount.stereo

  /// The most tracks of a take.
  package static let mostTracks = 64

  /// The length of the longest name.
  private static let longestName = 32

  /// Returns whether a text is a valid name: 1 to 32 of a to z, 0 to 9 and dash.
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

  /// The devices of all tracks, separated by commas.
  package var devices: String {
    dropFirst().reduce(first?.device ?? "") { "\($0), \($1.device)" }
  }

  /// Returns the tracks with their channels in a frame, in the same order.
  package func filling(_ channels: [Range<Int>]) -> [Track] {
    zip(self, channels).map { Track(name: $0.name, device: $0.device, channels: $1) }
  }
}
