import Foundation
import Support
import Testing

/// One long run of the shipped programs. A card overruns, is removed and comes back, and a hook
/// hangs.
///
/// The test starts a machine itself. So it runs outside of a machine, unlike the other tests in
/// this directory.
@Suite(
  "A logger that splits by the clock", .requires("RECORDER_SOAK"), .serialized,
  .timeLimit(.minutes(60)))
struct SoakTests {
  private static let run = Result { try Soak() }
  private let soak: Soak

  init() throws { soak = try Self.run.get() }

  @Test("begins each file at the full hour, except the first and one that was split by hand")
  func hours() throws {
    let cuts = soak.takes.filter { $0.segment != 1 && $0.segment != 3 }
    #expect(cuts.count == soak.count)
    for take in cuts {
      let late = try take.begin.remainder(dividingBy: Double(soak.every)) * Double(Soak.rate)
      #expect(abs(late) < 1.5, "file \(take.segment) begins \(late) frames after the hour")
    }
  }

  @Test("has every frame of its running time in one file, captured or counted as lost")
  func accounting() throws {
    let total = try #require(soak.result.total)
    #expect(soak.result.reason == "stopped" && soak.said.numbers("code") == [14])
    #expect(soak.takes.map(\.segment) == Array(1...(soak.count + 2)))
    #expect(total.files == soak.takes.count)
    for take in soak.takes {
      #expect(take.frames.captured + take.frames.lost == take.frames.elapsed)
      #expect(take.frames.onDisk == take.frames.elapsed)
      #expect(take.gaps.reduce(0) { $0 + $1.length } == take.frames.lost)
    }
    #expect(total.frames.elapsed == soak.takes.reduce(0) { $0 + $1.frames.elapsed })
    #expect(total.frames.lost == soak.takes.reduce(0) { $0 + $1.frames.lost })
    for (take, next) in zip(soak.takes, soak.takes.dropFirst()) {
      let apart = try (next.begin - take.begin) * Double(Soak.rate) - Double(take.frames.elapsed)
      // The start of the first file is the time of its request. The other starts follow from the
      // positions of their first frames.
      #expect(
        abs(apart) < (take.segment == 1 ? 800 : 4),
        "file \(next.segment) begins \(apart) frames after the one before")
    }
    let (least, most) = (try between("begun", "latest"), try between("asked", "ended"))
    let ran = total.frames.elapsed * 1_000 / Soak.rate
    print("\(ran) ms in \(total.files) files, of \(least) to \(most) ms that it ran")
    #expect((least - 20...most + 20).contains(ran))
  }

  @Test("counts a stop of ten seconds, less the buffer, and a card that was away for five")
  func gaps() throws {
    let gaps = soak.takes.flatMap(\.gaps)
    print("gaps: \(gaps.map { "\($0.cause) \(Double($0.length) / Double(Soak.rate)) s" })")
    #expect(gaps.map(\.cause) == ["overrun", "disconnected"])
    let seconds = gaps.map { $0.length / Soak.rate }
    #expect((6...8).contains(try #require(seconds.first)))
    #expect((5...8).contains(try #require(seconds.last)))
  }

  @Test("keeps the last files complete, and deletes the older ones")
  func keeping() {
    let kept = soak.takes.suffix(soak.kept)
    #expect(soak.takes.filter { $0.exists == true }.map(\.segment) == kept.map(\.segment))
    #expect(Set(soak.files.map { "/home/" + $0.path }) == Set(kept.map(\.path)))
    for take in kept {
      let file = soak.files.first { take.path.hasSuffix($0.path) }
      #expect(file?.frames == take.frames.elapsed)
    }
  }

  @Test("uses a constant amount of memory and open files")
  func memory() throws {
    let held = soak.said.numbers("holds")
    let memory = stride(from: 0, to: held.count, by: 2).map { held[$0] }
    let files = stride(from: 1, to: held.count, by: 2).map { held[$0] }
    print("memory in kB: \(memory), open files: \(files)")
    #expect(memory.count == soak.count - 1)
    // In the third hour the card was away. So by the end of that hour each part of the program has
    // run once.
    #expect(try #require(memory.last) <= #require(memory.dropFirst().first) + 512)
    #expect(Set(files).count == 1)
  }

  @Test("runs its hooks once for each file and at the end, and waits for no hook that hangs")
  func hooks() throws {
    let segments = soak.said.numbers("segment")
    let numbers = stride(from: 0, to: segments.count, by: 2).map { segments[$0] }
    #expect(numbers == Array(1...(soak.count + 2)))
    #expect(soak.said.numbers("stop").first == soak.count + 2)
    #expect(soak.said.numbers("stop").count == 2)
    let hung = soak.said.numbers("hung")
    let began = try #require(segments.dropFirst().first)
    let lasted = try #require(hung.last) - began
    let another = segments[3] - began
    let split = try #require(soak.said.numbers("split").first)
    print("ended after \(lasted) ms; \(another) ms after its begin another ran; split: \(split) ms")
    #expect((58_000...64_000).contains(lasted))
    #expect(another < lasted)
    #expect(split < 2_000)
  }

  private func between(_ first: String, _ second: String) throws -> Int {
    try #require(soak.said.numbers(second).first) - #require(soak.said.numbers(first).first)
  }
}
