import Observation
import RecorderKit

// Shows the level of each channel for some seconds, and records nothing: level-meter [SECONDS]
// A user interface would observe the model in the same way.

@MainActor @Observable
final class Meter {
  /// The highest recent sample of each channel; 1 is full scale.
  private(set) var peaks: [Float] = []
  /// Why listening ended, or nil while it continues.
  private(set) var end: String?

  func listen(upTo seconds: Int) async {
    do {
      for try await buffer in Microphone.buffers() {
        show(buffer)
        if buffer.format.duration(of: buffer.position) >= .seconds(seconds) { break }
      }
      end = "done"
    } catch {
      end = "\(error)"
    }
  }

  private func show(_ buffer: AudioBuffer) {
    let channels = buffer.format.channelCount
    var peaks = [Float](repeating: 0, count: channels)
    for index in buffer.samples.indices {
      peaks[index % channels] = max(peaks[index % channels], abs(buffer.samples[index]))
    }
    self.peaks = peaks
  }
}

/// Draws the model now, and again after each change, as a user interface does.
@MainActor func draw(_ meter: Meter) {
  withObservationTracking {
    let row = meter.peaks.map { "[" + bar(Double($0)) + "]" }.joined(separator: " ")
    if !row.isEmpty { print(row) }
  } onChange: {
    Task { @MainActor in draw(meter) }
  }
}

/// Returns a bar of 20 characters for 60 dB.
func bar(_ peak: Double) -> String {
  let level = Level(peak: peak, rms: 0).peakDecibels
  let full = level > -60 ? min(20, Int((level + 60) / 3)) : 0
  return String(repeating: "#", count: full) + String(repeating: " ", count: 20 - full)
}

let seconds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 10
let meter = Meter()
draw(meter)
await meter.listen(upTo: seconds)
print(meter.end ?? "")
