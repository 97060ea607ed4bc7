package import Audio

/// A waveform or a spectrogram with its time axis, independent of the file format.
package struct SoundDrawing: Sendable {
  /// The content of a picture.
  package enum Subject: Sendable {
    case waveform(Overview)
    case spectrogram(Spectrogram)
  }

  let subject: Subject
  let axis: TimeAxis
  let width: Int
  let height: Int
  /// The height of the picture itself, without the times below it.
  let plot: Int

  /// A drawing with this size in pixels. If its height is less than 48 pixels, it has no times.
  package init(
    _ subject: Subject, _ axis: TimeAxis, width: Int, height: Int, hasTimes: Bool = true
  ) {
    self.subject = subject
    self.axis = axis
    self.width = width
    self.height = height
    plot = hasTimes && height >= 48 ? height - 14 : height
  }

  /// The round times to show, and their pixel columns.
  var ticks: [(column: Int, label: String)] {
    axis.ticks(width: width / Pixels.advance).map { (Int($0.position * Double(width)), $0.label) }
  }

  /// Returns the pixel column of a mark or a gap.
  func column(_ mark: LabelledFrame) -> Int {
    min(width - 1, max(0, Int(axis.position(of: mark.frame) * Double(width))))
  }
}

/// The area of one channel or track in a waveform.
struct Lane {
  let levels: [Level]
  let top: Int
  let height: Int

  /// Returns the areas of all channels or tracks, one below the other.
  static func all(_ overview: Overview, height: Int) -> [Lane] {
    let rows = overview.rows
    let count = rows.count
    return rows.enumerated().map { index, levels in
      let (top, bottom) = (index * height / count, (index + 1) * height / count)
      return Lane(levels: levels, top: top, height: bottom - top)
    }
  }

  func level(column: Int, width: Int) -> Level { levels[column * levels.count / width] }

  /// Returns the distance in pixels between the middle and an amplitude.
  func reach(_ amplitude: Double) -> Double { min(1, amplitude) * Double(height) / 2 }

  var middle: Double { Double(top) + Double(height) / 2 }
}

extension SoundDrawing {
  /// The drawing as pixels.
  package var pixels: Pixels {
    var pixels = Pixels(width: width, height: height)
    switch subject {
    case .waveform(let overview): draw(overview, in: &pixels)
    case .spectrogram(let spectrogram): draw(spectrogram, in: &pixels)
    }
    drawFrequencies(in: &pixels)
    drawMarkers(in: &pixels)
    for (name, top) in names {
      let width = name.count * Pixels.advance + 2
      pixels.fill(3..<(3 + width), (top + 2)..<(top + 11), Palette.Number.paper)
      pixels.write(name, at: 5, top + 3, Palette.Number.ink)
    }
    guard plot < height else { return pixels }
    for (column, label) in ticks {
      pixels.fill(column..<(column + 1), plot..<(plot + 3), Palette.Number.ink)
      pixels.write(label, at: column, plot + 5, Palette.Number.ink)
    }
    return pixels
  }

  private func draw(_ overview: Overview, in pixels: inout Pixels) {
    guard overview.columns > 0 else { return }
    for lane in Lane.all(overview, height: plot) {
      for column in 0..<width {
        let level = lane.level(column: column, width: width)
        let number = level.clipped > 0 ? Palette.Number.clip : Palette.Number.wave
        fill(column, lane, level.peak, number, in: &pixels)
        fill(column, lane, level.rms, Palette.Number.loud, in: &pixels)
      }
    }
  }

  private func fill(
    _ column: Int, _ lane: Lane, _ amplitude: Double, _ number: UInt8, in pixels: inout Pixels
  ) {
    let reach = lane.reach(amplitude)
    let top = Int((lane.middle - reach).rounded(.down))
    let rows = top..<max(top + 1, Int((lane.middle + reach).rounded(.up)))
    pixels.fill(column..<(column + 1), rows, number)
  }

