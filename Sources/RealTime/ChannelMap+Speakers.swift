package import Audio

extension ChannelMap {
  /// The map of a file's channels, whose places are known, to an output with its channels in the order of WAV files.
  ///
  /// A channel that the output has too keeps its place. The others are mixed into their neighbours
  /// by the coefficients of ITU-R BS.775; low frequencies are skipped. Loud sound may pass full
  /// scale and then saturates: a lower level to be safe would cost speech.
  package init(from sources: ChannelCount, at speakers: [Speaker]?, to targets: ChannelCount) {
    if let speakers, sources == targets, speakers.count == sources.value {
      self = Self.sorted(speakers, sources)
      return
    }
    guard sources != .mono, let speakers, speakers.count == sources.value,
      let places = [Speaker].usual(targets)
    else {
      self.init(from: sources, to: targets)
      return
    }
    let stereo = targets == .mono ? [Speaker.frontLeft, .frontRight] : places
    var rows = stereo.map { _ in [Float](repeating: 0, count: sources.value) }
    for (source, speaker) in speakers.enumerated() {
      for (target, weight) in Self.shares(of: speaker, among: stereo) {
        rows[target][source] += weight
      }
    }
    if targets == .mono { rows = [zip(rows[0], rows[1]).map { ($0 + $1) / 2 }] }
    self.init(from: sources, to: targets, weights: rows.flatMap(\.self))
  }

  /// Every channel by itself, in the order of WAV files: as many as there are, none is skipped.
  private static func sorted(_ speakers: [Speaker], _ channels: ChannelCount) -> ChannelMap {
    let order = speakers.indices.sorted { speakers[$0].rawValue < speakers[$1].rawValue }
    var weights = [Float](repeating: 0, count: order.count * order.count)
    for (target, source) in order.enumerated() { weights[target * order.count + source] = 1 }
    return ChannelMap(from: channels, to: channels, weights: weights)
  }

  /// The targets that play a channel, each with its weight.
  private static func shares(
    of speaker: Speaker, among targets: [Speaker]
  ) -> [(target: Int, weight: Float)] {
    if let same = targets.firstIndex(of: speaker) { return [(same, 1)] }
    for (neighbours, weight) in neighbours(of: speaker) {
      let found = neighbours.compactMap(targets.firstIndex)
      if found.count == neighbours.count { return found.map { ($0, weight) } }
    }
    return []
  }

  /// The places that stand in for another, the best first.
  private static func neighbours(of speaker: Speaker) -> [([Speaker], Float)] {
    let (lower, half) = (Float(0.5).squareRoot(), Float(0.5))
    return switch speaker {
    case .frontLeft, .frontRight: [([.frontCenter], lower)]
    case .frontCenter: [([.frontLeft, .frontRight], lower)]
    case .lowFrequency: []
    case .backLeft: [([.sideLeft], 1), ([.frontLeft], lower)]
    case .backRight: [([.sideRight], 1), ([.frontRight], lower)]
    case .sideLeft: [([.backLeft], 1), ([.frontLeft], lower)]
    case .sideRight: [([.backRight], 1), ([.frontRight], lower)]
    case .frontLeftOfCenter: [([.frontLeft], 1)]
    case .frontRightOfCenter: [([.frontRight], 1)]
    case .backCenter:
      [
        ([.backLeft, .backRight], lower), ([.sideLeft, .sideRight], lower),
        ([.frontLeft, .frontRight], half),
      ]
    }
  }
}
