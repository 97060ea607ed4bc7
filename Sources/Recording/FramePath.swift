package import Audio
internal import RealTime

/// The changes to frames between the device and the file.
package struct FrameChanges: Hashable, Sendable {
  /// The channels of the device to keep, counted from 0, or empty for all.
  package var selection: [Int] = []
  /// The groups of channels to mix, or empty to mix none.
  package var mix: [Range<Int>] = []
  /// The gain for all channels. 0 dB does not change samples.
  package var gain: Decibels = .fullScale

  /// Changes of the channels and the gain. The defaults change nothing.
  package init(selection: [Int] = [], mix: [Range<Int>] = [], gain: Decibels = .fullScale) {
    self.selection = selection
    self.mix = mix
    self.gain = gain
  }
}

/// The conversion of frames from the device's format to the file's. Samples stay integers if
/// possible. Otherwise they are converted to floats.
struct FramePath<Converter: RateConverter & ~Copyable>: ~Copyable {
  private let input: StreamFormat
  private let output: StreamFormat
  private let map: ChannelMap?
  private let factor: Float
  /// Whether the file gets the device's frames unchanged and without a copy.
  private let isUnchanged: Bool
  private var converter: Converter?
  private var noise: Dither
  private var floats: [Float]
  private var mapped: [Float]
  private var resampled: [Float]
  private var selected: [UInt8]
  private var result: [UInt8]

  /// The number of frames to convert at a time.
  static var blockSize: Int { 4096 }
  /// The number of bytes to pass on at a time if nothing is converted.
  private static var mostUnchanged: Int { 1 << 17 }

  init(
    from input: StreamFormat, to output: StreamFormat, _ changes: FrameChanges,
    converter: consuming Converter?, seed: UInt64
  ) {
    let map = Self.map(from: input.channels, to: output.channels, changes)
    let factor = Float(changes.gain.amplitude)
    // A rate converter can produce more frames than it gets, and keeps frames for the next call.
    let ratio = Double(output.rate.hertz) / Double(input.rate.hertz)
    let most = Int(Double(Self.blockSize) * max(1, ratio)) + Self.blockSize
    let isDirect = Self.isDirect(factor, map, converts: converter != nil)
    let isUnchanged = isDirect && map == nil && input.sample == output.sample
    // The buffers have the same size, because they are swapped if a step has nothing to do. Buffers
    // that are not used stay empty to save memory.
    let room = isDirect ? 0 : most * max(input.channels, output.channels).value
    self.input = input
    self.output = output
    self.map = map
    self.factor = factor
    self.isUnchanged = isUnchanged
    noise = Dither(seed: seed)
    floats = Array(repeating: 0, count: room)
    mapped = Array(repeating: 0, count: room)
    resampled = Array(repeating: 0, count: room)
    let chosen = isDirect && map != nil ? Self.blockSize * output.channels.value : 0
    selected = Array(repeating: 0, count: chosen * input.sample.bytesPerSample)
    result = Array(repeating: 0, count: isUnchanged ? 0 : most * output.bytesPerFrame)
    self.converter = consume converter
  }

  private static func map(
    from input: ChannelCount, to output: ChannelCount, _ changes: FrameChanges
  ) -> ChannelMap? {
    if !changes.mix.isEmpty { return ChannelMap(mixing: changes.mix, of: input, to: output) }
    if changes.selection.isEmpty {
      return input == output ? nil : ChannelMap(from: input, to: output)
    }
    let chosen = ChannelMap(selecting: changes.selection, of: input)
    precondition(chosen?.targets == output, "the selection is not the file's channels")
    return chosen
  }

  /// Whether the values of samples stay the same, so that all of their bits can be kept.
  private var isDirect: Bool { Self.isDirect(factor, map, converts: converter != nil) }

  private static func isDirect(_ factor: Float, _ map: ChannelMap?, converts: Bool) -> Bool {
    factor == 1 && !converts && (map?.isSelection ?? true)
  }

  /// The maximum number of frames for one call of `change`.
  var longest: Int {
    isUnchanged ? max(Self.blockSize, Self.mostUnchanged / input.bytesPerFrame) : Self.blockSize
  }

  /// Converts at most `longest` frames. The result is valid until the next call, and only while
  /// `frames` is valid.
  @_lifetime(&self, copy frames)
  mutating func change(_ frames: RawSpan) throws(TakeFailure) -> RawSpan {
    if isUnchanged { return frames }
    let made = isDirect ? changeDirectly(frames) : try changeAsFloats(frames)
    return unsafe result.span.bytes.extracting(..<(made * output.bytesPerFrame))
  }

