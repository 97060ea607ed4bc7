import Audio
import Glibc
import Testing

@testable import Devices

@Suite("The tone")
struct ToneTests {
  private let tone = Tone(hertz: 1_000, rate: .hz48000)

  private func value(_ number: Int64) -> Double {
    Double(bitPattern: tone.sample(number, .float64))
  }

  @Test("is a sine at −20 dBFS")
  func level() {
    let second = (0..<48_000).map { value($0) }
    #expect(abs((second.max() ?? 0) - 0.1) < 1e-12)
    let power = second.map { $0 * $0 }.reduce(0, +) / 48_000
    #expect(abs(20 * log10(power.squareRoot() * 2.0.squareRoot()) + 20) < 1e-9)
  }

  @Test("keeps its phase exactly at any position")
  func phase() {
    for number in Int64(0)..<48 {
      #expect(value(number) == value(number + 48 * 1_000_000_000_000))
    }
  }

  @Test(
    "is rounded to the nearest step of each format",
    arguments: [
      (SampleFormat.int16, UInt64(3_277)), (.int24, 838_861), (.int24Packed, 838_861),
      (.int32, 214_748_365),
    ])
  func steps(format: SampleFormat, crest: UInt64) {
    #expect(tone.sample(12, format) == crest)
    let trough = UInt64(UInt32(bitPattern: -Int32(crest)))
    #expect(tone.sample(36, format) == trough)
  }

  @Test("above half the rate is refused", arguments: [(24_000, false), (23_999, true)])
  func limit(hertz: Int, works: Bool) {
    let refusal = DeviceError.toneTooHigh(hertz: hertz, rate: .hz48000)
    var found: DeviceError?
    do throws(DeviceError) {
      _ = try WaveCapture(.tone(hertz: hertz), named: "test:tone", clock: StepClock())
    } catch {
      found = error
    }
    #expect(found == (works ? nil : refusal))
  }
}
