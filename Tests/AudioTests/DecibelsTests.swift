import Audio
import Testing

@Suite("Decibels")
struct DecibelsTests {
  @Test(
    "A level and its magnitude say the same",
    arguments: [(0, 1), (-20, 0.1), (20, 10), (-100, 0.00001), (-6.020_599_913_279_624, 0.5)])
  func pairs(level: Double, amplitude: Double) {
    #expect(abs(Decibels(level).amplitude - amplitude) < amplitude * 1e-12)
    #expect(abs(Decibels(amplitude: amplitude).value - level) < 1e-10)
  }

  @Test("A magnitude of 0 is silence, and silence has a magnitude of 0")
  func silence() {
    #expect(Decibels(amplitude: 0) == .silence)
    #expect(Decibels.silence.amplitude == 0)
    #expect(Decibels(amplitude: 1) == .fullScale)
  }

  @Test("The sign of a sample does not change its level")
  func sign() {
    #expect(Decibels(amplitude: -0.25) == Decibels(amplitude: 0.25))
  }

  @Test("Silence is below every level")
  func order() {
    #expect(Decibels.silence < Decibels(-1_000))
    #expect(Decibels(-1) < .fullScale)
  }
}
