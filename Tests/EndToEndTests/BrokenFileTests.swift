import Foundation
import Support
import Testing

@Suite("Broken sound files", .timeLimit(.minutes(20)))
struct BrokenFileTests {
  /// The largest memory of a process that reads a broken file, in KiB.
  private static let most = 64 << 10

  private func broken() throws -> [(name: String, bytes: [UInt8])] {
    let files = try BrokenFiles.all.get().files
    #expect(files.count >= 140, "\(files.count)")
    return files
  }

  /// Decodes each file of the directory `broken` as the player does, and returns the results by
  /// file name.
  private func decoded(_ theatre: Theatre) throws -> [String: [String: Any]] {
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Torture/decode.py").path
    let outcome = try theatre.run(
      "python3 '\(script)' \"$recorder\" broken", limit: .seconds(600))
    return try parsed(outcome.output).compactMapValues { $0 as? [String: Any] }
  }

  @Test(
    "A file that ends early is decoded as far as it goes, or refused if that is nowhere",
    .requires(tool: "python3"))
  func cutShort() throws {
    let theatre = try Theatre()
    let files = try BrokenFiles.all.get().cutShort
    try write(files, theatre)
    let results = try decoded(theatre)
    #expect(results.count == files.count && files.count >= 60, "\(files.count)")
    var played = 0
    for (name, result) in results {
      let (words, bytes) = (result["words"] as? String ?? "", result["bytes"] as? Int ?? 0)
      let isPlayed =
        result["code"] as? Int == 0 && words.hasPrefix(#"{"flaw":{"cutShort":true"#) && bytes > 8
      let isRefused =
        result["code"] as? Int == 16 && words.hasPrefix(#"{"problem":"#) && bytes == 0
      #expect(isPlayed || isRefused, "\(name): \(result)")
      #expect(result["memory"] as? Int ?? .max < Self.most, "\(name): \(result)")
      if isPlayed { played += 1 }
    }
    #expect(played > files.count * 3 / 4, "\(played) of \(files.count)")
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
    let results = try decoded(theatre)
    #expect(results.count == files.count)
    for (name, result) in results.sorted(by: { $0.key < $1.key }) {
      let words = result["words"] as? String ?? ""
      #expect(result["code"] as? Int == 16 && !words.isEmpty, "\(name): \(result)")
      #expect(words.split(separator: "\n").count <= 2, "\(name): \(words)")
      #expect(result["memory"] as? Int ?? .max < Self.most, "\(name): \(result)")
    }
    let memory = results.values.compactMap { $0["memory"] as? Int }.max() ?? 0
    print("\(files.count) broken files; the largest decoder had \(memory) kB")
  }

  @Test("Playing a broken file exits with 16, prints one fault and plays nothing")
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
        lines=$(grep -vc 'if these are raw samples' why)
        [ $code = 16 ] && [ "$lines" = 1 ] && [ ! -s said ] || { echo "$file: $code"; cat said why; }
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

  @Test("info reports the content or the fault of each broken file", arguments: ["", "--levels"])
  func info(option: String) throws {
    let theatre = try Theatre()
    let files = try broken()
    try write(files, theatre)
    let outcome = try theatre.run(
      "ulimit -v 2000000; \"$recorder\" info --json \(option) broken/*", limit: .seconds(120))
    #expect(outcome.code == 16, "\(outcome.errors.suffix(1_000))")
    let told = try parsed(outcome.output)["files"] as? [[String: Any]] ?? []
    #expect(told.count == files.count)
    let refused = told.filter { $0["exit"] as? Int == 16 }
    #expect(refused.count > files.count / 2)
    // libmpg123 prints lines of its own between these.
    let words = outcome.errors.split(separator: "\n").filter {
      $0.hasPrefix("recorder: cannot read")
    }
    #expect(words.count == refused.count)
  }
}
