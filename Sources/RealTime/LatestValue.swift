internal import Synchronization

/// Passes the newest value from one thread to another. Neither thread ever waits.
///
/// There are three slots. The writer fills one slot, the reader reads another, and the third is the
/// middle slot. To publish, the writer exchanges its slot for the middle slot. To get a new value,
/// the reader does the same. So the reader never reads a partly written or an outdated value.
package struct LatestValue<Value: BitwiseCopyable & Sendable>: ~Copyable, Sendable {
  private let slots: Slots
  private var hasWriter = false
  private var hasReader = false

  /// Creates slots that all contain `value`. The reader reads this value until another value is
  /// published.
  package init(_ value: Value) { slots = Slots(value) }

  /// Returns the end that publishes. There is only one, so a second call is a programming error.
  package mutating func writer() -> Writer {
    precondition(!hasWriter, "a latest value has one writer")
    hasWriter = true
    return Writer(slots: slots)
  }

  /// Returns the end that reads. There is only one, so a second call is a programming error.
  package mutating func reader() -> Reader {
    precondition(!hasReader, "a latest value has one reader")
    hasReader = true
    return Reader(slots: slots)
  }
}

extension LatestValue {
  /// The three slots, and the index of the middle one.
  ///
  /// SAFETY: each slot belongs to the end that holds its index, or to neither end while it is the
  /// middle slot. The atomic exchange that moves a slot orders the accesses to the slot.
  @safe
  final class Slots: @unchecked Sendable {
    let values: UnsafeMutablePointer<Value>
    /// The index of the middle slot, with the bit `isNew` if the reader has not read the value in
    /// this slot.
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
    fileprivate let slots: Slots
    private var mine: UInt8 = 0

    fileprivate init(slots: Slots) { self.slots = slots }

    /// Publishes `value` as the newest value.
    package mutating func publish(_ value: Value) {
      unsafe slots.values[Int(mine)] = value
      // Releases the slot that was just filled, for `Reader.read`. Acquires the slot that
      // `Reader.read` gave back.
      let old = slots.middle.exchange(mine | Slots.isNew, ordering: .acquiringAndReleasing)
      mine = old & Slots.number
    }
  }

  /// The end that one thread reads from.
  package struct Reader: ~Copyable, Sendable {
    fileprivate let slots: Slots
    private var mine: UInt8 = 2

    fileprivate init(slots: Slots) { self.slots = slots }

    /// Returns the newest value, or the same value again if nothing newer was published.
    package mutating func read() -> Value {
      // Relaxed: this load only decides whether to exchange. The exchange orders the accesses.
      if slots.middle.load(ordering: .relaxed) & Slots.isNew != 0 {
        // Acquires the slot that `Writer.publish` filled, and releases the slot that was read
        // before.
        mine = slots.middle.exchange(mine, ordering: .acquiringAndReleasing) & Slots.number
      }
      return unsafe slots.values[Int(mine)]
    }
  }
}

/// Generic functions cannot have the attributes `@_noLocks` and `@_noAllocation`. With this
/// function, the compiler checks the calls for one type.
@_noLocks @_noAllocation
private func prove(_ writer: inout LatestValue<Int>.Writer, _ reader: inout LatestValue<Int>.Reader)
{
  writer.publish(reader.read())
}
