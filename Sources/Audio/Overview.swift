internal import Glibc

/// The levels of a sound in stretches of equal length, as a picture needs them.
package struct Overview: Hashable, Sendable {
  /// The stretches of each channel, in their order.
  package var channels: [[Level]]
  /// The frames that the stretches cover together.
  package var range: Range<FrameCount>
  /// Frames a second.
  package var rate: SampleRate

  /// An overview of a range.
  package init(_ channels: [[Level]], of range: Range<FrameCount>, at rate: SampleRate) {
    self.channels = channels
    self.range = range
    self.rate = rate
  }

  /// The stretches of each channel; fewer than were wanted where there are fewer frames.
  package var columns: Int { channels.first?.count ?? 0 }

  /// The first frame of a stretch among `columns`, the last of which ends with the range.
  package static func start(
    of column: Int, among columns: Int, in range: Range<FrameCount>
  ) -> FrameCount {
    let count = (range.upperBound - range.lowerBound).value
    let (whole, rest) = count.quotientAndRemainder(dividingBy: Int64(max(1, columns)))
    let column = Int64(column)
    return range.lowerBound
      + FrameCount(whole * column + rest * column / Int64(max(1, columns)))
  }
}

/// The strength of the frequencies of a sound over time, in a grid of columns and rows.
///
/// The rows are equally wide on the mel scale, from 0 Hz at the bottom to half of the rate at the top, so that
/// speech does not fill the lowest tenth alone.
package struct Spectrogram: Hashable, Sendable {
  /// The cells of one column after the other, each from the lowest row: half decibels above `floor`.
  package let cells: [UInt8]
  /// The stretches of time.
  package let columns: Int
  /// The bands of frequencies.
  package let rows: Int
  /// The frames that the columns cover together.
  package let range: Range<FrameCount>
  /// Frames a second.
  package let rate: SampleRate

  /// The level of a cell with the value 0, in dBFS; a sine wave of full scale has 255.
  package static let floor = -127.5

  /// A spectrogram; nil where the cells are not as many as columns and rows have.
  package init?(
    _ cells: [UInt8], rows: Int, of range: Range<FrameCount>, at rate: SampleRate
  ) {
    guard rows > 0, cells.count.isMultiple(of: rows) else { return nil }
    self.cells = cells
    self.rows = rows
    columns = cells.count / rows
    self.range = range
    self.rate = rate
  }

  /// The cell value of a power, 1 being that of a sine wave of full scale.
  package static func cell(power: Double) -> UInt8 {
    guard power > 0 else { return 0 }
    return UInt8(min(255, max(0, ((10 * log10(power) - floor) * 2).rounded())))
  }

  /// The level of a cell in dBFS.
  package func level(column: Int, row: Int) -> Double {
    Self.floor + Double(cells[column * rows + row]) / 2
  }

  /// The lowest frequency of a row in hertz; that of the row behind the last is half of the rate.
  package static func frequency(ofRow row: Double, among rows: Int, at rate: SampleRate) -> Double {
    hertz(mel: mel(hertz: Double(rate.hertz) / 2) * row / Double(rows))
  }

  /// The row, counted from the bottom with its fraction, of a frequency.
  package static func row(of frequency: Double, among rows: Int, at rate: SampleRate) -> Double {
    mel(hertz: frequency) / mel(hertz: Double(rate.hertz) / 2) * Double(rows)
  }

  private static func mel(hertz: Double) -> Double { 2_595 * log10(1 + hertz / 700) }

  private static func hertz(mel: Double) -> Double { 700 * (pow(10, mel / 2_595) - 1) }
}

/// The picture of a sound that a confined reader computes.
package struct PictureOrder: Hashable, Sendable {
  /// The stretches of time.
  package let columns: Int
  /// The bands of frequencies; 0 for the levels of a waveform instead.
  package let rows: Int
  /// The frames to read.
  package let range: Range<FrameCount>

  /// An order; without rows for a waveform.
  package init(columns: Int, rows: Int = 0, of range: Range<FrameCount>) {
    self.columns = columns
    self.rows = rows
    self.range = range
  }
}
