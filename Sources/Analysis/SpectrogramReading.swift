package import Audio
package import Files
internal import Glibc
internal import RealTime

extension SurveyedFile {
  /// Reads a range of the file once and returns the strength of its frequencies.
  ///
  /// - Parameter progress: receives the fraction that was read, 0 to 1.
  package func spectrogram(
    _ order: PictureOrder, _ progress: (Double) -> Void = { _ in }
  ) throws(SoundFileError) -> Spectrogram {
    var frames = try PlainFrames(order.range, of: self, upTo: SpectrumTally.block)
    var tally = SpectrumTally(order, rate: frames.rate, channels: frames.channels)
    let sample = frames.sample
    try frames.read(to: order.range.upperBound, progress) { block in tally.add(block, of: sample) }
    guard let spectrogram = tally.finish() else { throw .notSound(subject: "-") }
    return spectrogram
  }
}

/// The spectra of the frames added so far. A column holds the highest power that each frequency
/// reaches in any window whose middle is in the column.
///
/// Hann windows of 43 ms overlap by half if a column is long enough for more than one window. Two
/// channels share one transform: one channel is its real part, and the other is its imaginary part.
/// Only the power of both channels together is needed. It is half of the sum of the transform's
/// powers at a frequency and at the negative frequency.
@safe
struct SpectrumTally: ~Copyable {
  private let order: PictureOrder
  private let columns: Int
  private let rate: SampleRate
  private let channels: Int
  private let size: Int
  private var fourier: Fourier
  /// The samples of each channel that later windows need.
  private let planes: UnsafeMutablePointer<Float>
  private let room: Int
  private let window: UnsafeMutablePointer<Float>
  /// The powers of the current window.
  private let powers: UnsafeMutablePointer<Float>
  /// The highest powers of the current column, from frequency zero to the highest frequency.
  private let strongest: UnsafeMutablePointer<Float>
  /// The position of the first sample in `planes`, counted from the beginning of the range, and the
  /// number of samples in each plane.
  private var (first, filled): (Int, Int)
  private var (column, part) = (0, 0)
  private var cells: [UInt8] = []
  private var floats: [Float] = []
  private let bands: [Band]

  /// The largest number of frames in one call of `add`.
  static let block = 8_192

  init(_ order: PictureOrder, rate: SampleRate, channels: ChannelCount) {
    let size = Self.size(at: rate)
    let length = Int((order.range.upperBound - order.range.lowerBound).value)
    columns = min(order.columns, length)
    (self.order, self.rate, self.channels, self.size) = (order, rate, channels.value, size)
    fourier = Fourier(size)
    room = 2 * size + Self.block
    unsafe planes = .allocate(capacity: room * channels.value)
    unsafe planes.initialize(repeating: 0, count: room * channels.value)
    unsafe window = .allocate(capacity: size)
    for index in 0..<size {
      unsafe window[index] = Float(0.5 - 0.5 * cos(2 * .pi * Double(index) / Double(size)))
    }
    unsafe powers = .allocate(capacity: size)
    unsafe powers.initialize(repeating: 0, count: size)
    unsafe strongest = .allocate(capacity: size / 2 + 1)
    unsafe strongest.initialize(repeating: 0, count: size / 2 + 1)
    // The first window starts half a window before the sound. The missing half is silence.
    (first, filled) = (-size / 2, size / 2)
    bands = (0..<order.rows).map { Band($0, among: order.rows, rate, size) }
    cells.reserveCapacity(columns * order.rows)
  }

  deinit {
    unsafe planes.deallocate()
    unsafe window.deallocate()
    unsafe powers.deallocate()
    unsafe strongest.deallocate()
  }

  /// Returns the length of a window: the power of two nearest to 43 ms, from 64 to 16,384.
  private static func size(at rate: SampleRate) -> Int {
    let power = log2(Double(rate.hertz) * 2_048 / 48_000).rounded()
    return 1 << min(14, max(6, Int(power)))
  }

  mutating func add(_ frames: RawSpan, of sample: SampleFormat) {
    let count = frames.byteCount / sample.bytesPerSample / channels
    makeRoom(for: count)
    if sample == .int16 { addCodes(frames, count) } else { addNumbers(frames, count, of: sample) }
    filled += count
    takeWindows()
  }

  /// Completes all columns and returns the spectrogram. Frames after the end of the range are
  /// silence.
  consuming func finish() -> Spectrogram? {
    makeRoom(for: size / 2 + 1)
    for channel in 0..<channels {
      unsafe (planes + channel * room + filled).update(repeating: 0, count: size / 2 + 1)
    }
    filled += size / 2 + 1
    takeWindows()
    return Spectrogram(cells, rows: order.rows, of: order.range, at: rate)
  }

