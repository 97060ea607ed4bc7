internal import Glibc

/// The levels of a sound in columns, for a picture. The lengths of the columns differ by at most
/// one frame.
package struct Overview: Hashable, Sendable {
  /// The levels of each channel, in order.
  package var channels: [[Level]]
  /// The range of frames that the columns cover together.
  package var range: Range<FrameCount>
  /// Frames per second.
  package var rate: SampleRate
  /// The tracks of the take, or empty for a plain take. Their channels must be in the overview.
  package var tracks: [Track] = []

  /// An overview of a range.
  package init(_ channels: [[Level]], of range: Range<FrameCount>, at rate: SampleRate) {
    self.channels = channels
    self.range = range
    self.rate = rate
  }

  /// The number of columns of each channel. It is smaller than requested if more columns than
  /// frames were requested.
  package var columns: Int { channels.first?.count ?? 0 }

  /// The levels in each row of a picture. A plain take has one row for each channel. Any other take
  /// has one row for each track.
  package var rows: [[Level]] {
    guard !tracks.isEmpty else { return channels }
    return tracks.map { track in
      let own = channels[track.channels ?? 0..<0]
      return (0..<columns).map { column in own.map { $0[column] }.merged }
    }
  }

  /// Returns the first frame of a column.
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
/// All rows have the same height on the mel scale, from 0 Hz at the bottom to half of the rate at
/// the top. On a linear scale, speech would fill only the lowest tenth.
package struct Spectrogram: Hashable, Sendable {
  /// The cells, column by column. Within a column, the lowest row is first. A value is the level
  /// above `floor` in half decibels.
  package let cells: [UInt8]
  /// The number of columns, which divide the time.
  package let columns: Int
  /// The number of rows, which divide the frequencies.
  package let rows: Int
  /// The range of frames that the columns cover together.
  package let range: Range<FrameCount>
  /// Frames per second.
  package let rate: SampleRate

  /// The level in dBFS of a cell with the value 0. A full-scale sine wave has the value 255.
  package static let floor = -127.5

  /// A spectrogram, or nil if the cells do not fill whole columns.
  package init?(_ cells: [UInt8], rows: Int, of range: Range<FrameCount>, at rate: SampleRate) {
    guard rows > 0, cells.count.isMultiple(of: rows) else { return nil }
    self.cells = cells
    self.rows = rows
    columns = cells.count / rows
    self.range = range
    self.rate = rate
  }

  /// Returns a spectrogram with the stronger of the two cells in each position. Both spectrograms
  /// must have the same columns and rows.
  package func strongest(_ other: Spectrogram) -> Spectrogram {
    let cells = zip(cells, other.cells).map { max($0, $1) }
    return Spectrogram(cells, rows: rows, of: range, at: rate) ?? self
  }

  /// Returns the cell value of a power. A full-scale sine wave has the power 1.
  package static func cell(power: Double) -> UInt8 {
    guard power > 0 else { return 0 }
    return UInt8(min(255, max(0, ((10 * log10(power) - floor) * 2).rounded())))
  }

  /// Returns the level of a cell in dBFS.
  package func level(column: Int, row: Int) -> Double {
    Self.floor + Double(cells[column * rows + row]) / 2
  }

  /// Returns the lowest frequency of a row in hertz. If `row` equals `rows`, the result is half of
  /// the rate.
  package static func frequency(ofRow row: Double, among rows: Int, at rate: SampleRate) -> Double {
    hertz(mel: mel(hertz: Double(rate.hertz) / 2) * row / Double(rows))
  }

  /// Returns the row of a frequency, counted from the bottom. The result has a fraction if the
  /// frequency is not at the lower edge of a row.
  package static func row(of frequency: Double, among rows: Int, at rate: SampleRate) -> Double {
    mel(hertz: frequency) / mel(hertz: Double(rate.hertz) / 2) * Double(rows)
  }

  private static func mel(hertz: Double) -> Double { 2_595 * log10(1 + hertz / 700) }

  private static func hertz(mel: Double) -> Double { 700 * (pow(10, mel / 2_595) - 1) }
}

/// A request for a picture of a sound. A confined decoder process computes the levels or the
/// spectrogram.
package struct PictureOrder: Hashable, Sendable {
  /// The number of columns.
  package let columns: Int
  /// The number of frequency bands, or 0 for the levels of a waveform.
  package let rows: Int
  /// The frames to read.
  package let range: Range<FrameCount>

  /// A request for a picture of a waveform, or of a spectrogram if `rows` is not 0.
  package init(columns: Int, rows: Int = 0, of range: Range<FrameCount>) {
    self.columns = columns
    self.rows = rows
    self.range = range
  }
}
