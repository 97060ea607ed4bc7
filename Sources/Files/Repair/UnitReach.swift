internal import Audio

/// The extent of a file's whole units, such as FLAC frames or Ogg pages.
struct UnitReach<Extent> {
  /// The extent from the first unit to the first gap.
  private var unbroken: Extent
  /// The extent of all units, including gaps.
  private(set) var last: Extent
  private var isBroken = false

  init(_ start: Extent) {
    unbroken = start
    last = start
  }

  /// Advances to the end of a unit. After a gap, `unbroken` does not change any more.
  mutating func advance(to extent: Extent, isAfterGap: Bool) {
    isBroken = isBroken || isAfterGap
    last = extent
    if !isBroken { unbroken = extent }
  }

  /// Returns the extent to keep, and whether it has a gap.
  ///
  /// A crash damages only the last second or two, which were not synchronized yet. A file with such
  /// damage is cut before the gap. Damage farther back has another cause. In that case, the audio
  /// after the gap, possibly an hour, is kept.
  func kept(at rate: SampleRate, _ samples: (Extent) -> Int64) -> (extent: Extent, hasGap: Bool) {
    let isFarBack = samples(last) - samples(unbroken) > 10 * Int64(rate.hertz)
    return isFarBack ? (last, true) : (unbroken, false)
  }
}