  /// Returns the frames that the rate converter still holds at the end, one block per call. Returns
  /// an empty span if none remain.
  @_lifetime(&self)
  mutating func drain() throws(TakeFailure) -> RawSpan {
    let made = try Self.drain(&converter, into: &resampled)
    makeRoom(made)
    Self.convert(resampled, made * output.channels.value, to: output.sample, &result, &noise)
    return unsafe result.span.bytes.extracting(..<(made * output.bytesPerFrame))
  }

  private mutating func changeDirectly(_ frames: RawSpan) -> Int {
    let conversion = SampleConversion(from: input.sample, to: output.sample)
    let count = frames.byteCount / input.bytesPerFrame
    if let map {
      map.select(from: frames, bytesPerSample: input.sample.bytesPerSample, into: &selected)
      let size = count * output.channels.value * input.sample.bytesPerSample
      Self.convert(selected, size, by: conversion, &result, &noise)
    } else {
      Self.convert(frames, by: conversion, &result, &noise)
    }
    return count
  }

  private mutating func changeAsFloats(_ frames: RawSpan) throws(TakeFailure) -> Int {
    let count = frames.byteCount / input.bytesPerFrame
    Self.read(frames, from: input.sample, times: factor, into: &floats)
    if let map {
      Self.apply(map, to: floats, count * input.channels.value, into: &mapped)
    } else {
      swap(&floats, &mapped)
    }
    var made = count
    if converter == nil {
      swap(&mapped, &resampled)
    } else {
      made = try Self.resample(mapped, count, output.channels.value, by: &converter, &resampled)
      makeRoom(made)
    }
    Self.convert(resampled, made * output.channels.value, to: output.sample, &result, &noise)
    return made
  }

  private mutating func makeRoom(_ frames: Int) {
    let missing = frames * output.bytesPerFrame - result.count
    if missing > 0 { result.append(contentsOf: repeatElement(0, count: missing)) }
  }
}

// Each step takes only the buffers that it uses, so that a span of one buffer does not block access
// to the others.
extension FramePath where Converter: ~Copyable {
  private static func read(
    _ frames: RawSpan, from sample: SampleFormat, times factor: Float, into floats: inout [Float]
  ) {
    var samples = floats.mutableSpan
    SampleConversion(from: sample, to: .float32).convert(frames, into: &samples)
    if factor == 1 { return }
    for index in 0..<(frames.byteCount / sample.bytesPerSample) { samples[index] *= factor }
  }

  private static func apply(
    _ map: ChannelMap, to floats: [Float], _ count: Int, into mapped: inout [Float]
  ) {
    var target = mapped.mutableSpan
    map.apply(to: floats.span.extracting(..<count), into: &target)
  }

  /// Passes all samples to the converter. `resampled` grows if necessary.
  private static func resample(
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
  fileprivate func select(from frames: RawSpan, bytesPerSample: Int, into chosen: inout [UInt8]) {
    var room = chosen.mutableSpan
    var target = unsafe room.mutableBytes
    select(from: frames, bytesPerSample: bytesPerSample, into: &target)
  }
}

/// A conversion of frames for a listener of a take. The listener needs another format than the
/// file.
package struct FrameConversion<Converter: RateConverter & ~Copyable>: ~Copyable {
  private var path: FramePath<Converter>
  private let bytesPerFrame: Int

  /// Creates a conversion.
  ///
  /// - Parameter converter: a converter between the two rates, or nil if they are equal.
  package init(from input: StreamFormat, to output: StreamFormat, converter: consuming Converter?) {
    bytesPerFrame = input.bytesPerFrame
    path = FramePath(from: input, to: output, FrameChanges(), converter: converter, seed: 1)
  }

  /// Returns the bytes of the converted frames. A rate converter keeps the last frames for the next
  /// call.
  package mutating func convert(_ frames: RawSpan) throws -> [UInt8] {
    var result: [UInt8] = []
    let step = path.longest * bytesPerFrame
    for first in stride(from: 0, to: frames.byteCount, by: step) {
      let converted = try path.change(
        frames.extracting(first..<min(first + step, frames.byteCount)))
      unsafe converted.withUnsafeBytes { unsafe result.append(contentsOf: $0) }
    }
    return result
  }

  /// Returns the bytes of the frames that the rate converter still holds.
  package mutating func drain() throws -> [UInt8] {
    var result: [UInt8] = []
    while true {
      let converted = try path.drain()
      if converted.byteCount == 0 { return result }
      unsafe converted.withUnsafeBytes { unsafe result.append(contentsOf: $0) }
    }
  }
}
