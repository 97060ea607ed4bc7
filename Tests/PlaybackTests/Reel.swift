import Audio
import Playback

/// A long sound with known frames, and the code that fills its window.
struct Reel {
  let window: SoundWindow
  let values: [Float]

  init(
    _ length: Int, beginning: Int = 20, capacity: Int = 40, announced: Int? = nil, scale: Float = 1
  ) throws {
    let values = (0..<length).map { Ramp.value($0) * scale }
    self.values = values
    var memory = SoundMemory(Stage.mono, room: FrameCount(beginning))
    memory.append(values.span.extracting(first: beginning))
    window = try SoundWindow(
      beginning: memory, capacity: FrameCount(capacity), length: FrameCount(announced ?? length))
  }

  /// Fills the window until it needs nothing more, at most `limit` frames in one step.
  func feed(upTo limit: Int = .max) {
    while feedOnce(upTo: limit) {}
  }

  func feedOnce(upTo limit: Int = .max) -> Bool {
    switch window.need {
    case .nothing: return false
    case .jump(let frame): window.move(to: frame)
    case .more(let count):
      let first = Int(window.end.value)
      let last = min(values.count, first + min(count, limit))
      values[first..<last].withUnsafeBytes { window.fill($0.bytes) }
      if last == values.count { window.complete() }
    }
    return true
  }
}
