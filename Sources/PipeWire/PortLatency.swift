internal import CPipeWire

/// The delay between a port and the device of its node, as the server reports it.
package struct PortLatency: Hashable, Sendable {
  /// The part of the delay that depends on the graph, in cycles.
  package var cycles: Double
  /// The part of the delay in frames of the graph.
  package var frames: Double
  /// The part of the delay in nanoseconds.
  package var nanoseconds: Double

  /// Returns the whole delay.
  ///
  /// - Parameters:
  ///   - length: the number of frames in a cycle.
  ///   - rate: the frames per second.
  func duration(cycle length: Int, rate: Double) -> Duration {
    let frames = cycles * Double(length) + frames
    return .microseconds(Int64((frames / rate * 1e6 + nanoseconds / 1e3).rounded()))
  }
}

extension PortLatency {
  /// Reads `SPA_PARAM_Latency` in PipeWire's binary format. Each part of the result is the mean of
  /// its least and its greatest value.
  ///
  /// Returns nil for data in another format, for values that no device has, and for the delay in
  /// the other direction.
  ///
  /// - Parameter isOutput: whether the port delivers sound.
  init?(_ object: RawSpan, isOutput: Bool) {
    guard let size = object.word(at: 0), object.byteCount == Int(size) + 8,
      object.word(at: 4) == UInt32(pipewire_type_object),
      object.word(at: 8) == UInt32(pipewire_object_latency),
      object.word(at: 12) == UInt32(pipewire_latency)
    else { return nil }
    var values = [Double](repeating: 0, count: Self.limits.count)
    var direction: UInt32?
    var position = 16
    while position < object.byteCount {
      guard let key = object.word(at: position), let length = object.word(at: position + 8),
        let type = object.word(at: position + 12)
      else { return nil }
      let value = position + 16
      if key == 1 {
        guard type == UInt32(pipewire_type_id), length == 4 else { return nil }
        direction = object.word(at: value)
      } else if (2...7).contains(key) {
        // Each of the three parts has a least and a greatest value.
        let part = Int(key - 2) / 2
        guard type == Self.types[part], let number = object.number(at: value, type, length),
          abs(number) <= Self.limits[part]
        else { return nil }
        values[part] += number / 2
      }
      position = value + (Int(length) + 7) / 8 * 8
    }
    guard position == object.byteCount, direction == (isOutput ? 1 : 0) else { return nil }
    self.init(cycles: values[0], frames: values[1], nanoseconds: values[2])
  }

  private static let types = [
    UInt32(pipewire_type_float), UInt32(pipewire_type_int), UInt32(pipewire_type_long),
  ]
  /// The largest accepted values: far more than ten seconds.
  private static let limits = [1_000, 1e7, 1e11]
}

extension RawSpan {
  fileprivate func word(at position: Int) -> UInt32? {
    guard position + 4 <= byteCount else { return nil }
    return unsafe unsafeLoadUnaligned(fromByteOffset: position, as: UInt32.self)
  }

  /// Reads a number of one of three types.
  fileprivate func number(at position: Int, _ type: UInt32, _ length: UInt32) -> Double? {
    guard let low = word(at: position) else { return nil }
    switch (Int(type), length) {
    case (Int(pipewire_type_float), 4): return Double(Float(bitPattern: low))
    case (Int(pipewire_type_int), 4): return Double(Int32(bitPattern: low))
    case (Int(pipewire_type_long), 8):
      guard let high = word(at: position + 4) else { return nil }
      return Double(Int64(bitPattern: UInt64(low) | UInt64(high) << 32))
    default: return nil
    }
  }
}
