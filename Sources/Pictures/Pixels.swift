/// A color of a picture.
package struct Color: Hashable, Sendable {
  let red: UInt8
  let green: UInt8
  let blue: UInt8

  /// A color from 24 bits, such as `0x3366CC`.
  init(_ value: UInt32) {
    red = UInt8(truncatingIfNeeded: value >> 16)
    green = UInt8(truncatingIfNeeded: value >> 8)
    blue = UInt8(truncatingIfNeeded: value)
  }

  /// A mix of two colors. The share of `right` is 0 to 1.
  init(from left: Color, to right: Color, _ share: Double) {
    func mixed(_ left: UInt8, _ right: UInt8) -> UInt8 {
      UInt8((Double(left) + (Double(right) - Double(left)) * share).rounded())
    }
    red = mixed(left.red, right.red)
    green = mixed(left.green, right.green)
    blue = mixed(left.blue, right.blue)
  }
}

/// The colors of pictures. The first colors are for lines and letters. The other colors are the
/// steps of a spectrogram.
package enum Palette {
  /// The colors of paper, wave, loud, ink, mark, gap and clip.
  static let drawing = [0xFFFFFF, 0x7FB0DE, 0x2F6FB0, 0x404040, 0x1A7F37, 0xD97706, 0xCF222E]
    .map { Color($0) }

  /// The indexes of colors in the palette.
  enum Number {
    static let (paper, wave, loud, ink): (UInt8, UInt8, UInt8, UInt8) = (0, 1, 2, 3)
    static let (mark, gap, clip): (UInt8, UInt8, UInt8) = (4, 5, 6)
    /// The first color of a spectrogram.
    static let heat: UInt8 = 7
  }

  /// The colors of a spectrogram, from black through violet, red and orange to pale yellow. Each
  /// color is lighter than the previous color, so the picture is readable in shades of gray.
  static let heat: [Color] = {
    let stops = [0x000004, 0x280B54, 0x65156E, 0x9F2A63, 0xD44842, 0xF57D15, 0xFAC127, 0xFCFFA4]
      .map { Color($0) }
    return (0..<heatCount).map { step in
      let position = Double(step) * Double(stops.count - 1) / Double(heatCount - 1)
      let index = min(Int(position), stops.count - 2)
      return Color(from: stops[index], to: stops[index + 1], position - Double(index))
    }
  }()

  static let heatCount = 240

  /// Returns the palette index of a level. The level is in decibels relative to the highest level.
  /// Levels of −80 dB and less are black.
  static func heatStep(_ level: Double) -> UInt8 {
    let share = min(1, max(0, (level + range) / range))
    return Number.heat + UInt8((share * Double(heatCount - 1)).rounded())
  }

  private static let range = 80.0
}

