import Audio
import Testing

@testable import Recording

@Suite("The pace of a device that cannot count its lost frames")
struct CapturePaceTests {
  /// A device that is read every tenth of a second. Its crystal is off by `millionths` millionths.
  private struct Device {
    var millionths = 0
    /// Frames that were lost without a report.
    var silent = 0
    var now = Duration.seconds(1_000)
    var elapsed = 0
    var pace: CapturePace
    var found = 0

    init(millionths: Int = 0) {
      self.millionths = millionths
      pace = CapturePace(Self.look(1_000, ahead: 0), after: 0, at: .hz48000)
    }

    static func look(_ seconds: Double, ahead: Int) -> CapturePace.Look {
      .init(bootTime: .seconds(seconds), slept: .zero, ahead: ahead)
    }

    /// Runs for `tenths` tenths of a second. Returns the first tenth with missing frames, or nil if
    /// there is none.
    @discardableResult
    mutating func run(_ tenths: Int, ahead: Int = 0) -> Int? {
      var first: Int?
      for tenth in 0..<tenths {
        now += .milliseconds(100)
        let passed = Int(FrameCount(now - .seconds(1_000), at: .hz48000).value)
        let heard = passed + passed * millionths / 1_000_000 - silent
        elapsed = heard + found - ahead
        let look = CapturePace.Look(bootTime: now, slept: .zero, ahead: ahead)
        let missing = pace.follow(look, after: elapsed, tolerating: 4_800)
        if missing > 0 { first = first ?? tenth }
        found += missing
      }
      return first
    }
  }

  @Test("An inaccurate crystal causes no loss in a day", arguments: [-290, -90, 0, 90, 290])
  func drift(millionths: Int) {
    var device = Device(millionths: millionths)
    #expect(device.run(864_000) == nil)
  }

  @Test(
    "Skipped cycles are found within two seconds once they exceed the tolerance")
  func cycles() {
    var device = Device()
    device.run(50)
    for _ in 0..<2 {
      device.silent += 2_048
      #expect(device.run(30) == nil)
    }
    device.silent += 2_048
    #expect(device.run(20) ?? .max < 15)
    #expect(abs(device.found - 3 * 2_048) <= 120)
    let before = device.found
    #expect(device.run(100) == nil && device.found == before)
  }

  @Test("Frames that wait in the device are not missing, but only as many as fit into it")
  func waiting() {
    let script = FakeSource.Script([], clock: FakeClock(), rate: .hz48000) { UInt32($0) }
    var source = FakeSource(script)
    source.mostUnread = 20_000
    for (available, ahead) in [(300, 300), (12_000, 12_000), (90_000, 20_000)] {
      let timing = StreamTiming(instant: .zero, available: FrameCount(available))
      #expect(timing.ahead(on: source) == ahead)
    }
  }

  @Test("Frames that are on their way, or late for less than a second, are not missing")
  func late() {
    var device = Device()
    device.run(10)
    #expect(device.run(30, ahead: 60_000) == nil)
    device.silent = 20_000
    #expect(device.run(8) == nil)
    device.silent = 0
    #expect(device.run(100) == nil)
  }
}
