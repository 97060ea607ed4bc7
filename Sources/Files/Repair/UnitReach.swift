internal import Audio

/// How far the whole units of a file reach.
struct UnitReach<Extent> {
  /// From the first without a gap.
  private(set) var unbroken: Extent
  /// In all.
  private(set) var last: Extent
  private(set) var isBroken = false

  init(_ start: Extent) {
    unbroken = start
    last = start
  }

  /// Goes on to the end of a unit; after a gap there is no way back.
  mutating func advance(to extent: Extent, isAfterGap: Bool) {
    isBroken = isBroken || isAfterGap
    last = extent
    if !isBroken { unbroken = extent }
  }

  /// What is kept, and whether it has a gap.
  ///
  /// A crash tears only what the disk had not been told to keep, the last second or two, and a file that is broken
  /// there ends before the gap. Damage farther back has another cause, and must not cost the hour that follows it.
  func kept(at rate: SampleRate, _ samples: (Extent) -> Int64) -> (extent: Extent, hasGap: Bool) {
    let isFarBack = samples(last) - samples(unbroken) > 10 * Int64(rate.hertz)
    return isFarBack ? (last, true) : (unbroken, false)
  }
}
