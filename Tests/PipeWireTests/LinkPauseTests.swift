import Testing

@testable import PipeWire

@Suite("The pause after a refused link")
struct LinkPauseTests {
  @Test("doubles from 1 s to 30 s")
  func lengths() {
    var pause = LinkPause()
    let lengths = (0..<70).map { attempt -> Duration in
      let now = Duration.seconds(1_000 * attempt)
      pause.begin(at: now)
      return pause.end - now
    }
    #expect(Array(lengths.prefix(7)) == [1, 2, 4, 8, 16, 30, 30].map { Duration.seconds($0) })
    #expect(lengths.dropFirst(7).allSatisfy { $0 == .seconds(30) })
  }
}
