import Foundation
import Support
import Testing

@Suite("A session that is killed at a certain call", .timeLimit(.minutes(15)))
struct KillTests {
  let studio: Studio

  init() throws { studio = try Studio() }

  /// The seconds between the steps of a take with a mark and a split. They are long enough for
  /// calls of every kind, and in a long run for every call.
  private static let pause = isThorough ? 1.5 : 0.25

  /// Returns a script with a function `take N`, which records under a name of its own into a
  /// directory of its own.
  private func script(_ format: String) -> String {
    """
    pause() { moment \(Self.pause); }
    # A pause and not a number of frames, because the session may be dead already.
    take() {
      mkdir -p $1
      { start -q --name n$1 --split 1h $1/a.\(format); pause
        "$recorder" mark --name n$1 here; "$recorder" split n$1; pause
        "$recorder" stop n$1; } > $1.out 2>&1
    }
    """
  }

  @Test(
    "Its files are readable and follow each other, the list has them all, and no other is left",
    arguments: isThorough ? ["wav", "flac", "opus"] : ["wav"])
  func everywhere(format: String) throws {
    let (killed, last) = try studio.kill(script(format)) { group in
      for number in group { try expectWhole(number, format) }
      try startAgain(group.map(String.init).joined(separator: " "), format)
    }
    print("\(format): killed at \(killed) of \(last) calls")
  }

  /// Expects that every file of a session decodes, that the files follow each other, and that the
  /// list of takes has exactly these files.
  private func expectWhole(_ number: Int, _ format: String) throws {
    let names = try files(number).filter { !$0.hasSuffix(".json") }
    #expect(
      names.allSatisfy { $0.hasPrefix("a") && $0.hasSuffix(".\(format)") }, "\(number): \(names)")
    var next: UInt32 = 0
    let ordered = names.sorted { place($0) < place($1) }
    let all = try studio.decoded(ordered.map { "\(number)/\($0)" })
    for (name, numbers) in zip(ordered, all) {
      #expect(!numbers.isEmpty, "\(number): \(name)")
      if format == "opus" { continue }
      #expect(firstBreak(in: numbers, from: next) == nil, "\(number): \(name)")
      next += UInt32(numbers.count)
    }
    let takes = try studio.json("takes /\(number)/")["takes"] as? [[String: Any]]
    let listed = (takes ?? []).filter { $0["exists"] as? Bool == true }
      .compactMap { ($0["path"] as? String)?.split(separator: "/").last.map(String.init) }
    #expect(listed.sorted() == names.sorted(), "\(number)")
  }

  private func files(_ number: Int) throws -> [String] {
    try studio.run("ls -A \(number)").output.split(separator: "\n").map(String.init)
  }

  /// The index of a file in the take. The second file has 002 in its name, whether it was recovered
  /// or not.
  private func place(_ name: String) -> Int { name.contains("-002") ? 2 : 1 }

  /// Starts the next takes with the same targets, and expects that nothing is left of the takes
  /// before.
  private func startAgain(_ numbers: String, _ format: String) throws {
    let outcome = try studio.run(
      """
      for n in \(numbers); do
        { start -q --name n$n --split 1h $n/a.\(format) && "$recorder" stop n$n; } > $n.out 2>&1 || cat $n.out &
      done; wait
      find . -name '*.tmp' -o -name '*.part' -o -name '*.part.jsonl' -o -path '*/ending/*' -o -path '*/interrupted/*'
      "$recorder" recover; rm -r \(numbers)
      """, limit: .seconds(120))
    #expect(outcome.output == "There is nothing to recover.\n", "\(outcome)")
  }
}

extension Studio {
  /// Kills sessions at their calls that change a file or a name: at every call in a long run,
  /// otherwise at one of six. Then recovers their takes. Returns the numbers of kills and of calls.
  ///
  /// - Parameters:
  ///   - script: a script with a function `take N`, which records under a name of its own into the
  ///     directory N.
  ///   - check: checks the recovered takes, up to twelve at a time.
  func kill(
    _ script: String, _ check: (ArraySlice<Int>) throws -> Void
  ) throws -> (killed: Int, last: Int) {
    let trace = try library("trace")
    let counted = try run(
      """
      \(script); LD_PRELOAD=\(trace) TRACE_IN=session TRACE=$HOME/trace take 0
      grep -a -o -E '(openat|p?write|f(data)?sync|ftruncate|renameat2?|linkat|unlinkat) [0-9]+:[0-9]+ [0-9]+ [0-9]+ ' trace | wc -l
      rm -r 0
      """)
    // The disk is synchronised by time, so the number of calls differs by a few between runs.
    let last = try #require(Int(counted.output.filter(\.isNumber)), "\(counted)") + 4
    // A run tests some of the calls, from a random one on.
    let step = isThorough ? 3 : 6
    let chosen = Array(stride(from: Int.random(in: 1...step), through: last, by: step))
    for first in stride(from: 0, to: chosen.count, by: 12) {
      let group = chosen[first..<min(first + 12, chosen.count)]
      let numbers = group.map(String.init).joined(separator: " ")
      let outcome = try run(
        """
        \(script)
        for n in \(numbers); do LD_PRELOAD=\(trace) TRACE_IN=session KILL=$n take $n & done; wait
        for n in \(numbers); do
          # A session that reported nothing may not have recorded anything yet.
          "$recorder" recover $n > $n.recover 2>&1; code=$?
          [ $code = 0 ] || [ $code = 10 ] || { echo "$n: recover ended with $code"; cat $n.recover; }
        done
        """, limit: .seconds(120))
      #expect(outcome.output == "", "\(outcome)")
      try check(group)
    }
    return (chosen.count, last)
  }
}
