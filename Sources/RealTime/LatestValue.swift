internal import Synchronization

/// Hands the newest value from one thread to another; neither ever waits.
///
/// There are three places: one that the writer fills, one that the reader reads, and the middle
/// one, which the two exchange for theirs. So a value is never read half written, and an old one
/// never again.
package struct LatestValue<Value: BitwiseCopyable & Sendable>: ~Copyable, Sendable {
  private let places: Places
  private var hasWriter = false
  private var hasReader = false

  /// Places that all hold `value`, which the reader reads until something is published.
  package init(_ value: Value) { places = Places(value) }

  /// The end that publishes; there is only one, so a second call is an error of the program.
  package mutating func writer() -> Writer {
    precondition(!hasWriter, "a latest value has one writer")
    hasWriter = true
    return Writer(places: places)
  }

  /// The end that reads; there is only one, so a second call is an error of the program.
  package mutating func reader() -> Reader {
    precondition(!hasReader, "a latest value has one reader")
    hasReader = true
    return Reader(places: places)
  }
}

extension LatestValue {
  /// The three places, and the number of the middle one.
  ///
  /// SAFETY: each place belongs to the end that holds its number, or to neither while it is in the
  /// middle; the exchange that moves it orders the accesses.
  @safe
  final class Places: @unchecked Sendable {
    let values: UnsafeMutablePointer<Value>
    /// The number of the middle place, and `isNew` when the reader has not seen it.
    let middle = Atomic<UInt8>(1)
    static var isNew: UInt8 { 4 }
    static var number: UInt8 { 3 }

    init(_ value: Value) {
      unsafe values = .allocate(capacity: 3)
      unsafe values.initialize(repeating: value, count: 3)
    }

    deinit { unsafe values.deallocate() }
  }

  /// The end that one thread publishes to.
  package struct Writer: ~Copyable, Sendable {
    fileprivate let places: Places
    private var mine: UInt8 = 0

    fileprivate init(places: Places) { self.places = places }

    /// Makes `value` the newest.
    package mutating func publish(_ value: Value) {
      unsafe places.values[Int(mine)] = value
      // Releases the place just filled to `Reader.look`, and acquires the one that it gave back.
      let old = places.middle.exchange(mine | Places.isNew, ordering: .acquiringAndReleasing)
      mine = old & Places.number
    }
  }

  /// The end that one thread reads from.
  package struct Reader: ~Copyable, Sendable {
    fileprivate let places: Places
    private var mine: UInt8 = 2

    fileprivate init(places: Places) { self.places = places }

    /// The newest value; the same again while nothing newer was published.
    package mutating func look() -> Value {
      // Relaxed: it only decides whether to exchange, and the exchange orders.
      if places.middle.load(ordering: .relaxed) & Places.isNew != 0 {
        // Acquires the place that `Writer.publish` filled, and releases the one looked at before.
        mine = places.middle.exchange(mine, ordering: .acquiringAndReleasing) & Places.number
      }
      return unsafe places.values[Int(mine)]
    }
  }
}

/// Generic code cannot carry the attributes; here the compiler proves it for one type.
@_noLocks @_noAllocation
private func prove(_ writer: inout LatestValue<Int>.Writer, _ reader: inout LatestValue<Int>.Reader)
{
  writer.publish(reader.look())
}
