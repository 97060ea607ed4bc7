internal import Audio

/// The reach of a file's whole units.
struct UnitReach<Extent> {
  /// The reach from the first unit up to the first gap.
  private(set) var unbroken: Extent
  /// The reach of all units, gaps included.
  private(set) var last: Extent
  private(set) var isBroken = false

  init(_ start: Extent) {
    unbroken = start
    last = start
  }

  /// Advances to the end of a unit; after a gap `unbroken` stays.
  mutating func advance(to extent: Extent, isAfterGap: Bool) {
    isBroken = isBroken || isAfterGap
    last = extent
    if !isBroken { unbroken = extent }
  }

  /// Returns the extent to keep, and true if it has a gap.
  ///
  /// A crash tears only data that was not yet synchronised, the last second or two, and a file that is broken there
  /// ends before the gap. Damage farther back has another cause, and must not cost the hour of audio after it.
  func kept(at rate: SampleRate, _ samples: (Extent) -> Int64) -> (extent: Extent, hasGap: Bool) {
    let isFarBack = samples(last) - samples(unbroken) > 10 * Int64(rate.hertz)
    return isFarBack ? (last, true) : (unbroken, false)
  }
}
