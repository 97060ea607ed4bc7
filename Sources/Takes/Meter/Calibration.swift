package import Audio

/// The levels of a quiet room, and the thresholds that follow.
package struct Calibration: Equatable, Sendable {
  /// The capture device, as it was typed.
  package let device: String
  /// The time that was measured.
  package let length: Duration
  /// The number of windows of 10 ms that were captured.
  package let windows: Int
  /// The median level of the windows.
  package let usual: Decibels
  /// The highest level that lasted for as many windows as a sound must, to start a recording.
  package let loudest: Decibels

  /// The windows of the shortest sound: a shorter one is a click, which neither starts nor stops a
  /// recording.
  private static let shortestSound = 3

  /// The calibration of a device by the levels of its windows.
  package init(of device: String, hearing levels: [Decibels], for length: Duration) {
    self.device = device
    self.length = length
    windows = levels.count
    usual = levels.isEmpty ? .silence : levels.sorted()[levels.count / 2]
    let runs = levels.indices.dropLast(min(levels.count, Self.shortestSound - 1))
    loudest =
      runs.compactMap { levels[$0..<($0 + Self.shortestSound)].min() }.max() ?? .silence
  }

  /// The threshold: above the room by the variation of noise, and never below a converter's own
  /// noise.
  package var threshold: Decibels { Decibels(min(-5, max(-64, loudest.value.rounded(.up) + 2))) }

  /// The threshold to start: far enough above the other one that a faltering voice stays one take.
  package var start: Decibels { Decibels(threshold.value + 4) }

  /// True if a sound was captured that is not the room's noise.
  package var isRestless: Bool { loudest.value - usual.value > 15 && usual.value.isFinite }

  /// True if nothing but digital silence was captured, so that no threshold follows.
  package var isSilent: Bool { loudest == .silence }
}
