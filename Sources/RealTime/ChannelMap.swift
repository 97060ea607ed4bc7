package import Audio

/// A rule that computes each channel of an output frame from the channels of an input frame.
///
/// Use it only in threads that decode or write. It has arrays, which are reference-counted, so the
/// compiler does not allow it in the thread of a device.
package struct ChannelMap: Hashable, Sendable {
  /// The number of channels in an input frame.
  package let sources: ChannelCount
  /// The number of channels in an output frame.
  package let targets: ChannelCount
  /// The factor of each source channel for the first target channel, then for the second, and so
  /// on.
  private let weights: [Float]
  /// The index of the source of each target, or nil if a target is silent, mixed or scaled.
  private let selection: [Int]?

  init(from sources: ChannelCount, to targets: ChannelCount, weights: [Float]) {
    self.sources = sources
    self.targets = targets
    self.weights = weights
    selection = Self.selection(weights, sources: sources.value)
  }

  private static func selection(_ weights: [Float], sources: Int) -> [Int]? {
    var chosen: [Int] = []
    for row in stride(from: 0, to: weights.count, by: sources) {
      let shares = weights[row..<row + sources]
      guard shares.filter({ $0 != 0 }) == [1], let source = shares.firstIndex(of: 1) else {
        return nil
      }
      chosen.append(source - row)
    }
    return chosen
  }

  /// Whether every target is an unchanged source, so that `select` can be used.
  package var isSelection: Bool { selection != nil }

  /// Whether every channel keeps its position.
  package var isIdentity: Bool { sources == targets && selection == Array(0..<sources.value) }
}

extension ChannelMap {
  /// Selects channels in the given order, counted from 0. Returns nil if one of the channels does
  /// not exist, or if their number is not a valid `ChannelCount`.
  package init?(selecting channels: [Int], of sources: ChannelCount) {
    guard let targets = ChannelCount(channels.count),
      channels.allSatisfy((0..<sources.value).contains)
    else { return nil }
    var weights = [Float](repeating: 0, count: targets.value * sources.value)
    for (target, source) in channels.enumerated() { weights[target * sources.value + source] = 1 }
    self.init(from: sources, to: targets, weights: weights)
  }

  /// A map to the mean of several groups of channels. Each group is mapped by the default map. All
  /// groups have the same weight, even if their numbers of channels differ.
  package init(mixing groups: [Range<Int>], of sources: ChannelCount, to targets: ChannelCount) {
    var weights = [Float](repeating: 0, count: targets.value * sources.value)
    for group in groups {
      guard let width = ChannelCount(group.count) else { continue }
      let usual = ChannelMap(from: width, to: targets).weights
      for (index, weight) in usual.enumerated() {
        let (target, source) = index.quotientAndRemainder(dividingBy: group.count)
        weights[target * sources.value + group.lowerBound + source] += weight / Float(groups.count)
      }
    }
    self.init(from: sources, to: targets, weights: weights)
  }

  /// The default map between two numbers of channels.
  ///
  /// A mono input goes to all targets. A mono output is the mean of all sources. 5.1 is mixed to
  /// stereo as the ITU recommends. Otherwise channels keep their positions: surplus channels are
  /// dropped, and missing channels are silent.
  package init(from sources: ChannelCount, to targets: ChannelCount) {
    let count = targets.value * sources.value
    if sources == .mono || targets == .mono {
      let share = 1 / Float(sources.value)
      self.init(from: sources, to: targets, weights: [Float](repeating: share, count: count))
    } else if sources.value == 6, targets == .stereo {
      self.init(from: sources, at: [Speaker].usual(sources), to: targets)
    } else {
      var weights = [Float](repeating: 0, count: count)
      for same in 0..<min(sources.value, targets.value) { weights[same * sources.value + same] = 1 }
      self.init(from: sources, to: targets, weights: weights)
    }
  }
}

extension ChannelMap {
  /// The map from the channels of a file to an output whose channels are in the order of WAV files.
  /// `speakers` has the speaker of each channel of the file, or is nil if the speakers are unknown.
  ///
  /// A channel goes to its own speaker if the output has this speaker. Otherwise it is mixed into
  /// the neighbouring speakers with the coefficients of ITU-R BS.775, or dropped if it is a
  /// low-frequency channel. The mix of loud channels can exceed full scale, and then saturates. A
  /// lower level of the mix would prevent this, but would make speech quieter. A mono output gets
  /// the mean of the stereo mix. If the speakers of the file or the output are unknown, this is the
  /// default map.
  package init(from sources: ChannelCount, at speakers: [Speaker]?, to targets: ChannelCount) {
    if let speakers, sources == targets, speakers.count == sources.value {
      // Sorts the channels into the order of WAV files, and drops none.
      let order = speakers.indices.sorted { speakers[$0].rawValue < speakers[$1].rawValue }
      if let sorted = ChannelMap(selecting: order, of: sources) {
        self = sorted
        return
      }
    }
    guard sources != .mono, let speakers, speakers.count == sources.value,
      let targetSpeakers = [Speaker].usual(targets)
    else {
      self.init(from: sources, to: targets)
      return
    }
    let stereo = targets == .mono ? [Speaker.frontLeft, .frontRight] : targetSpeakers
    var rows = stereo.map { _ in [Float](repeating: 0, count: sources.value) }
    for (source, speaker) in speakers.enumerated() {
      for (target, weight) in Self.shares(of: speaker, among: stereo) {
        rows[target][source] += weight
      }
    }
    if targets == .mono { rows = [zip(rows[0], rows[1]).map { ($0 + $1) / 2 }] }
    self.init(from: sources, to: targets, weights: rows.flatMap(\.self))
  }

  /// Returns the targets that play the channel of a speaker, each with its weight.
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

  /// Returns the groups of speakers that can replace `speaker`, the best group first, each with the
  /// weight of the replaced channel.
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

extension ChannelMap {
  /// Maps whole frames of floats.
  ///
  /// - Parameter mapped: has room for the same number of frames.
  package func apply(to frames: Span<Float>, into mapped: inout MutableSpan<Float>) {
    if isSelection {
      var bytes = unsafe mapped.mutableBytes
      return unsafe select(from: frames.bytes, bytesPerSample: 4, into: &bytes)
    }
    let (inputs, outputs) = (sources.value, targets.value)
    let weights = weights.span
    for frame in 0..<frames.count / inputs {
      for output in 0..<outputs {
        var sum: Float = 0
        for input in 0..<inputs {
          let weight = weights[output * inputs + input]
          // A weight of 0 skips the channel even if its sample is NaN.
          if weight != 0 { sum += weight * frames[frame * inputs + input] }
        }
        mapped[frame * outputs + output] = sum
      }
    }
  }

  /// Selects the channels of whole frames of any format, bit for bit.
  ///
  /// - Parameter selected: has room for the same number of frames.
  package func select(
    from frames: RawSpan, bytesPerSample size: Int, into selected: inout MutableRawSpan
  ) {
    guard let selection else { preconditionFailure("this map mixes channels") }
    let (inputs, outputs) = (sources.value, targets.value)
    for frame in 0..<frames.byteCount / (inputs * size) {
      for output in 0..<outputs {
        selected.copy(
          size, from: frames, at: (frame * inputs + selection[output]) * size,
          to: (frame * outputs + output) * size)
      }
    }
  }
}
