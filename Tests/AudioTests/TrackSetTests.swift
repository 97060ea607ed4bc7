import Audio
import Support
import Testing

@Suite("A set of tracks")
struct TrackSetTests {
  @Test("has the same members as a set of their indices")
  func members() {
    var random = SeededGenerator(seed: 5)
    func indices() -> Set<Int> {
      Set((0..<Track.mostTracks).filter { _ in Bool.random(using: &random) })
    }
    for _ in 0..<100 {
      let (left, right) = (indices(), indices())
      let (first, second) = (TrackSet(Array(left)), TrackSet(Array(right)))
      var sum = first
      sum.formUnion(second)
      let results = [
        (sum, left.union(right)), (first.union(second), left.union(right)),
        (first.intersection(second), left.intersection(right)),
        (first.subtracting(second), left.subtracting(right)),
      ]
      for (set, expected) in results {
        #expect((0..<Track.mostTracks).allSatisfy { set.contains($0) == expected.contains($0) })
        #expect(set.isEmpty == expected.isEmpty)
      }
      #expect((first == second) == (left == right))
    }
    #expect(TrackSet().isEmpty && !TrackSet(index: Track.mostTracks - 1).isEmpty)
  }
}
