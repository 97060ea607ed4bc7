import Audio
import Control
import Takes
import Testing

@testable import Commands

@Suite("The report of a finished recording")
struct RecordingReportTests {
  private func page(
    _ reason: EndReason = .stopped, _ change: (inout RecordingResult) -> Void
  ) -> String {
    let stream = StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16)
    let facts = TakeFacts(
      identifier: "0123456789abcdef", name: "default", device: "test:tone", stream: stream,
      format: .wav)
    var result = RecordingResult(facts, reason: reason, exit: 0, began: .seconds(1_700_000_000))
    change(&result)
    return RecordingReport(result).text(.plain)
  }

  @Test(
    "Audio that was left out has its reason",
    arguments: [
      (4_800, 0, 0, "0:00.100 in pauses"), (4_800, 4_800, 0, "0:00.100 before the take began"),
      (4_800, 0, 4_800, "0:00.100 after the pipe was closed"),
      (
        96_000, 48_000, 43_200,
        "0:01.000 before the take began, 0:00.100 in pauses, 0:00.900 after the pipe was closed"
      ),
    ] as [(FrameCount, FrameCount, FrameCount, String)])
  func leftOut(discarded: FrameCount, early: FrameCount, late: FrameCount, words: String) {
    let report = page {
      $0.frames.discarded = discarded
      $0.frames.early = early
      $0.frames.late = late
    }
    let text = report.split { $0.isWhitespace }.joined(separator: " ")
    #expect(text.contains("Left out \(words)"), "\(report)")
    let whole = page { _ in }
    #expect(!whole.contains("Left out"), "\(whole)")
  }

  @Test("A recovered take has no peak, and the report of it does not claim silence")
  func recovered() {
    let recovered = page(.interrupted) { $0.frames.captured = 48_000 }
    #expect(!recovered.contains("Peak") && !recovered.contains("silence"), "\(recovered)")
    #expect(recovered.contains("  Missing   at most 1 s if the program is killed"), "\(recovered)")
    let silent = page { $0.frames.captured = 48_000 }
    #expect(silent.contains("  Peak      none: only silence was recorded\n"), "\(silent)")
  }

  @Test("The clipped samples follow the peak")
  func clipped() {
    let loud = page {
      $0.frames.captured = 48_000
      $0.highestPeak = 1
      $0.clipped = 12
    }
    #expect(loud.contains("  Peak      0.0 dBFS, 12 samples clipped\n"), "\(loud)")
  }

  @Test("A stdout that could not be written has no peak and no file")
  func failedStream() {
    let failed = page(.disk) { $0.exit = 13 }
    #expect(failed.hasPrefix("Nothing was sent to stdout\n"), "\(failed)")
    #expect(failed.contains("  Reason    stdout could not be written\n"), "\(failed)")
    #expect(!failed.contains("Peak"), "\(failed)")
    let closed = page(.closedOutput) { $0.exit = 15 }
    #expect(closed.hasPrefix("Nothing was sent to stdout\n"), "\(closed)")
    let cancelled = page(.cancelled) { $0.exit = 15 }
    #expect(cancelled.hasPrefix("No file was kept\n"), "\(cancelled)")
    let sent = page { $0.frames.captured = 48_000 }
    #expect(sent.hasPrefix("Sent to stdout\n") && sent.contains("  Peak "), "\(sent)")
  }

  @Test("A cancelled file is not reported as saved, and undo restores it")
  func cancelled() {
    let report = page(.discarded) {
      $0.path = "/home/a.wav"
      $0.frames.captured = 48_000
    }
    #expect(report.hasPrefix("Cancelled /home/a.wav\n"), "\(report)")
    #expect(report.contains("  Trash     \"recorder undo\" restores the file\n"), "\(report)")
  }

  @Test("Lost frames have a duration")
  func losses() {
    let gap = Gap(position: 48_000, length: 72_000, cause: .overrun)
    let lossy = page {
      $0.gaps = [gap]
      $0.frames.lost = 72_000
    }
    #expect(lossy.contains("  Gaps      1, 72000 frames lost (0:01.500)\n"), "\(lossy)")
    let label = ProgramHost().label(for: .gap(gap, .hz48000))
    #expect(label == "72000 frames lost (0:01.500, overrun)")
  }
}
