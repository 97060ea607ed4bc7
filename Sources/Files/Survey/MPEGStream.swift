internal import Audio

/// The frames of MPEG audio that belong together, as they are found.
struct MPEGStream {
  let header: MPEGFrameHeader
  var view = FileView()
  /// The frames with sound.
  private(set) var count = 0
  /// The bytes of the largest frame.
  private var largest: Int64 = 0
  /// True if it only continues the stream before it, past the end that this one claimed.
  var isExcess = false

  private let claim: Int?
  /// The place of the claim in the view, where a decoder reads it.
  private let claimOffset: Int64?

  init(_ header: MPEGFrameHeader, _ info: MPEGInfoFrame?, tag: Range<Int64>?) {
    self.header = header
    if let tag { view.append(tag) }
    claim = info?.claim
    claimOffset = info?.claimOffset.map { [view] in view.count + $0 }
  }

  /// Adds a frame.
  mutating func add(_ range: Range<Int64>) {
    view.append(range)
    count += 1
    largest = max(largest, Int64(range.count))
  }

  /// True if all frames that were claimed are there.
  var isComplete: Bool { claim.map { count >= $0 } ?? false }

  /// True if frames are missing; GStreamer's xingmux counts its own frame.
  var isCutOff: Bool { claim.map { count + 1 < $0 } ?? false }

  /// Returns an excess of few frames to the stream before it, whose claim only counted wrong.
  static func join(_ streams: inout [MPEGStream]) {
    for index in streams.indices.reversed() where index > 0 {
      let excess = streams[index]
      guard excess.isExcess, excess.count <= mostExcess else { continue }
      streams[index - 1].view.append(excess.view, 0..<excess.view.count)
      streams[index - 1].count += excess.count
      streams.remove(at: index)
    }
  }

  private static let mostExcess = 2

  /// The stream with a length that a decoder can rely on.
  var stream: SoundStream {
    var view = view
    if let claimOffset {
      var bytes: [UInt8] = []
      bytes.append(little: UInt32(clamping: count).byteSwapped)
      return SoundStream(view.replacing(at: claimOffset, with: bytes))
    }
    // libmpg123 takes the size for as many frames as large as the first: never for too few of them.
    let needed = Int64(count + 1) * (largest + 1)
    view.append(0, times: max(0, needed - view.count))
    return SoundStream(view, frames: FrameCount(count * header.samples))
  }
}
