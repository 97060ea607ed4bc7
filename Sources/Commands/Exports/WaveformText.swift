internal import Audio
internal import Control
internal import JSON
internal import Pictures

/// A picture of a sound's levels in terminal cells: a waveform for each channel or track, a time
/// axis, and lines for marks, gaps and clipped samples.
struct WaveformText: TextPicture {
  let overview: Overview
  let axis: TimeAxis
  let width: Int
  /// The number of rows for each channel or track.
  let height: Int

  /// Returns the number of columns of the overview for a picture of this width: two for each cell.
  static func columns(width: Int) -> Int { 2 * width }

  func add(to json: inout JSONObject) {
    json["channels"] = .array(
      overview.channels.map { levels in
        [
          "peak": .array(levels.map { .number(Decibels(amplitude: $0.peak).value) }),
          "rms": .array(levels.map { .number(Decibels(amplitude: $0.rms).value) }),
          "clipped": .array(levels.map(\.clipped.json)),
        ]
      })
    json.set("tracks", overview.tracks.named)
  }

  func text(_ style: Style) -> String {
    guard overview.columns > 0 else { return "It contains no audio.\n" }
    let waves = overview.rows.enumerated().map { wave($1, style, silent: silentColumns(of: $0)) }
    let names = overview.tracks.map {
      style.heading(shortened(printable($0.name ?? ""), to: width))
    }
    let pictures =
      names.isEmpty
      ? Array(waves.joined(separator: [""])) : zip(names, waves).flatMap { [$0] + $1 }
    let markers = axis.markers(width: width, clipped: clippedColumns)
    let rows = pictures + [markers, axis.line(width: width)] + legend
    return rows.filter { !$0.isEmpty || overview.channels.count > 1 }
      .map { $0 + "\n" }.joined()
  }

  /// Returns the columns of the gaps of the track in this row.
  private func silentColumns(of row: Int) -> [ClosedRange<Int>] {
    guard !overview.tracks.isEmpty else { return [] }
    let name = overview.tracks[row].name
    return axis.gaps.filter { $0.track != nil && $0.isShown(in: name) }
      .map { axis.columns(of: $0, width: width) }
  }

  /// Returns the rows of one channel or track. The dots extend from the middle to the peak on both
  /// sides, and always include the middle. In silent columns, the middle is a line of `x`.
  private func wave(
    _ levels: [Level], _ style: Style, silent: [ClosedRange<Int>] = []
  ) -> [String] {
    (0..<height).map { row in
      var line = ""
      for column in 0..<width {
        if row == height / 2, silent.contains(where: { $0.contains(column) }) {
          line += "x"
          continue
        }
        let (left, right) = (level(levels, 2 * column), level(levels, 2 * column + 1))
        let cell = String(Self.cell(dots(left.peak, row), dots(right.peak, row)))
        line += left.clipped + right.clipped > 0 ? style.bad(cell) : cell
      }
      return line
    }
  }

  /// Returns a waveform of peaks in one row of `width` cells, with two columns of dots in each
  /// cell.
  static func line(of peaks: [Double], width: Int) -> String {
    guard !peaks.isEmpty else { return "" }
    let levels = peaks.map { Level(peak: $0, rms: 0, clipped: 0) }
    let overview = Overview([levels], of: 0..<1, at: .hz48000)
    let axis = TimeAxis(overview.range, at: overview.rate, marks: [], gaps: [])
    let picture = WaveformText(overview: overview, axis: axis, width: width, height: 1)
    return picture.wave(levels, .plain).joined()
  }

  private func level(_ levels: [Level], _ column: Int) -> Level {
    levels[column * levels.count / (2 * width)]
  }

  /// Returns which of the four dots of a row are set: the dots from the middle up to the peak.
  private func dots(_ peak: Double, _ row: Int) -> [Bool] {
    let half = Double(2 * height)
    let reach = max(0.5, (min(1, peak) * half).rounded())
    return (0..<4).map { abs(Double(4 * row + $0) + 0.5 - half) <= reach }
  }

  /// Returns the braille pattern for two columns of four dots (Unicode 2800 to 28FF).
  private static func cell(_ left: [Bool], _ right: [Bool]) -> Character {
    let bits: [UInt32] = [0x01, 0x02, 0x04, 0x40, 0x08, 0x10, 0x20, 0x80]
    let value = zip(left + right, bits).reduce(0x2800) { $1.0 ? $0 | $1.1 : $0 }
    return Unicode.Scalar(value).map(Character.init) ?? " "
  }

  private var clippedColumns: [Int] {
    overview.channels.flatMap { levels in
      levels.indices.filter { levels[$0].clipped > 0 }.map { $0 * width / levels.count }
    }
  }

  /// A line for each mark and gap, and one for the clipped samples.
  private var legend: [String] {
    let clipped = overview.channels.joined().reduce(0) { $0 + $1.clipped }
    let lines = axis.legend + (clipped > 0 ? ["! \(counted(clipped, "sample")) clipped"] : [])
    return lines.map { shortened($0, to: width) }
  }
}