/// A picture of pixels, each an index in the palette.
package struct Pixels: Hashable, Sendable {
  let width: Int
  let height: Int
  let palette: [Color]
  private(set) var numbers: [UInt8]

  /// A blank picture.
  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    palette = Palette.drawing + Palette.heat
    numbers = Array(repeating: Palette.Number.paper, count: width * height)
  }

  /// Colors the part of a rectangle that is inside the picture.
  mutating func fill(_ columns: Range<Int>, _ rows: Range<Int>, _ number: UInt8) {
    let columns = columns.clamped(to: 0..<width)
    for row in rows.clamped(to: 0..<height) {
      for column in columns { numbers[row * width + column] = number }
    }
  }

  /// Writes a time, a frequency or the name of a track, with the upper left corner at a column and
  /// a row. Skips characters that are not in `letters`.
  mutating func write(_ text: String, at column: Int, _ row: Int, _ number: UInt8) {
    var left = column
    for character in text {
      guard let rows = Self.letters[character] else { continue }
      for (index, bits) in rows.enumerated() {
        for column in 0..<Self.letterWidth where bits & (1 << (4 - column)) != 0 {
          fill((left + column)..<(left + column + 1), (row + index)..<(row + index + 1), number)
        }
      }
      left += Self.advance
    }
  }

  static let letterWidth = 5
  static let letterHeight = 7
  /// The number of pixels from one letter to the next.
  static let advance = 6

  /// The characters of times, frequencies and names of tracks, as rows from top to bottom. A row
  /// has five bits. The highest bit is the left pixel.
  private static let letters: [Character: [UInt8]] = [
    "0": [0x0E, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0E],
    "1": [0x04, 0x0C, 0x04, 0x04, 0x04, 0x04, 0x0E],
    "2": [0x0E, 0x11, 0x01, 0x02, 0x04, 0x08, 0x1F],
    "3": [0x1F, 0x02, 0x04, 0x02, 0x01, 0x11, 0x0E],
    "4": [0x02, 0x06, 0x0A, 0x12, 0x1F, 0x02, 0x02],
    "5": [0x1F, 0x10, 0x1E, 0x01, 0x01, 0x11, 0x0E],
    "6": [0x06, 0x08, 0x10, 0x1E, 0x11, 0x11, 0x0E],
    "7": [0x1F, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08],
    "8": [0x0E, 0x11, 0x11, 0x0E, 0x11, 0x11, 0x0E],
    "9": [0x0E, 0x11, 0x11, 0x0F, 0x01, 0x02, 0x0C],
    ":": [0x00, 0x0C, 0x0C, 0x00, 0x0C, 0x0C, 0x00],
    ".": [0x00, 0x00, 0x00, 0x00, 0x00, 0x0C, 0x0C],
    "a": [0x00, 0x00, 0x0E, 0x01, 0x0F, 0x11, 0x0F],
    "b": [0x10, 0x10, 0x16, 0x19, 0x11, 0x11, 0x1E],
    "c": [0x00, 0x00, 0x0E, 0x10, 0x10, 0x11, 0x0E],
    "d": [0x01, 0x01, 0x0D, 0x13, 0x11, 0x11, 0x0F],
    "e": [0x00, 0x00, 0x0E, 0x11, 0x1F, 0x10, 0x0E],
    "f": [0x06, 0x09, 0x08, 0x1C, 0x08, 0x08, 0x08],
    "g": [0x00, 0x0F, 0x11, 0x11, 0x0F, 0x01, 0x0E],
    "h": [0x10, 0x10, 0x16, 0x19, 0x11, 0x11, 0x11],
    "i": [0x04, 0x00, 0x0C, 0x04, 0x04, 0x04, 0x0E],
    "j": [0x02, 0x00, 0x06, 0x02, 0x02, 0x12, 0x0C],
    "k": [0x10, 0x10, 0x12, 0x14, 0x18, 0x14, 0x12],
    "l": [0x0C, 0x04, 0x04, 0x04, 0x04, 0x04, 0x0E],
    "m": [0x00, 0x00, 0x1A, 0x15, 0x15, 0x11, 0x11],
    "n": [0x00, 0x00, 0x16, 0x19, 0x11, 0x11, 0x11],
    "o": [0x00, 0x00, 0x0E, 0x11, 0x11, 0x11, 0x0E],
    "p": [0x00, 0x00, 0x1E, 0x11, 0x1E, 0x10, 0x10],
    "q": [0x00, 0x00, 0x0D, 0x13, 0x0F, 0x01, 0x01],
    "r": [0x00, 0x00, 0x16, 0x19, 0x10, 0x10, 0x10],
    "s": [0x00, 0x00, 0x0E, 0x10, 0x0E, 0x01, 0x1E],
    "t": [0x08, 0x08, 0x1C, 0x08, 0x08, 0x09, 0x06],
    "u": [0x00, 0x00, 0x11, 0x11, 0x11, 0x13, 0x0D],
    "v": [0x00, 0x00, 0x11, 0x11, 0x11, 0x0A, 0x04],
    "w": [0x00, 0x00, 0x11, 0x11, 0x15, 0x15, 0x0A],
    "x": [0x00, 0x00, 0x11, 0x0A, 0x04, 0x0A, 0x11],
    "y": [0x00, 0x00, 0x11, 0x11, 0x0F, 0x01, 0x0E],
    "z": [0x00, 0x00, 0x1F, 0x02, 0x04, 0x08, 0x1F],
    "-": [0x00, 0x00, 0x00, 0x1F, 0x00, 0x00, 0x00],
  ]
}
