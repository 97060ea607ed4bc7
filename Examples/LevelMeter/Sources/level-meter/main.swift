import Observation
import RecorderKit

// Shows how loud each channel is, for some seconds, and records nothing: level-meter [SECONDS]
// A user interface would observe the model in the same way.

@MainActor @Observable
final class Meter {
  /// The loudest sample of each channel in the last moments, 1 being full scale.
  private(set) var peaks: [Float] = []
  /// The reason of the end; nil while it listens.
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
    let channels = buffer.format.channels
    var peaks = [Float](repeating: 0, count: channels)
    for index in buffer.samples.indices {
      peaks[index % channels] = max(peaks[index % channels], abs(buffer.samples[index]))
    }
    self.peaks = peaks
  }
}

/// Draws what the model has now, and again after each change, as a user interface does.
@MainActor func draw(_ meter: Meter) {
  withObservationTracking {
    let row = meter.peaks.map { "[" + bar(Double($0)) + "]" }.joined(separator: " ")
    if !row.isEmpty { print(row) }
  } onChange: {
    Task { @MainActor in draw(meter) }
  }
}

/// Twenty places for 60 dB.
func bar(_ peak: Double) -> String {
  let level = Level(peak: peak, rms: 0).decibels.peak
  let full = level > -60 ? min(20, Int((level + 60) / 3)) : 0
  return String(repeating: "#", count: full) + String(repeating: " ", count: 20 - full)
}

let seconds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 10
let meter = Meter()
draw(meter)
await meter.listen(upTo: seconds)
print(meter.end ?? "")
