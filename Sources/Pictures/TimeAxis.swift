package import Audio
internal import Linux

/// A marked position in a sound: a mark or a gap.
package struct LabelledFrame: Hashable, Sendable {
  /// The frame, counted from the beginning of the sound.
  package let frame: FrameCount
  /// The text of the mark, or the description of the gap. It may be empty.
  package let label: String
  /// The name of the track that has the gap. Nil for a mark, and for a gap of the whole take.
  package let track: String?
  /// The number of silent frames in a gap of a track. 0 for a mark, and for a gap of the whole
  /// take.
  package let length: FrameCount

  /// Creates a marked position. The label may come from an untrusted file.
  package init(_ frame: FrameCount, _ label: String, track: String? = nil, length: FrameCount = 0) {
    self.frame = frame
    self.label = label
    self.track = track
    self.length = length
  }

  /// The label, after the name of the track if there is one.
  package var text: String { track.map { "\($0): \(label)" } ?? label }

  /// Returns whether the waveform of a track shows the position. Every track shows a position that
  /// belongs to no track.
  package func isShown(in name: String?) -> Bool { track?.isSameName(as: name ?? "") ?? true }
}

/// The time axis of a picture, with its marks and gaps.
package struct TimeAxis: Hashable, Sendable {
  /// The frames from the left edge to the right edge.
  package let range: Range<FrameCount>
  /// The sample rate.
  package let rate: SampleRate
  /// The marks within the range.
  package let marks: [LabelledFrame]
  /// The gaps within the range.
  package let gaps: [LabelledFrame]

  /// Creates an axis. Marks and gaps outside of the range are left out. Marks and gaps at the end
  /// of the range are kept, because a mark that was set during the last pause is at the end of the
  /// file. A gap of a track is kept if it ends after the beginning of the range.
  package init(
    _ range: Range<FrameCount>, at rate: SampleRate, marks: [LabelledFrame], gaps: [LabelledFrame]
  ) {
    self.range = range
    self.rate = rate
    let isInside = { (mark: LabelledFrame) in
      mark.frame <= range.upperBound && mark.frame + mark.length >= range.lowerBound
    }
    self.marks = marks.filter(isInside)
    self.gaps = gaps.filter(isInside)
  }

  /// The time at the left edge in seconds.
  package var first: Double { Double(range.lowerBound.value) / Double(rate.hertz) }

  /// The length in seconds.
  package var length: Double {
    Double((range.upperBound - range.lowerBound).value) / Double(rate.hertz)
  }

  /// Returns the position of a frame: 0 is the left edge and 1 the right edge.
  package func position(of frame: FrameCount) -> Double {
    guard !range.isEmpty else { return 0 }
    return Double((frame - range.lowerBound).value) / Double(rate.hertz) / length
  }

  /// Returns the time of a frame in the form that players show.
  package func time(of frame: FrameCount) -> String { clock(frame.duration(at: rate)) }

  /// Returns the round times that fit next to each other in a picture of `width` characters.
  package func ticks(width: Int) -> [(position: Double, label: String)] {
    let step = Self.step(length, width)
    var ticks: [(position: Double, label: String)] = []
    var time = (first / step).rounded(.up) * step
    var free = 0
    while time < first + length {
      let label = Self.label(time, step)
      let column = Int((time - first) / length * Double(width))
      if column >= free, column + label.count <= width {
        ticks.append(((time - first) / length, label))
        free = column + label.count + 1
      }
      time += step
    }
    return ticks
  }

  private static let steps = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600,
    900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400,
  ]

  /// Returns the smallest step between two times that leaves space for their labels.
  private static func step(_ length: Double, _ width: Int) -> Double {
    steps.first { step in
      let room = step / max(length, 1e-9) * Double(width)
      return room >= Double(label(length, step).count + 2)
    } ?? max(length, 86_400)
  }

  private static func label(_ seconds: Double, _ step: Double) -> String {
    let text = clock(.milliseconds(Int64((seconds * 1_000).rounded())))
    return step < 1 ? text : String(text.dropLast(4))
  }
}
