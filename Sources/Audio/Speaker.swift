/// The speaker position of a channel. The raw value is the number of its bit in the channel mask of
/// WAV files.
package enum Speaker: Int, Hashable, CaseIterable, Sendable {
  case frontLeft = 0
  case frontRight
  case frontCenter
  case lowFrequency
  case backLeft
  case backRight
  case frontLeftOfCenter
  case frontRightOfCenter
  case backCenter
  case sideLeft
  case sideRight
}

extension [Speaker] {
  /// The usual positions for this number of channels, in the order of WAV and FLAC files, or nil
  /// for more than 8 channels.
  package static func usual(_ channels: ChannelCount) -> [Speaker]? {
    let (front, back): ([Speaker], [Speaker]) = (
      [.frontLeft, .frontRight], [.backLeft, .backRight]
    )
    return switch channels.value {
    case 1: [.frontCenter]
    case 2: front
    case 3: front + [.frontCenter]
    case 4: front + back
    case 5: front + [.frontCenter] + back
    case 6: front + [.frontCenter, .lowFrequency] + back
    case 7: front + [.frontCenter, .lowFrequency, .backCenter, .sideLeft, .sideRight]
    case 8: front + [.frontCenter, .lowFrequency] + back + [.sideLeft, .sideRight]
    default: nil
    }
  }

  /// The order of Vorbis and Opus (Vorbis I, 4.3.9), or nil for more than 8 channels.
  package static func vorbis(_ channels: ChannelCount) -> [Speaker]? {
    switch channels.value {
    case 1: [.frontCenter]
    case 2: [.frontLeft, .frontRight]
    case 3: [.frontLeft, .frontCenter, .frontRight]
    case 4: [.frontLeft, .frontRight, .backLeft, .backRight]
    case 5: [.frontLeft, .frontCenter, .frontRight, .backLeft, .backRight]
    case 6: [.frontLeft, .frontCenter, .frontRight, .backLeft, .backRight, .lowFrequency]
    case 7:
      [
        .frontLeft, .frontCenter, .frontRight, .sideLeft, .sideRight, .backCenter, .lowFrequency,
      ]
    case 8:
      [
        .frontLeft, .frontCenter, .frontRight, .sideLeft, .sideRight, .backLeft, .backRight,
        .lowFrequency,
      ]
    default: nil
    }
  }

  /// The positions in a WAV file's channel mask, in the order of their bits, or nil if the mask has
  /// unknown positions or does not match the number of channels.
  package init?(waveMask mask: UInt32, channels: ChannelCount) {
    let named = Speaker.allCases.filter { mask & 1 << UInt32($0.rawValue) != 0 }
    guard named.count == channels.value, mask >> UInt32(Speaker.allCases.count) == 0 else {
      return nil
    }
    self = named
  }
}
