/// The pauses between the requests for a link that the server refuses: 1 s at first, then longer.
struct LinkPause: Hashable {
  /// The number of refusals in sequence.
  private var refusals = 0
  /// The time of the next request.
  private(set) var end = Duration.zero

  private static var longest: Duration { .seconds(30) }

  /// Counts a refusal, and sets the time of the next request.
  mutating func begin(at now: Duration) {
    end = now + min(.seconds(1 << min(refusals, 10)), Self.longest)
    refusals += 1
  }
}
