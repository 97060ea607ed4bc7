import Foundation
import Support
import Testing

@Suite("Broken sound files", .timeLimit(.minutes(20)))
struct BrokenFileTests {
  /// What may be in memory of whoever touches such a file.
  private static let most = 64 << 10

  private func broken() throws -> [(name: String, bytes: [UInt8])] {
    let files = try BrokenFiles.all.get()
    #expect(files.count >= 200, "\(files.count)")
    return files
  }

  private func write(_ files: [(name: String, bytes: [UInt8])], _ theatre: Theatre) throws {
    let directory = theatre.scratch.path("broken")
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    for file in files {
      try Data(file.bytes).write(to: URL(filePath: "\(directory)/\(file.name)"))
    }
  }

  @Test(
    "Each is refused by its decoder with a reason, in little time and memory",
    .requires(tool: "python3"))
  func decoder() throws {
    let theatre = try Theatre()
    let files = try broken()
    try write(files, theatre)
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Torture/decode.py").path
    let outcome = try theatre.run(
      "python3 '\(script)' \"$engine\" broken", limit: .seconds(600))
    let results = try parsed(outcome.output)
    #expect(results.count == files.count, "\(outcome.errors)")
    for (name, value) in results.sorted(by: { $0.key < $1.key }) {
      let result = try #require(value as? [String: Any])
      let words = result["words"] as? String ?? ""
      #expect(result["code"] as? Int == 16 && !words.isEmpty, "\(name): \(result)")
      #expect(!words.contains("\n"), "\(name): \(words)")
      #expect(result["memory"] as? Int ?? .max < Self.most, "\(name): \(result)")
    }
    let memory = results.values.compactMap { ($0 as? [String: Any])?["memory"] as? Int }.max() ?? 0
    print("\(files.count) broken files; the largest decoder had \(memory) kB")
  }

  @Test("A play of each exits with 16 and says one line, and nothing is heard")
  func player() throws {
    let theatre = try Theatre()
    let files = try broken().enumerated().filter { isThorough || $0.offset % 6 == 0 }
    try write(files.map(\.element), theatre)
    try theatre.useTape()
    let outcome = try theatre.run(
      """
      export ALSA_CONFIG_PATH="$HOME/asound.conf" device=tape
      for file in broken/*; do
        play "./$file" > said 2> why; code=$?
        [ $code = 16 ] && [ "$(wc -l < why)" = 1 ] && [ ! -s said ] || { echo "$file: $code"; cat said why; }
      done
      """, limit: .seconds(900))
    #expect(outcome.output == "" && outcome.errors == "", "\(outcome)")
    let player = try #require(theatre.studio.processes().first)
    let memory = try theatre.run("awk '/VmHWM/ { print $2 }' /proc/\(player)/status").output
    #expect(Int(memory.dropLast()) ?? .max < Self.most, "\(memory)")
    theatre.endPlayer()
    let tape = (try? theatre.scratch.read("tape.raw")) ?? []
    #expect(tape.allSatisfy { $0 == 0 })
    print("\(files.count) plays of broken files; the player had \(memory.dropLast()) kB")
  }

  @Test("Info says of each what it holds or why it cannot be read", arguments: ["", "--levels"])
  func info(option: String) throws {
    let theatre = try Theatre()
    let files = try broken()
    try write(files, theatre)
    let outcome = try theatre.run(
      "ulimit -v 2000000; \"$recorder\" info --json \(option) broken/*", limit: .seconds(120))
    #expect(outcome.code == 16, "\(outcome.errors.suffix(1_000))")
    let told = try parsed(outcome.output)["files"] as? [[String: Any]] ?? []
    #expect(told.count == files.count)
    let refused = told.filter { $0["exitCode"] as? Int == 16 }
    #expect(refused.count > files.count / 2)
    // libmpg123 writes notes of its own between them.
    let words = outcome.errors.split(separator: "\n").filter {
      $0.hasPrefix("recorder: cannot read")
    }
    #expect(words.count == refused.count)
  }
}