  private mutating func addCodes(_ frames: RawSpan, _ count: Int) {
    for channel in 0..<channels {
      let plane = unsafe planes + channel * room + filled
      for index in 0..<count {
        let code = unsafe frames.unsafeLoadUnaligned(
          fromUncheckedByteOffset: (index &* channels &+ channel) &* 2, as: Int16.self)
        unsafe plane[index] = Float(code) * 0x1p-15
      }
    }
  }

  private mutating func addNumbers(_ frames: RawSpan, _ count: Int, of sample: SampleFormat) {
    let (channels, target) = unsafe (channels, planes + filled)
    if floats.count != count * channels { floats = Array(repeating: 0, count: count * channels) }
    let room = room
    var span = floats.mutableSpan
    SampleConversion(from: sample, to: .float32).convert(frames, into: &span)
    for channel in 0..<channels {
      let plane = unsafe target + channel * room
      for index in 0..<count {
        let value = unsafe span[unchecked: index &* channels &+ channel]
        unsafe plane[index] = value.isFinite ? value : 0
      }
    }
  }

  /// Drops the samples before the next window if the new samples would not fit.
  private mutating func makeRoom(for count: Int) {
    guard filled + count > room else { return }
    let unneeded = min(filled, max(0, start - first))
    for channel in 0..<channels {
      let plane = unsafe planes + channel * room
      unsafe plane.update(from: plane + unneeded, count: filled - unneeded)
    }
    first += unneeded
    filled -= unneeded
  }

  /// The frames of the current column, counted from the beginning of the range.
  private var stretch: Range<Int> {
    let low = Overview.start(of: column, among: columns, in: order.range)
    let high = Overview.start(of: column + 1, among: columns, in: order.range)
    return Int((low - order.range.lowerBound).value)..<Int((high - order.range.lowerBound).value)
  }

  private var parts: Int { max(1, stretch.count / (size / 2)) }

  /// The first frame of the next window. The window is centered on its part of the column.
  private var start: Int {
    guard column < columns else { return .max / 2 }
    let (stretch, parts) = (stretch, parts)
    return stretch.lowerBound + (2 * part + 1) * stretch.count / (2 * parts) - size / 2
  }

  private mutating func takeWindows() {
    while column < columns, start + size <= first + filled {
      let offset = start - first
      for channel in stride(from: 0, to: channels, by: 2) {
        let plane = unsafe planes + channel * room + offset
        let other = unsafe channel + 1 < channels ? UnsafePointer(plane + room) : nil
        unsafe fourier.load(plane, other, by: window)
        unsafe fourier.addPowers(to: powers)
      }
      unsafe fourier.raise(strongest, to: powers)
      part += 1
      if part == parts { endColumn() }
    }
  }

  private mutating func endColumn() {
    // A full-scale sine wave has a magnitude of a quarter of the window's length, at its frequency
    // and at the negative frequency. With `scale`, the sum of the two powers is 1 if all channels
    // contain this wave.
    let scale = 8 / (Double(size) * Double(size) * Double(channels))
    let half = (0...(size / 2)).map { unsafe Double(strongest[$0]) * scale }
    for band in bands { cells.append(Spectrogram.cell(power: band.power(half))) }
    unsafe strongest.update(repeating: 0, count: size / 2 + 1)
    (column, part) = (column + 1, 0)
  }
}

/// The frequency bins of a row: the bins between the edges of the row. If there are no such bins,
/// the two bins next to the middle of the row.
private struct Band {
  private let bins: Range<Int>
  private let share: Double

  init(_ row: Int, among rows: Int, _ rate: SampleRate, _ size: Int) {
    let width = Double(rate.hertz) / Double(size)
    let low = Spectrogram.frequency(ofRow: Double(row), among: rows, at: rate) / width
    let high = Spectrogram.frequency(ofRow: Double(row + 1), among: rows, at: rate) / width
    let bins = Int(low.rounded(.up))..<max(Int(low.rounded(.up)), Int(high.rounded(.up)))
    let middle = (low + high) / 2
    share = bins.isEmpty ? middle - middle.rounded(.down) : 0
    let below = min(Int(middle), size / 2 - 1)
    self.bins = bins.isEmpty ? below..<(below + 2) : bins.clamped(to: 0..<(size / 2 + 1))
  }

  /// Returns the highest power of the bins, or the interpolated power between two bins.
  func power(_ powers: [Double]) -> Double {
    if share > 0 {
      return powers[bins.lowerBound] * (1 - share) + powers[bins.lowerBound + 1] * share
    }
    return powers[bins].max() ?? 0
  }
}
