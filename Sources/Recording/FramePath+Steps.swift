internal import Audio
internal import RealTime

// Each step takes the buffers that it touches, so that a span of one excludes no other.
extension FramePath where Converter: ~Copyable {
  static func read(
    _ frames: RawSpan, from sample: SampleFormat, times factor: Float, into floats: inout [Float]
  ) {
    var samples = floats.mutableSpan
    SampleConversion(from: sample, to: .float32).convert(frames, into: &samples)
    if factor == 1 { return }
    for index in 0..<(frames.byteCount / sample.bytesPerSample) { samples[index] *= factor }
  }

  static func apply(
    _ map: ChannelMap, to floats: [Float], _ count: Int, into mapped: inout [Float]
  ) {
    var target = mapped.mutableSpan
    map.apply(to: floats.span.extracting(..<count), into: &target)
  }

  /// Gives all of the samples to the converter; its output has room, however large.
  static func resample(
    _ samples: [Float], _ count: Int, _ channels: Int, by converter: inout Converter?,
    _ resampled: inout [Float]
  ) throws(TakeFailure) -> Int {
    var (taken, made) = (0, 0)
    while taken < count {
      let free = resampled.count - made * channels
      let step = try step(
        samples.span.extracting((taken * channels)..<(count * channels)), by: &converter,
        into: &resampled, from: made * channels)
      if step.consumed + step.produced == 0 {
        if free >= blockSize * channels { throw .stuckConverter }
        resampled.append(contentsOf: repeatElement(0, count: resampled.count))
      }
      taken += step.consumed
      made += step.produced
    }
    return made
  }

  private static func step(
    _ samples: Span<Float>, by converter: inout Converter?, into resampled: inout [Float],
    from first: Int
  ) throws(TakeFailure) -> (consumed: Int, produced: Int) {
    var room = resampled.mutableSpan
    var free = room._mutatingExtracting(first...)
    do throws(Converter.Failure) {
      return try converter?.convert(samples, into: &free) ?? (0, 0)
    } catch {
      throw TakeFailure(error)
    }
  }

  static func drain(
    _ converter: inout Converter?, into resampled: inout [Float]
  ) throws(TakeFailure) -> Int {
    var room = resampled.mutableSpan
    do throws(Converter.Failure) {
      return try converter?.drain(into: &room) ?? 0
    } catch {
      throw TakeFailure(error)
    }
  }

  static func convert(
    _ floats: [Float], _ count: Int, to sample: SampleFormat, _ result: inout [UInt8],
    _ noise: inout Dither
  ) {
    var room = result.mutableSpan
    var target = unsafe room.mutableBytes
    SampleConversion(from: .float32, to: sample).convert(
      floats.span.extracting(..<count), into: &target, dithering: &noise)
  }

  static func convert(
    _ frames: RawSpan, by conversion: SampleConversion, _ result: inout [UInt8],
    _ noise: inout Dither
  ) {
    var room = result.mutableSpan
    var target = unsafe room.mutableBytes
    conversion.convert(frames, into: &target, dithering: &noise)
  }

  static func convert(
    _ bytes: [UInt8], _ size: Int, by conversion: SampleConversion, _ result: inout [UInt8],
    _ noise: inout Dither
  ) {
    convert(unsafe bytes.span.bytes.extracting(..<size), by: conversion, &result, &noise)
  }
}

extension ChannelMap {
  func select(from frames: RawSpan, bytesPerSample: Int, into chosen: inout [UInt8]) {
    var room = chosen.mutableSpan
    var target = unsafe room.mutableBytes
    select(from: frames, bytesPerSample: bytesPerSample, into: &target)
  }
}
