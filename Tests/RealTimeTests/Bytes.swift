import Audio
import RealTime

/// The bytes of values as they lie in memory.
func bytes<Value: BitwiseCopyable>(_ values: [Value]) -> [UInt8] {
  values.withUnsafeBytes { Array($0) }
}

/// The values that lie in bytes.
func values<Value: BitwiseCopyable>(_ bytes: [UInt8], as type: Value.Type = Value.self) -> [Value] {
  bytes.withUnsafeBytes { raw in
    (0..<raw.count / MemoryLayout<Value>.size).map {
      raw.loadUnaligned(fromByteOffset: $0 * MemoryLayout<Value>.size, as: type)
    }
  }
}

/// What a conversion makes of bytes; the spans begin at an odd address when `isOdd`.
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
