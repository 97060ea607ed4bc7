internal import Audio

/// The extent of the complete units in a file. A unit is a FLAC frame or an Ogg page.
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
  /// A crash damages only the last second or two of a file, because this part was not synchronized
  /// yet. A file with a gap near its end is cut before the gap. A gap farther back has another
  /// cause. In that case, the audio after the gap is kept, because it may be an hour long.
  func kept(at rate: SampleRate, _ samples: (Extent) -> Int64) -> (extent: Extent, hasGap: Bool) {
    let isFarBack = samples(last) - samples(unbroken) > 10 * Int64(rate.hertz)
    return isFarBack ? (last, true) : (unbroken, false)
  }
}