  func draw(_ spectrogram: Spectrogram, in pixels: inout Pixels) {
    guard spectrogram.columns > 0 else { return }
    let top = spectrogram.top
    for row in 0..<plot {
      let band = (plot - 1 - row) * spectrogram.rows / plot
      for column in 0..<width {
        let level = spectrogram.level(column: column * spectrogram.columns / width, row: band)
        let number = Palette.heatStep(level - top)
        pixels.fill(column..<(column + 1), row..<(row + 1), number)
      }
    }
  }

  /// The names of the tracks in a waveform, and the tops of their areas.
  var names: [(name: String, top: Int)] {
    guard case .waveform(let overview) = subject else { return [] }
    let count = overview.tracks.count
    return overview.tracks.enumerated().map { ($1.name ?? "", $0 * plot / count) }
  }

  /// Returns the pixel rows of a mark or a gap: the rows of its track if it belongs to a track of a
  /// waveform, otherwise all rows.
  func rows(of mark: LabelledFrame) -> Range<Int> {
    let tops = names.map(\.top) + [plot]
    let track = mark.track == nil ? nil : names.firstIndex { mark.isShown(in: $0.name) }
    return track.map { tops[$0]..<tops[$0 + 1] } ?? 0..<plot
  }

  private func drawFrequencies(in pixels: inout Pixels) {
    for (row, label) in frequencies {
      pixels.fill(0..<4, row..<(row + 1), Palette.Number.paper)
      pixels.write(label, at: 6, row - Pixels.letterHeight / 2, Palette.Number.paper)
    }
  }

  /// The round frequencies to show in a spectrogram, and their pixel rows. A frequency is left out
  /// if its label would overlap another label or an edge.
  var frequencies: [(row: Int, label: String)] {
    guard case .spectrogram(let spectrogram) = subject else { return [] }
    let room = Pixels.letterHeight + 3
    var labels: [(row: Int, label: String)] = []
    for label in Spectrogram.labels(at: spectrogram.rate) {
      let above = Spectrogram.row(of: label.hertz, among: plot, at: spectrogram.rate)
      let row = plot - 1 - Int(above)
      let isFree = labels.allSatisfy { abs($0.row - row) >= room }
      if isFree, row >= room / 2, row < plot - room / 2 { labels.append((row, label.text)) }
    }
    return labels
  }

  private func drawMarkers(in pixels: inout Pixels) {
    for gap in axis.gaps {
      let column = column(gap)
      let rows = rows(of: gap)
      for row in stride(from: rows.lowerBound, to: rows.upperBound, by: 6) {
        let end = min(rows.upperBound, row + 4)
        pixels.fill((column - 1)..<(column + 1), row..<end, Palette.Number.gap)
      }
    }
    for mark in axis.marks {
      let column = column(mark)
      pixels.fill(column..<(column + 1), 0..<plot, Palette.Number.mark)
      for row in 0..<4 {
        pixels.fill((column - 4 + row)..<(column + 5 - row), row..<(row + 1), Palette.Number.mark)
      }
    }
  }
}

extension Spectrogram {
  /// The highest level of a cell in dBFS, but at least −60 dBFS. So the picture of a quieter sound
  /// stays dark.
  package var top: Double { max(-60, Self.floor + Double(cells.max() ?? 0) / 2) }

  /// A round frequency with its text.
  package typealias Label = (hertz: Double, text: String)

  /// Returns the round frequencies below half of a sample rate, the most useful first.
  package static func labels(at rate: SampleRate) -> [Label] {
    let all: [Label] = [
      (1_000, "1k"), (10_000, "10k"), (100, "100"), (5_000, "5k"), (2_000, "2k"), (500, "500"),
      (200, "200"), (20_000, "20k"), (50_000, "50k"), (3_000, "3k"), (50, "50"),
    ]
    return all.filter { $0.hertz < Double(rate.hertz) / 2 }
  }
}
