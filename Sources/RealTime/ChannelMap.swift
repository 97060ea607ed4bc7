package import Audio

/// A rule that makes each channel of a frame from others.
///
/// For the threads that decode or write; the arrays in it are counted references, so the compiler
/// would not let it into the thread of a device.
package struct ChannelMap: Hashable, Sendable {
  /// The channels of the frames that come in.
  package let sources: ChannelCount
  /// The channels of the frames that go out.
  package let targets: ChannelCount
  /// The share of each source in the first target, then in the second, and so on.
  let weights: [Float]
  /// The source of each target, where each target is exactly one source.
  let selection: [Int]?

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

  /// True where bytes can be selected, since no target is a sum.
  package var isSelection: Bool { selection != nil }

  /// True where every channel stays in its place.
  package var isIdentity: Bool { sources == targets && selection == Array(0..<sources.value) }
}

extension ChannelMap {
  /// Selects channels, the first being 0, in the order given; nil where one is not there.
  package init?(selecting channels: [Int], of sources: ChannelCount) {
    guard let targets = ChannelCount(channels.count),
      channels.allSatisfy((0..<sources.value).contains)
    else { return nil }
    var weights = [Float](repeating: 0, count: targets.value * sources.value)
    for (target, source) in channels.enumerated() { weights[target * sources.value + source] = 1 }
    self.init(from: sources, to: targets, weights: weights)
  }

  /// The mean of all channels.
  package static func mean(of sources: ChannelCount) -> ChannelMap {
    let share = 1 / Float(sources.value)
    return ChannelMap(
      from: sources, to: .mono, weights: [Float](repeating: share, count: sources.value))
  }

  /// One channel on all of `targets`.
  package static func spread(to targets: ChannelCount) -> ChannelMap {
    ChannelMap(from: .mono, to: targets, weights: [Float](repeating: 1, count: targets.value))
  }

  /// Maps front left, front right, centre, low frequencies, back left and back right to stereo.
  ///
  /// The coefficients of ITU-R BS.775: centre and back 3 dB lower, low frequencies skipped. Loud
  /// sound may pass full scale and then saturates: a lower level to be safe would cost speech.
  package static func stereo(ofSurround sources: ChannelCount) -> ChannelMap? {
    guard sources.value == 6 else { return nil }
    let half = Float(0.5).squareRoot()
    return ChannelMap(
      from: sources, to: .stereo, weights: [1, 0, half, 0, half, 0, 0, 1, half, 0, 0, half])
  }

  /// The usual map from one number of channels to another.
  ///
  /// One channel goes to all, all go to one as their mean, 5.1 goes to stereo by the ITU; else
  /// channels keep their places: those left over are dropped, those missing are silent.
  package init(from sources: ChannelCount, to targets: ChannelCount) {
    if sources == .mono {
      self = .spread(to: targets)
    } else if targets == .mono {
      self = .mean(of: sources)
    } else if targets == .stereo, let surround = Self.stereo(ofSurround: sources) {
      self = surround
    } else {
      var weights = [Float](repeating: 0, count: targets.value * sources.value)
      for same in 0..<min(sources.value, targets.value) { weights[same * sources.value + same] = 1 }
      self.init(from: sources, to: targets, weights: weights)
    }
  }
}
