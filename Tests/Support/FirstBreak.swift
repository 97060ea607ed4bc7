/// Returns a description of the first number of a ramp that does not follow the one before it, or
/// nil if there is none.
///
/// An expectation that compares whole arrays takes minutes if they differ, because it compares them
/// again, element by element, to describe the difference. Meanwhile other tests are late.
package func firstBreak(in numbers: [UInt32], from first: UInt32 = 0) -> String? {
  numbers.withUnsafeBufferPointer { numbers in
    var place = 0
    while place < numbers.count {
      if numbers[place] != first &+ UInt32(place) {
        return "frame \(place) of \(numbers.count) is number \(numbers[place])"
      }
      place += 1
    }
    return nil
  }
}
