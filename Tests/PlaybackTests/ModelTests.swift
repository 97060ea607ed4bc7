import Audio
import Playback
import Support
import Testing

/// A model of a voice. It computes each frame separately, and allows any number of tails.
private struct Model {
  struct Line {
    var (now, goal, left) = (1.0, 1.0, 0)

    mutating func go(to goal: Double, within frames: Int) {
      (self.goal, left) = (goal, frames)
      if frames == 0 { now = goal }
    }

    mutating func next() -> Double {
      if left > 0 {
        now += (goal - now) / Double(left)
        left -= 1
      }
      return now
    }
  }

  struct Run {
    var frame = 0
    var plays = 0
    var loops = false
    var volume = Line()
    var fade = Line()
    var isHeard = false

    mutating func next(_ length: Int) -> Double? {
      if frame == length {
        if !loops && plays <= 1 { return nil }
        if !loops { plays -= 1 }
        frame = 0
      }
      defer { frame += 1 }
      return Double(Ramp.value(frame)) * volume.next() * fade.next()
    }
  }

  let length: Int
  var state = PlaybackState.playing
  var run = Run(plays: 1)
  var tails: [Run] = []
  var times = 1

  mutating func next() -> Float {
    var sum = 0.0
    for index in tails.indices { sum += tails[index].next(length) ?? 0 }
    tails.removeAll { $0.fade.left == 0 }
    if state == .playing {
      sum += run.next(length) ?? 0
      run.isHeard = true
      if run.frame == length && !run.loops && run.plays <= 1 { state = .ended }
    }
    return Float(sum)
  }

  mutating func leave() {
    guard state == .playing, run.isHeard else { return }
    var tail = run
    tail.fade.go(to: 0, within: Stage.fade)
    tails.append(tail)
    run.isHeard = false
  }

  mutating func begin() {
    run.isHeard = false
    run.fade = Line(now: run.frame == 0 ? 1 : 0, goal: 1, left: run.frame == 0 ? 0 : Stage.fade)
    state = .playing
  }

  mutating func obey(_ command: VoiceCommand) {
    switch command {
    case .play(let options):
      leave()
      times = options.times
      run.loops = options.loops
      run.frame = 0
      run.plays = times
      run.volume.go(to: run.volume.goal, within: 0)
      begin()
    case .replay:
      leave()
      run.frame = 0
      run.plays = times
      begin()
    case .stop where state != .ended: halt(.stopped)
    case .pause where state == .playing: halt(.paused)
    case .resume where state == .stopped || state == .paused:
      if run.plays == 0 { run.plays = times }
      begin()
    case .rewind: jump(to: 0)
    case .seek(let frame): jump(to: min(Int(frame.value), length))
    case .volume(let volume, let frames):
      let frames = max(Stage.fade, Int(frames.value))
      run.volume.go(to: Double(volume), within: state == .playing ? frames : 0)
      for index in tails.indices { tails[index].volume.go(to: Double(volume), within: frames) }
    case .repeats(let more):
      run.loops = more == .max
      times = more == .max ? 1 : more + 1
      if run.plays > 0 { run.plays = times }
    default: break
    }
    if state == .playing && run.frame == length && !run.loops && run.plays <= 1 { end() }
  }

  mutating func end() {
    state = .ended
    run.plays = 0
  }

  mutating func halt(_ state: PlaybackState) {
    leave()
    self.state = state
  }

  mutating func jump(to frame: Int) {
    leave()
    run.frame = frame
    if state == .playing { begin() }
    if state == .ended && frame < length { state = .stopped }
  }
}

@Suite("A voice and its model", .timeLimit(.minutes(10)))
struct ModelTests {
  private func command(_ random: inout SeededGenerator) -> VoiceCommand {
    var options = PlayOptions()
    options.times = Int.random(in: 1...3, using: &random)
    options.loops = Int.random(in: 0..<6, using: &random) == 0
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return .play(options)
    case 1: return .stop
    case 2: return .pause
    case 3: return .resume
    case 4: return .rewind
    case 5: return .replay
    case 6: return .seek(FrameCount(Int.random(in: 0...60, using: &random)))
    case 7:
      return .volume(
        Float.random(in: 0...1, using: &random),
        within: FrameCount(Int.random(in: 0...20, using: &random)))
    default: return .repeats([0, 1, 2, .max].randomElement(using: &random) ?? 0)
    }
  }

  @Test("Any commands at any time have the result of the model", arguments: 0..<20 as Range<UInt64>)
  func commands(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let length = Int.random(in: 1...50, using: &random)
    var stage = try Stage()
    let voice = try stage.table.play(Ramp.sound(length))
    var model = Model(length: length)
    var history: [VoiceCommand] = []
    for step in 0..<500 {
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        let command = command(&random)
        history.append(command)
        try stage.table.send(command, to: voice)
        model.obey(command)
      }
      let heard = stage.play(1)
      let expected = (0..<Stage.fade).map { _ in model.next() }
      if model.state == .ended { model.run.plays = 0 }
      let isSame = zip(heard, expected).allSatisfy { abs($0 - $1) < 1e-5 }
      let state = stage.table.report(of: voice)?.state
      guard isSame, state == model.state else {
        Issue.record(
          "period \(step): \(heard) \(String(describing: state)), not \(expected) \(model.state), after \(history.suffix(6))"
        )
        return
      }
    }
  }
}
