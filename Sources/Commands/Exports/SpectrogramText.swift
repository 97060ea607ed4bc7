internal import Audio
internal import JSON
internal import Pictures

/// A picture of a sound's frequencies in terminal cells. A stronger frequency has a denser
/// character. Frequencies are labelled on the left. The lines below the picture are the same as
/// below a waveform.
struct SpectrogramText: TextPicture {
  let spectrogram: Spectrogram
  let axis: TimeAxis
  let width: Int

  /// The width of the labels on the left, in columns.
  private static let margin = 5
  private static let shades: [Character] = [" ", "░", "▒", "▓", "█"]
  /// The difference between two shades in decibels.
  private static let step = 12.0

  /// Returns the number of columns of the spectrogram in a picture of this width, without the
  /// labels.
  static func columns(width: Int) -> Int { max(1, width - margin) }

  func add(to json: inout JSONObject) {
    let rows = 0..<spectrogram.rows
    json["frequencies"] = .array(
      rows.map { row in
        let low = Spectrogram.frequency(
          ofRow: Double(row), among: rows.count, at: spectrogram.rate)
        return .number(low.rounded())
      })
    json["levels"] = .array(
      (0..<spectrogram.columns).map { column in
        .array(rows.map { row in .number(spectrogram.level(column: column, row: row)) })
      })
  }

  func text(_ style: Style) -> String {
    guard spectrogram.columns > 0 else { return "It contains no audio.\n" }
    let margin = String(repeating: " ", count: Self.margin)
    let below = [axis.markers(width: cells), axis.line(width: cells)].map { margin + $0 }
    let rows = picture + below.filter { $0 != margin } + axis.legend + wrapped(scale, width: width)
    return rows.map { shortened($0, to: width) + "\n" }.joined()
  }

  private var cells: Int { Self.columns(width: width) }

  private var top: Double { spectrogram.top }

  /// The rows from the highest to the lowest frequency.
  private var picture: [String] {
    let labels = labels
    return (0..<spectrogram.rows).reversed().map { row in
      let label = labels[row].map { $0 + " " } ?? ""
      let line = (0..<cells).map { column in
        shade(spectrogram.level(column: column * spectrogram.columns / cells, row: row))
      }
      let margin = String(repeating: " ", count: Self.margin - label.count)
      return trimmed(Array(margin + label) + line)
    }
  }

  /// The labels of round frequencies by row, at most one for each row.
  private var labels: [Int: String] {
    var labels: [Int: String] = [:]
    for label in Spectrogram.labels(at: spectrogram.rate) {
      let (rows, rate) = (spectrogram.rows, spectrogram.rate)
      let row = Int(Spectrogram.row(of: label.hertz, among: rows, at: rate))
      if row < rows, labels[row] == nil { labels[row] = label.text }
    }
    return labels
  }

  /// Returns the full block for levels up to 12 dB below the highest level, and a lighter shade for
  /// each further 12 dB.
  private func shade(_ level: Double) -> Character {
    let below = Int((top - level) / Self.step)
    return Self.shades[max(0, Self.shades.count - 1 - max(0, below))]
  }

  private var scale: String {
    "█ above \(rounded(top - Self.step, places: 0)) dBFS, each lighter shade 12 dB less"
  }
}
