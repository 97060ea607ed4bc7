import Foundation
import Support
import Testing

@Suite("Commands that run at the same time", .timeLimit(.minutes(20)))
struct ConcurrentCommandsTests {
  @Test(
    "list each file once while takes end, die and are recovered",
    arguments: 0..<(isThorough ? 15 : 3)
  )
  func listed(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let studio = try Studio()
    for round in 1...5 {
      let name = "take\(round)"
      let process = try studio.start("--name \(name) \(name).wav")
      let ends = [
        "kill -KILL \(process)", "kill -TERM \(process)", "\"$recorder\" stop \(name) > said", ":",
      ]
      let end = ends.randomElement(using: &random) ?? ":"
      let kinds = ["takes", "takes", "recover", "stop \(name)", "wait \(name)"]
      // The last one ends a take that nothing else has ended.
      let commands =
        (0..<7).compactMap { _ in kinds.randomElement(using: &random) } + ["stop \(name)"]
      let script = commands.enumerated().map { index, command in
        "{ \"$recorder\" \(command) --json > out\(index) 2> errors\(index); echo $? > code\(index); } &"
      }
      let outcome = try studio.run(
        """
        captured 0.3 \(name); \(end) &
        \(script.joined(separator: "\n"))
        wait; "$recorder" recover > said; "$recorder" takes --json > last; ls *.wav; cat code*
        """)
      let lines = outcome.output.split(separator: "\n").map(String.init)
      let codes = lines.filter { !$0.hasSuffix(".wav") }.compactMap { Int($0) }
      #expect(codes.count == commands.count && codes.allSatisfy { $0 < 100 }, "\(outcome)")
      for (index, command) in commands.enumerated() where command == "takes" {
        let listed = try paths(in: "out\(index)", of: studio)
        #expect(Set(listed).count == listed.count, "\(commands): \(listed)")
      }
      let files = lines.filter { $0.hasSuffix(".wav") }
      #expect(files.count == round, "\(commands): \(outcome)")
      let expected = files.map { studio.scratch.path($0) }
      #expect(try paths(in: "last", of: studio).sorted() == expected.sorted(), "\(commands)")
    }
  }

  private func paths(in output: String, of studio: Studio) throws -> [String] {
    let text = String(decoding: try studio.scratch.read(output), as: UTF8.self)
    let takes = try #require(try parsed(text)["takes"] as? [[String: Any]], "\(text)")
    return takes.compactMap { $0["path"] as? String }
  }
}
