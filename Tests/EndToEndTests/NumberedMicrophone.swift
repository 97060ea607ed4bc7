import Foundation
import Support
import Testing

/// A source for the paced card with numbered frames. The content of a take alone shows how many
/// frames are missing in it.
final class NumberedMicrophone {
  /// A function for scripts that starts and connects the source. The source ends with the script.
  static let words = """
    numbers() {
      setpriv --pdeathsig KILL "$numbers" & source=$!
      for side in FL FR; do
        await "pw-link numbers:$side microphone:input_$side 2>/dev/null"
      done
    }
    """

  private let scratch: ScratchDirectory

  /// Builds the program of the source.
  init() throws {
    scratch = try ScratchDirectory()
    let source = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "PipeWire/numbers.c").path
    let made = try sh(
      """
      cc -O1 -o '\(program)' '\(source)' $(pkg-config --cflags --libs libpipewire-0.3) -lm
      """)
    try #require(made.code == 0, "\(made)")
  }

  var program: String { scratch.path("numbers") }

  /// The path to which a script moves its take.
  var take: String { scratch.path("take.wav") }

  /// Returns by how many frames the distance between the first and the last frames of the take is
  /// wrong. The number is positive if frames are missing.
  func error() throws -> Int {
    let samples = try scratch.read("take.wav").dropFirst(80)
    let numbers = stride(from: samples.startIndex, to: samples.endIndex - 3, by: 4).map { place in
      Self.half(samples[place], samples[place + 1])
        | Self.half(samples[place + 2], samples[place + 3]) << 12
    }
    // The first cycles of a stream may differ in length from the later ones.
    let first = try #require(Self.stretch(numbers, in: 9_600..<numbers.count))
    let last = try #require(Self.stretch(numbers, in: (numbers.count - 24_000)..<numbers.count))
    let told = last.place - first.place
    let heard = (last.number - first.number) & 0xFF_FFFF
    let error = (heard - told) & 0xFF_FFFF
    return error < 0x80_0000 ? error : error - 0x100_0000
  }

  private static func half(_ low: UInt8, _ high: UInt8) -> Int {
    Int(Int16(bitPattern: UInt16(low) | UInt16(high) << 8) >> 4) + 2_048
  }

  /// Returns the index and the number of the first of 4,000 consecutive frames, or nil if there are
  /// none.
  private static func stretch(
    _ numbers: [Int], in range: Range<Int>
  ) -> (place: Int, number: Int)? {
    var start = range.lowerBound
    for place in range.dropFirst() {
      if numbers[place] != (numbers[place - 1] + 1) & 0xFF_FFFF { start = place }
      if place - start == 4_000 { return (start, numbers[start]) }
    }
    return nil
  }
}
