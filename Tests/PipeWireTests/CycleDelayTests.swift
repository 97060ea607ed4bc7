import Audio
import Testing

@testable import PipeWire

@Suite("The sources of a capture")
struct CycleDelayTests {
  private struct Cycle {
    var frames: Int
    /// The source whose sound the driver plays, or nil.
    var late: Int?
    var isNext = true
  }

  /// Runs cycles with two sources of one and of two channels. The samples of each source are the
  /// numbers of the frames, counted from 1.
  private func run(_ cycles: [Cycle]) -> [[Float]] {
    let delay = CycleDelay([1, 2])
    let ports = CycleDelay.Samples.allocate(capacity: 3)
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: 3 * CycleDelay.mostFrames)
    defer {
      ports.deallocate()
      memory.deallocate()
    }
    var found = [[Float]](repeating: [], count: 3)
    var last = (cycle: Cycle(frames: 0), first: 1)
    for cycle in cycles {
      let first = last.first + last.cycle.frames
      for channel in 0..<3 {
        let source = min(channel, 1)
        let port = memory + channel * CycleDelay.mostFrames
        ports[channel] = UnsafePointer(port)
        // None of these samples may be delivered.
        port.initialize(repeating: -1, count: CycleDelay.mostFrames)
        if cycle.late != source {
          for frame in 0..<cycle.frames { port[frame] = Float(first + frame) }
        } else if cycle.isNext, last.cycle.late == source {
          for frame in 0..<last.cycle.frames { port[frame] = Float(last.first + frame) }
        }
      }
      let late = cycle.late.map { TrackSet(index: $0) } ?? TrackSet()
      let former = delay.before(ports, late: late, isNext: cycle.isNext)
      for channel in 0..<3 {
        found[channel] += (0..<delay.frames).map { former[channel]?[$0] ?? 0 }
      }
      delay.keep(ports, cycle.frames)
      last = (cycle, first)
    }
    return found
  }

  private func numbers(_ range: ClosedRange<Int>) -> [Float] { range.map { Float($0) } }
  private func silence(_ count: Int) -> [Float] { Array(repeating: 0, count: count) }

  @Test(
    "Have the same frames while the length of the cycles changes",
    arguments: [nil, 0, 1] as [Int?])
  func lengths(late: Int?) {
    let lengths = [1_024, 256, 256, 8_192, 2_048, 16, 1_024]
    let found = run(lengths.map { Cycle(frames: $0, late: late) })
    let sent = numbers(1...lengths.dropLast().reduce(0, +))
    #expect(found == [sent, sent, sent])
  }

  @Test("Stay aligned if the driver changes: only a sound that never arrives is silent")
  func drivers() {
    let found = run([
      Cycle(frames: 4, late: 0), Cycle(frames: 3, late: 0), Cycle(frames: 5),
      Cycle(frames: 2, late: 1), Cycle(frames: 6, late: 1), Cycle(frames: 1, late: 0),
      Cycle(frames: 8),
    ])
    let first = numbers(1...4) + silence(3) + numbers(8...20) + silence(1)
    let second = numbers(1...14) + silence(6) + numbers(21...21)
    #expect(found == [first, second, second])
  }

  @Test("Stay aligned after a lost cycle, whose sound a late port still delivers")
  func lost() {
    let found = run([
      Cycle(frames: 4, late: 1), Cycle(frames: 3, late: 1),
      Cycle(frames: 5, late: 1, isNext: false), Cycle(frames: 2, late: 1),
    ])
    let second = numbers(1...4) + silence(3) + numbers(8...12)
    #expect(found == [numbers(1...12), second, second])
  }

  @Test("Have lost a sound that never arrives, but none when a source becomes late")
  func lostSounds() {
    let delay = CycleDelay([1, 1])
    let ports = CycleDelay.Samples.allocate(capacity: 2)
    defer { ports.deallocate() }
    ports.initialize(repeating: nil, count: 2)
    let (none, first, second) = (TrackSet(), TrackSet(index: 0), TrackSet(index: 1))
    let cycles: [(late: TrackSet, isNext: Bool, lost: TrackSet)] = [
      (first, false, none), (first, true, none), (none, true, first), (second, true, none),
      (second, false, second), (first, true, second), (TrackSet([0, 1]), true, none),
      (none, true, TrackSet([0, 1])),
    ]
    for (index, cycle) in cycles.enumerated() {
      _ = delay.before(ports, late: cycle.late, isNext: cycle.isNext)
      #expect(delay.lost == cycle.lost, "cycle \(index)")
      delay.keep(ports, 16)
    }
    delay.reset()
    _ = delay.before(ports, late: first, isNext: false)
    #expect(delay.lost.isEmpty)
  }

  @Test("Have no frames before the second cycle, and none of a port without a buffer")
  func first() {
    #expect(run([Cycle(frames: 4)]) == [[], [], []])
    let delay = CycleDelay([1])
    let port = CycleDelay.Samples.allocate(capacity: 1)
    defer { port.deallocate() }
    port.initialize(to: nil)
    delay.keep(port, 3)
    let former = delay.before(port, late: TrackSet(), isNext: true)
    #expect((0..<delay.frames).map { former[0]?[$0] } == [0, 0, 0])
    delay.reset()
    #expect(delay.frames == 0)
  }
}
