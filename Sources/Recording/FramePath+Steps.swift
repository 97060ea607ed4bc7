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

  static func resample(
    _ samples: [Float], _ count: Int, _ channels: Int, by converter: inout Converter?,
    _ resampled: inout [Float]
  ) throws(Converter.Failure) -> Int {
    var (taken, made) = (0, 0)
    var room = resampled.mutableSpan
    while taken < count {
      let rest = samples.span.extracting((taken * channels)..<(count * channels))
      var free = room._mutatingExtracting((made * channels)...)
      guard let step = try converter?.convert(rest, into: &free),
        step.consumed + step.produced > 0
      else { break }
      taken += step.consumed
      made += step.produced
    }
    return made
  }

  static func drain(
    _ converter: inout Converter?, into resampled: inout [Float]
  ) throws(Converter.Failure) -> Int {
    var room = resampled.mutableSpan
    return try converter?.drain(into: &room) ?? 0
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
