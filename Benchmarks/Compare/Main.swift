internal import Glibc

/// Reads comparisons from standard input, measures each, and fails if one exceeds its limit.
@main
enum Main {
  static func main() {
    var allHold = true
    while let line = readLine() {
      guard !line.isEmpty, !line.hasPrefix("#") else { continue }
      guard let comparison = Comparison(line) else { stop("not ‘RATIO COMMAND : PEER’: \(line)") }
      do throws(FailedCommand) {
        let holds = try comparison.holds(withinTries: 3)
        allHold = allHold && holds
      } catch {
        stop("\(error)")
      }
    }
    exit(allHold ? 0 : 1)
  }

  static func stop(_ message: String) -> Never {
    print("compare: \(message)")
    exit(2)
  }
}
