internal import Audio

/// The choice of the value nearest to a wish among those a device has; pure, so that tables test it.
enum Choice {
  /// The least that carries all of `wish`, else the most there is; nil where there is nothing.
  static func nearest<Value: Comparable>(to wish: Value, in able: [Value]) -> Value? {
    able.filter { $0 >= wish }.min() ?? able.max()
  }

  /// The format itself, else the narrowest that carries its bits, whole numbers before floats, else the widest.
  static func nearest(to wish: SampleFormat, in able: [SampleFormat]) -> SampleFormat? {
    if able.contains(wish) { return wish }
    let carrying = able.filter { $0.significantBits >= wish.significantBits }
    return carrying.min(by: isNarrower) ?? able.max(by: isNarrower)
  }

  private static func isNarrower(_ left: SampleFormat, _ right: SampleFormat) -> Bool {
    cost(left) < cost(right)
  }

  private static func cost(_ format: SampleFormat) -> (Int, Int, Int) {
    (format.significantBits, format.isFloat ? 1 : 0, format.bytesPerSample)
  }

  /// A buffer and the wake within it: the wishes, else the largest up to 2 s, woken each 100 ms or four times a buffer.
  static func buffering(
    for request: DeviceRequest, at rate: SampleRate, largest: FrameCount
  ) -> (period: FrameCount, buffer: FrameCount) {
    let wished = FrameCount(request.buffer ?? .seconds(2), at: rate)
    let buffer = max(2, min(wished, largest))
    let pace = FrameCount(request.period ?? .milliseconds(100), at: rate)
    let most = FrameCount(request.period == nil ? buffer.value / 4 : buffer.value / 2)
    return (max(1, min(pace, most)), buffer)
  }
}
