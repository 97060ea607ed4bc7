internal import Audio

/// The reason why no unit (a FLAC frame or an Ogg page) could be read.
enum UnitFlaw: Error, Hashable {
  /// The bytes end within the unit.
  case incomplete
  /// No unit begins here.
  case invalid
}

/// A scan over all units of a file. It skips other bytes between them.
protocol UnitScan {
  /// Reads the unit at the beginning of `bytes`, at `offset` in the file, and returns its length.
  mutating func take(_ bytes: Span<UInt8>, at offset: Int64) throws(UnitFlaw) -> Int
}

extension UnitScan {
  /// Reads every unit that begins in `window` and returns the number of processed bytes.
  ///
  /// - Parameter isLast: true if no more bytes follow, so that an incomplete unit stays incomplete.
  mutating func takeAll(_ window: Span<UInt8>, at offset: Int64, isLast: Bool) -> Int {
    var position = 0
    while position < window.count {
      let rest = window.extracting(position...)
      do throws(UnitFlaw) {
        position += try take(rest, at: offset + Int64(position))
      } catch {
        if error == .incomplete && !isLast { return position }
        position += 1
      }
    }
    return position
  }
}

extension CheckedFile {
  /// Passes the file from `start` on to `scan`, in windows.
  func scan(_ scan: inout some UnitScan, from start: Int64) throws(SoundFileError) {
    var (offset, size) = (start, Self.leastWindow)
    while offset < end {
      let window = try bytes(at: offset, upTo: size)
      if window.isEmpty { return }
      let isLast = offset + Int64(window.count) >= end
      let done = scan.takeAll(window.span, at: offset, isLast: isLast)
      if done > 0 {
        (offset, size) = (offset + Int64(done), Self.leastWindow)
      } else if size < Self.mostWindow {
        size *= 2
      } else {
        offset += 1
      }
    }
  }

  private static let leastWindow = 1 << 18

  /// The maximum size of a window. The largest FLAC frame, 65,535 samples of 8 channels and 33
  /// bits, takes half of it.
  private static let mostWindow = 1 << 22
}

/// The extent of a file's whole units.
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
  /// A crash damages only data that was not synchronized yet, the last second or two. A file that
  /// is damaged there ends before the gap. Damage farther back has another cause. In that case, the
  /// audio after it, possibly an hour, is kept.
  func kept(at rate: SampleRate, _ samples: (Extent) -> Int64) -> (extent: Extent, hasGap: Bool) {
    let isFarBack = samples(last) - samples(unbroken) > 10 * Int64(rate.hertz)
    return isFarBack ? (last, true) : (unbroken, false)
  }
}
