import Audio
import Synchronization
import Testing

@testable import Devices

/// A capture of built-in devices with one channel each. Only the test advances their clock.
///
/// The frames of `test:ramp` are their numbers, so each sample shows the time of its sound.
final class SteeringBench {
  let clock = StepClock()
  let controls: [FaultySource.Control]
  var capture: SteeredCapture<FaultySource>
  private let devices: [Device]
  private let states: [MemberState]
  private let rates: [SampleRate]
  /// The frames that were read, side by side.
  private(set) var frames: [Float] = []
  /// The silent tracks of each block, with its number of frames.
  private(set) var blocks: [(count: Int, silent: TrackSet)] = []
  /// The tracks whose device was missing.
  private(set) var missing = TrackSet()
  private(set) var lost: FrameCount = 0
  private var room: [Float]

  typealias Device = (wave: Waveform, ppm: Int)

  /// Starts the devices. The first one has the first rate, and all others have the second one, these
  /// steps, and a buffer of this length.
  init(
    _ devices: [Device], _ rate: Int = 2_000, other: Int? = nil,
    period: Duration = .milliseconds(100), steps: FaultySource.Steps? = nil,
    buffer: Duration? = nil
  ) throws {
    let clock = clock
    let rates = try devices.indices.map { index in
      try #require(SampleRate(index == 0 ? rate : other ?? rate))
    }
    let controls = rates.indices.map { index in
      index == 0
        ? FaultySource.Control()
        : FaultySource.Control(
          steps: steps, buffer: buffer.map { FrameCount($0, at: rates[index]) })
    }
    let open = { @Sendable (index: Int) throws -> FaultySource in
      let (wave, ppm) = devices[index]
      let request = DeviceRequest(
        rate: .exactly(rates[index]), channels: .exactly(.mono),
        sample: .exactly(wave == .ramp ? .int16 : .float32), period: period)
      let source = try WaveCapture(
        wave, clockError: ppm, named: "test:", request, clock: clock)
      return FaultySource(source, clock, controls[index])
    }
    let states = devices.map { _ in MemberState() }
    var sources: [QueuedSource<FaultySource>] = []
    for index in devices.indices {
      let source = QueuedSource(
        try open(index), tracks: [index], channels: .mono, state: states[index]
      ) {
        controls[index].isBack.withLock { $0 } ? try? open(index) : nil
      }
      sources.append(source)
    }
    (self.devices, self.controls, self.rates) = (devices, controls, rates)
    self.states = states
    capture = SteeredCapture(
      sources[0], Array(sources.dropFirst()), groups: devices.indices.map { $0..<$0 + 1 })
    room = [Float](repeating: 9, count: 10_000 * devices.count)
    try capture.start()
  }

  /// Returns whether the clock of a device is too far from that of the first device.
  func isBeyondRange(_ device: Int) -> Bool {
    states[device].isBeyondRange.load(ordering: .relaxed)
  }

  /// The number of frames that were read and not forgotten.
  var count: Int { frames.count / devices.count }

  /// Opens the closed devices again, as the capture loop does. Returns whether the first one is back.
  func reopen() -> Bool { capture.reopen { nil } }

  /// Reads as the capture loop does, until the clock has advanced by `duration`.
  func run(_ duration: Duration, every step: Duration? = nil) throws {
    let end = clock.monotonic + duration
    while clock.monotonic < end {
      if let step {
        clock.step(step)
      } else {
        let limit: Duration = blocks.isEmpty ? .milliseconds(5) : .milliseconds(500)
        _ = try capture.wait(upTo: limit, wake: -1)
      }
      try readAll()
    }
  }

  /// Reads all frames that do not have to wait for another device.
  func readAll() throws {
    while true {
      var span = room.mutableSpan
      var bytes = span.mutableBytes
      let read = try capture.read(into: &bytes)
      lost += read.lost
      guard read.count > 0 || read.lost > 0 else { return }
      frames += room[..<(read.count * devices.count)]
      missing.formUnion(read.silent.missing)
      guard read.count > 0 else { continue }
      let silent = read.silent.missing.union(read.silent.interrupted)
      if let last = blocks.last, last.silent == silent {
        blocks[blocks.count - 1].count += read.count
      } else {
        blocks.append((read.count, silent))
      }
    }
  }

  /// Forgets the frames that were read, but not the blocks.
  func forget() { frames.removeAll(keepingCapacity: true) }

  /// Returns the samples of a track.
  func samples(_ track: Int) -> [Float] {
    stride(from: track, to: frames.count, by: devices.count).map { frames[$0] }
  }

  /// The number of frames with exactly these silent tracks.
  func silent(_ tracks: TrackSet) -> Int {
    blocks.filter { $0.silent == tracks }.map(\.count).reduce(0, +)
  }

  /// Returns the greatest distance between the sound of a track and that of the first track in the
  /// frames that were read, in seconds. Both record `test:ramp`. Frames near silence or near the end
  /// of a ramp do not count.
  func offset(of track: Int) -> Double {
    var greatest = 0.0
    var jump = (last: -Self.reach - 1, next: 1)
    for frame in 0..<count {
      while jump.next < count, jump.next <= frame + Self.reach {
        if isJump(jump.next, in: 0) || isJump(jump.next, in: track) { jump.last = jump.next }
        jump.next += 1
      }
      if frame - jump.last > Self.reach {
        greatest = max(greatest, abs(time(of: frame, in: 0) - time(of: frame, in: track)))
      }
    }
    return greatest
  }

  /// The number of frames on both sides of a position that contribute to it.
  private static var reach: Int { 80 }

  /// Returns whether a frame of a track is silent or is not the next one of a ramp.
  private func isJump(_ frame: Int, in track: Int) -> Bool {
    let (former, sample) = (
      frames[(frame - 1) * devices.count + track], frames[frame * devices.count + track]
    )
    return sample == 0 || abs(sample - former) > 1e-3
  }

  /// Returns the time of the sound in a frame of a track. A sample has only the low 16 bits of its
  /// number.
  private func time(of frame: Int, in track: Int) -> Double {
    let sample = Double(frames[frame * devices.count + track]) * 32_768
    let rate = Double(rates[track].hertz) * (1 + Double(devices[track].ppm) / 1e6)
    let start = controls[track].started.withLock { $0 } / .seconds(1)
    let about = clock.monotonic / .seconds(1) - Double(count - frame) / Double(rates[0].hertz)
    let turns = (((about - start) * rate - sample) / 65_536).rounded()
    return start + (sample + turns * 65_536) / rate
  }
}
