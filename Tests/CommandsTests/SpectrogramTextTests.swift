import Audio
import Pictures
import Testing

@testable import Commands

@Suite("A spectrogram in the terminal")
struct SpectrogramTextTests {
  /// A tone that rises from the lowest row to the highest within twelve seconds.
  private func spectrogram(columns: Int, rows: Int = 8) throws -> Spectrogram {
    var cells: [UInt8] = []
    for column in 0..<columns {
      let loudest = column * rows / max(1, columns)
      for row in 0..<rows { cells.append(UInt8(max(0, 215 - 22 * abs(row - loudest)))) }
    }
    return try #require(
      Spectrogram(cells, rows: rows, of: 0..<FrameCount(576_000), at: .hz48000))
  }

  private func picture(width: Int, marks: [(Int, String)] = [(144_000, "intro")]) throws -> String {
    let spectrogram = try spectrogram(columns: SpectrogramText.columns(width: width))
    return text(
      spectrogram, marks: marks.map { LabelledFrame(FrameCount($0.0), $0.1) },
      gaps: [LabelledFrame(288_000, "480 frames lost (xrun)")], width: width)
  }

  private func text(
    _ spectrogram: Spectrogram, marks: [LabelledFrame] = [], gaps: [LabelledFrame] = [],
    width: Int = 30
  ) -> String {
    let axis = TimeAxis(spectrogram.range, at: spectrogram.rate, marks: marks, gaps: gaps)
    return SpectrogramText(spectrogram: spectrogram, axis: axis, width: width).text(.plain)
  }

  @Test("The picture has as many columns as the terminal", arguments: [40, 80, 200])
  func widths(width: Int) throws {
    let text = try picture(width: width)
    #expect(text == Self.expected[width], "\n\(text)")
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= width })
  }

  @Test("Control characters in a mark do not reach the terminal, in 20 columns or one")
  func narrow() throws {
    for width in [1, 5, 6, 20] {
      let text = try picture(width: width, marks: [(144_000, "a\u{1B}[2J\nb")])
      #expect(!text.unicodeScalars.contains { $0.value < 32 && $0 != "\n" })
      #expect(text.split(separator: "\n").allSatisfy { $0.count <= width }, "\n\(text)")
    }
  }

  @Test("An empty sound, one sample and silence are drawn")
  func extremes() throws {
    let none = try #require(Spectrogram([], rows: 3, of: 0..<0, at: .hz48000))
    let silent = try #require(Spectrogram([0, 0, 0], rows: 3, of: 0..<1, at: .hz48000))
    #expect(text(none) == "It contains no audio.\n")
    #expect(
      !text(silent).contains("░")
        && text(silent).hasSuffix("█ above -72 dBFS, each lighter\nshade 12 dB less\n"))
  }

  // swift-format-ignore
  private static let expected: [Int: String] = [
    40: """
       20k               ░░░░▒▒▒▒▓▓▓▓▓████████
       10k          ░░░░░▒▒▒▒▓▓▓▓█████████████
                ░░░░▒▒▒▒▒▓▓▓▓█████████████▓▓▓▓
        5k ░░░░░▒▒▒▒▓▓▓▓▓█████████████▓▓▓▓▒▒▒▒
        2k ▒▒▒▒▒▓▓▓▓█████████████▓▓▓▓▓▒▒▒▒░░░░
           ▓▓▓▓▓█████████████▓▓▓▓▒▒▒▒▒░░░░
        1k ██████████████▓▓▓▓▒▒▒▒░░░░░
       100 █████████▓▓▓▓▓▒▒▒▒░░░░
                   ^        x
           0:00          0:05           0:10
      ^ 0:03.000 intro
      x 0:06.000 480 frames lost (xrun)
      █ above -32 dBFS, each lighter shade 12
      dB less

      """,
    80: """
       20k                              ░░░░░░░░░▒▒▒▒▒▒▒▒▒▓▓▓▓▓▓▓▓▓▓██████████████████
       10k                    ░░░░░░░░░░▒▒▒▒▒▒▒▒▒▓▓▓▓▓▓▓▓▓████████████████████████████
                     ░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▓▓▓▓▓▓▓▓▓████████████████████████████▓▓▓▓▓▓▓▓▓
        5k ░░░░░░░░░░▒▒▒▒▒▒▒▒▒▓▓▓▓▓▓▓▓▓▓████████████████████████████▓▓▓▓▓▓▓▓▓▒▒▒▒▒▒▒▒▒
        2k ▒▒▒▒▒▒▒▒▒▒▓▓▓▓▓▓▓▓▓████████████████████████████▓▓▓▓▓▓▓▓▓▓▒▒▒▒▒▒▒▒▒░░░░░░░░░
           ▓▓▓▓▓▓▓▓▓▓████████████████████████████▓▓▓▓▓▓▓▓▓▒▒▒▒▒▒▒▒▒▒░░░░░░░░░
        1k █████████████████████████████▓▓▓▓▓▓▓▓▓▒▒▒▒▒▒▒▒▒░░░░░░░░░░
       100 ███████████████████▓▓▓▓▓▓▓▓▓▓▒▒▒▒▒▒▒▒▒░░░░░░░░░
                             ^                  x
           0:00  0:01  0:02  0:03   0:04  0:05  0:06  0:07   0:08  0:09  0:10  0:11
      ^ 0:03.000 intro
      x 0:06.000 480 frames lost (xrun)
      █ above -32 dBFS, each lighter shade 12 dB less

      """,
    200: """
       20k                                                                           ░░░░░░░░░░░░░░░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓████████████████████████████████████████████████
       10k                                                  ░░░░░░░░░░░░░░░░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓█████████████████████████████████████████████████████████████████████████
                                    ░░░░░░░░░░░░░░░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓█████████████████████████████████████████████████████████████████████████▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓
        5k ░░░░░░░░░░░░░░░░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓█████████████████████████████████████████████████████████████████████████▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
        2k ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓█████████████████████████████████████████████████████████████████████████▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒░░░░░░░░░░░░░░░░░░░░░░░░
           ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓█████████████████████████████████████████████████████████████████████████▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒░░░░░░░░░░░░░░░░░░░░░░░░
        1k ██████████████████████████████████████████████████████████████████████████▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒░░░░░░░░░░░░░░░░░░░░░░░░░
       100 █████████████████████████████████████████████████▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒░░░░░░░░░░░░░░░░░░░░░░░░
                                                           ^                                                x
           0:00            0:01            0:02            0:03             0:04            0:05            0:06            0:07             0:08            0:09            0:10            0:11
      ^ 0:03.000 intro
      x 0:06.000 480 frames lost (xrun)
      █ above -32 dBFS, each lighter shade 12 dB less

      """,
  ]
}
