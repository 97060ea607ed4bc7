import Audio
import Control
import Files
import JSON
import Linux
import Recording
import Testing

@testable import Commands
@testable import Takes

@Suite("An untrusted number")
struct ForeignNumberTests {
  private static let hostile = [
    "9223372036854775807", "-9223372036854775808", "-1", "9007199254740993", "4503599627370497",
    "1e308", "-1e19", "0.5", "\"7\"", "null",
  ]

  @Test("makes the event of a journal line invalid", arguments: hostile)
  func events(number: String) throws {
    for line in [
      #"{"frame":10,"event":"resumed","discarded":N}"#, #"{"frame":N,"event":"paused"}"#,
      #"{"frame":10,"event":"gap","lost":N,"cause":"overrun"}"#,
    ] {
      let text = line.replacing("N", with: number)
      #expect(PositionedEvent(json: try JSONValue(decoding: text)) == nil, "\(text)")
    }
  }

  @Test("never makes a sum that no take can have")
  func sums() throws {
    let most = Gap(position: 0, length: .most, cause: .overrun)
    let events = (0..<3_000).flatMap { _ in
      [
        PositionedEvent(at: 0, .gap(most, isFilled: true)),
        PositionedEvent(at: 0, .resumed(after: .most)),
      ]
    }
    let counts = EventCounts(events, from: .hz48000, to: .hz48000, onDisk: 48_000)
    #expect(counts.frames.lost == .most && counts.gaps.count == 1)
    #expect(counts.frames.onDisk == 48_000)
    #expect(
      FrameCount.most.converted(from: known(SampleRate(1)), to: known(SampleRate(768_000))) > 0)
  }

  @Test("in the status of a session is refused or shown", arguments: hostile)
  func status(number: String) throws {
    let whole = """
      {"id":"a","name":"a","state":"recording","pid":@P,"device":"d","rate":48000,"channels":2,
      "sample":"S16","format":"wav","frames":{"captured":@C,"lost":0,"discarded":0,"filled":0},
      "bytes":@B,"marks":@B,"clipped":@B,"freeSeconds":@F,"segment":@B,"peak":@F,"rms":@F,
      "highestPeak":@F,"levels":[{"peak":@F,"rms":@F,"clipped":@B}],"totalClipped":@B,
      "freeBytes":@B,"accessUntil":@F,"stopOnSilence":@F,"threshold":@F,
      "limits":{"duration":@F,"size":@B,"free":@B},"split":{"length":@F,"aligned":false},
      "keep":{"age":@F},
      "gaps":[],"warnings":[]}
      """
    let plain = "PCBF".reduce(whole) { $0.replacing("@\($1)", with: "7") }
    #expect(RecordingStatus(json: try JSONValue(decoding: plain)) != nil)
    for name in "PCBF" {
      var text = whole
      for other in "PCBF" {
        text = text.replacing("@\(other)", with: other == name ? number : "7")
      }
      guard let status = RecordingStatus(json: try JSONValue(decoding: text)) else { continue }
      let report = StatusReport(recordings: [status])
      #expect(report.text(.plain).contains("recording"))
      #expect(!report.encoded.isEmpty)
      var hold = PeakHold()
      hold.hold(status.meters, at: .zero)
      for width in [20, 80] {
        #expect(!LiveView(status, hold).lines(width: width, rows: 24, .plain).isEmpty)
      }
      #expect(!PrometheusPage(report: report).text(.plain).isEmpty)
    }
  }

  @Test("in a plan is refused, or is harmless", arguments: hostile)
  func plan(number: String) throws {
    for key in ["\"free\":N", "\"free\":1,\"size\":N", "\"free\":1,\"duration\":N"] {
      let text = "{" + key.replacing("N", with: number) + "}"
      let limits = RecordingLimits(json: try JSONValue(decoding: text))
      #expect((limits?.free ?? 0) >= 0 && (limits?.size ?? 0) >= 0)
    }
    let capture = #"{"device":"d","select":[N],"gain":N}"#.replacing("N", with: number)
    let plan = CapturePlan(json: try JSONValue(decoding: capture))
    #expect(plan?.selection.allSatisfy { $0 > 0 } ?? true)
  }

  private func known<Value>(_ value: Value?) -> Value {
    guard let value else { preconditionFailure("the test states a value that is none") }
    return value
  }
}
