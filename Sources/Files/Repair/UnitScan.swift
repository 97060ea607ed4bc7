internal import Audio

/// The reason why no unit, a frame of FLAC or a page of Ogg, could be read.
enum UnitFlaw: Error, Hashable {
  /// The bytes end before the unit does.
  case incomplete
  /// No unit begins here.
  case invalid
}

/// A scan over the units of a file from the first to the last, across any bytes between them.
protocol UnitScan {
  /// Takes the unit that `bytes` begin with, `offset` bytes into the file, and returns its length.
  mutating func take(_ bytes: Span<UInt8>, at offset: Int64) throws(UnitFlaw) -> Int
}

extension UnitScan {
  /// Takes every unit that begins in `window` and returns the number of bytes that are done.
  ///
  /// - Parameter isLast: true if nothing follows, so that an incomplete unit stays incomplete.
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
  /// Shows the file to `scan` from `offset` on, in windows.
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

  /// The largest frame of FLAC, 65,535 samples of 8 channels and 33 bits, takes half of it.
  private static let mostWindow = 1 << 22
}

/// The reach of a file's whole units.
struct UnitReach<Extent> {
  /// The reach from the first unit up to the first gap.
  private var unbroken: Extent
  /// The reach of all units, gaps included.
  private(set) var last: Extent
  private var isBroken = false

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
  /// A crash tears only data that was not yet synchronised, the last second or two, and a file that
  /// is broken there ends before the gap. Damage farther back has another cause, and must not cost
  /// the hour of audio after it.
  func kept(at rate: SampleRate, _ samples: (Extent) -> Int64) -> (extent: Extent, hasGap: Bool) {
    let isFarBack = samples(last) - samples(unbroken) > 10 * Int64(rate.hertz)
    return isFarBack ? (last, true) : (unbroken, false)
  }
}
