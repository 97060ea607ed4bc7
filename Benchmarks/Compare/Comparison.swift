/// A command, its peer, and how much longer than the peer it may take.
struct Comparison {
  let limit: Double
  let command: Command
  let peer: Command

  /// Reads `RATIO COMMAND : PEER`; nil when the line does not say that.
  init?(_ line: String) {
    let words = line.split(separator: " ").map(String.init)
    guard let colon = words.firstIndex(of: ":"), colon > 1, colon + 1 < words.count,
      let limit = Double(words[0])
    else { return nil }
    self.limit = limit
    command = Command(Array(words[1..<colon]))
    peer = Command(Array(words[(colon + 1)...]))
  }

  /// Whether the ratio stays within the limit; a machine that is busy elsewhere gets more than one
  /// try, and the best counts.
  func holds(withinTries tries: Int) throws(FailedCommand) -> Bool {
    for attempt in 1...tries {
      let measured = try Measurement(of: command, against: peer)
      let holds = measured.ratio <= limit
      print("\(command.name), at most \(limit) × \(peer.name): try \(attempt) of \(tries)")
      print("  \(command.name): \(measured.times)")
      print("  \(peer.name): \(measured.peerTimes)")
      print("  ratio of medians \(decimal(measured.ratioOfMedians)),", terminator: " ")
      print("median of paired ratios \(decimal(measured.ratio)): \(holds ? "holds" : "broken")")
      if holds { return true }
    }
    return false
  }
}
