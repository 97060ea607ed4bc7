import Foundation

/// The sounds on a tape, each between two marks.
struct Heard {
  /// The left and right samples of each sound, without the silence around it.
  let sounds: [(left: [Float], right: [Float])]

  /// The level of a mark. No sound of these tests has it for long.
  private static let mark: Float = 0.75
  private static let markFrames = 480

  /// Writes the mark as a sound file.
  static func writeMark(in theatre: Theatre) throws {
    let level = Int16(mark * 32_768)
    let bytes = WaveBytes.file([Int16](repeating: level, count: 2 * markFrames), channels: 2)
    try Data(bytes).write(to: URL(filePath: theatre.scratch.path("mark.wav")))
  }

  /// Splits a tape of stereo floats at its marks.
  init(_ theatre: Theatre) throws {
    let tape = try theatre.scratch.read("tape.raw").withUnsafeBytes {
      Array($0.bindMemory(to: Float.self))
    }
    var pieces: [(left: [Float], right: [Float])] = []
    var start = 0
    var run = 0
    let count = tape.count / 2
    for frame in 0..<count {
      run = tape[2 * frame] == Self.mark && tape[2 * frame + 1] == Self.mark ? run + 1 : 0
      guard run == Self.markFrames else { continue }
      pieces.append(Self.sound(tape, start..<(frame + 1 - run)))
      start = frame + 1
    }
    // The piece before the first mark is empty.
    sounds = Array(pieces.dropFirst())
  }

  private static func sound(
    _ tape: [Float], _ frames: Range<Int>
  ) -> (left: [Float], right: [Float]) {
    let isSilent = { (frame: Int) in tape[2 * frame] == 0 && tape[2 * frame + 1] == 0 }
    guard let first = frames.first(where: { !isSilent($0) }),
      let last = frames.last(where: { !isSilent($0) })
    else { return ([], []) }
    return ((first...last).map { tape[2 * $0] }, (first...last).map { tape[2 * $0 + 1] })
  }

  /// Returns how similar two sounds are, at the best shift within some frames. 1 is the same shape.
  static func likeness(_ sound: [Float], _ other: [Float], within most: Int = 24) -> Float {
    (-most...most).map { shift in
      let first = max(0, shift)
      let count = min(sound.count - first, other.count + min(0, shift))
      guard count > 0 else { return Float(0) }
      var (product, own, their) = (Float(0), Float(0), Float(0))
      sound.withUnsafeBufferPointer { sound in
        other.withUnsafeBufferPointer { other in
          for index in 0..<count {
            let (a, b) = (sound[first + index], other[max(0, -shift) + index])
            product += a * b
            own += a * a
            their += b * b
          }
        }
      }
      return own > 0 && their > 0 ? product / (own * their).squareRoot() : 0
    }.max() ?? 0
  }
}
