internal import Audio

/// The places of channels as Apple's files state them: by a bit mask, by a description of each, or by a number
/// that stands for a usual order (CoreAudioTypes, `AudioChannelLayoutTag`).
enum AppleLayout {
  /// Reads the content of a `chan` chunk; nil where it names other places or not as many.
  static func speakers(_ content: [UInt8], _ channels: ChannelCount) -> [Speaker]? {
    guard content.count >= 12 else { return nil }
    let numbers = [0, 4, 8].map { content.number(at: $0, as: UInt32.self).byteSwapped }
    switch numbers[0] {
    case 0: return described(content, Int(numbers[2]), channels)
    case 1 << 16: return [Speaker](waveMask: numbers[1], channels: channels)
    case let tag: return speakers(usual: Int(tag >> 16), channels)
    }
  }

  /// The order of that many channels in Apple Lossless.
  static func lossless(_ channels: ChannelCount) -> [Speaker]? {
    let numbers = [100, 101, 114, 116, 120, 124, 142, 127]
    guard channels.value <= numbers.count else { return nil }
    return speakers(usual: numbers[channels.value - 1], channels)
  }

  private static func speakers(usual number: Int, _ channels: ChannelCount) -> [Speaker]? {
    guard let order = orders[number] else { return nil }
    return places(order.split(separator: " ").map { names[String($0)] ?? 0 }, channels)
  }

  private static func described(
    _ content: [UInt8], _ count: Int, _ channels: ChannelCount
  ) -> [Speaker]? {
    guard count == channels.value, content.count >= 12 + 20 * count else { return nil }
    let labels = (0..<count).map {
      content.number(at: 12 + 20 * $0, as: UInt32.self).byteSwapped
    }
    return places(labels.map(Int.init), channels)
  }

  private static func places(_ labels: [Int], _ channels: ChannelCount) -> [Speaker]? {
    // With speakers at the rear, those called surround stand at the sides.
    let hasRear = labels.contains(33) || labels.contains(9)
    let found = labels.compactMap { label -> Speaker? in
      switch label {
      case 5 where hasRear: .sideLeft
      case 6 where hasRear: .sideRight
      default: speakers[label]
      }
    }
    return found.count == channels.value && Set(found).count == found.count ? found : nil
  }

  private static let speakers: [Int: Speaker] = [
    1: .frontLeft, 2: .frontRight, 3: .frontCenter, 4: .lowFrequency, 5: .backLeft, 6: .backRight,
    7: .frontLeftOfCenter, 8: .frontRightOfCenter, 9: .backCenter, 10: .sideLeft, 11: .sideRight,
    33: .backLeft, 34: .backRight, 42: .frontCenter,
  ]

  private static let names = [
    "L": 1, "R": 2, "C": 3, "LFE": 4, "Ls": 5, "Rs": 6, "Lc": 7, "Rc": 8, "Cs": 9, "Rls": 33,
    "Rrs": 34,
  ]

  private static let orders = [
    100: "C", 101: "L R", 102: "L R", 108: "L R Ls Rs", 113: "L R C", 114: "C L R",
    115: "L R C Cs", 116: "C L R Cs", 117: "L R C Ls Rs", 118: "L R Ls Rs C", 119: "L C R Ls Rs",
    120: "C L R Ls Rs", 121: "L R C LFE Ls Rs", 122: "L R Ls Rs C LFE", 123: "L C R Ls Rs LFE",
    124: "C L R Ls Rs LFE", 125: "L R C LFE Ls Rs Cs", 126: "L R C LFE Ls Rs Lc Rc",
    127: "C Lc Rc L R Ls Rs LFE", 128: "L R C LFE Ls Rs Rls Rrs", 131: "L R Cs",
    132: "L R Ls Rs", 133: "L R LFE", 134: "L R LFE Cs", 135: "L R LFE Ls Rs", 136: "L R C LFE",
    137: "L R C LFE Cs", 138: "L R Ls Rs LFE", 139: "L R C Ls Rs Cs", 140: "L R C Ls Rs Rls Rrs",
    141: "C L R Ls Rs Cs", 142: "C L R Ls Rs Cs LFE", 143: "C L R Ls Rs Rls Rrs",
  ]
}
