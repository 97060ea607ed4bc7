import Foundation
import Support
import Testing

@Suite(
  "The page of a take in a browser", .serialized, .requires(tool: "chromium"),
  .timeLimit(.minutes(10)))
struct PageTests {
  @Test("It plays, seeks by clicks, marks and keys, has accessible names, and uses no network")
  func page() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path
    let outcome = try sh("'\(root)/Page/check-page' \"$recorder\"", limit: .seconds(500))
    #expect(outcome.code == 0, "\(outcome)")
    #expect(outcome.output.contains(", 0 faults, "), "\(outcome)")
  }
}
