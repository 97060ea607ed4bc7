/// A command, its peer, and the highest allowed ratio of their times.
struct Comparison {
  let limit: Double
  let command: Command
  let peer: Command

  /// Parses `RATIO COMMAND : PEER`. Returns nil if the line has another form.
  init?(_ line: String) {
    let words = line.split(separator: " ").map(String.init)
    guard let colon = words.firstIndex(of: ":"), colon > 1, colon + 1 < words.count,
      let limit = Double(words[0])
    else { return nil }
    self.limit = limit
    command = Command(Array(words[1..<colon]))
    peer = Command(Array(words[(colon + 1)...]))
  }

  /// Returns whether the ratio stays within the limit. On a machine that is busy with other work,
  /// several tries are made and the best one counts.
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
