import Audio
import RealTime

/// Returns the bytes of values as they are in memory.
func bytes<Value: BitwiseCopyable>(_ values: [Value]) -> [UInt8] {
  values.withUnsafeBytes { Array($0) }
}

/// Returns the values that are stored in bytes.
func values<Value: BitwiseCopyable>(_ bytes: [UInt8], as type: Value.Type = Value.self) -> [Value] {
  bytes.withUnsafeBytes { raw in
    (0..<raw.count / MemoryLayout<Value>.size).map {
      raw.loadUnaligned(fromByteOffset: $0 * MemoryLayout<Value>.size, as: type)
    }
  }
}

/// Returns the result of converting bytes. The spans begin at an odd address if `isOdd` is true.
func converted(
  _ input: [UInt8], from source: SampleFormat, to target: SampleFormat, isOdd: Bool = false,
  dither: Dither? = nil
) -> [UInt8] {
  let conversion = SampleConversion(from: source, to: target)
  let (shift, count) = (isOdd ? 1 : 0, input.count / source.bytesPerSample)
  let shifted = [UInt8](repeating: 0, count: shift) + input
  var output = [UInt8](repeating: 0, count: shift + count * target.bytesPerSample)
  var span = output.mutableSpan
  var all = span.mutableBytes
  var room = all._mutatingExtracting(droppingFirst: shift)
  let samples = shifted.span.bytes.extracting(shift..<shifted.count)
  if var dither {
    conversion.convert(samples, into: &room, dithering: &dither)
  } else {
    conversion.convert(samples, into: &room)
  }
  return Array(output[shift...])
}
