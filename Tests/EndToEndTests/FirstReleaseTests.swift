import Foundation
import Support
import Testing

/// The files that the first release left, made by Tests/Fixtures/first-release/make.
@Suite("A home of the first release", .timeLimit(.minutes(10)))
struct FirstReleaseTests {
  /// A home with those files in it.
  private func home() throws -> Theatre {
    let theatre = try Theatre()
    let fixture = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/first-release/home").path
    let copied = try theatre.run(
      """
      cp -r '\(fixture)/.' . && chmod -R go-rwx . && mkdir -p .local/state/recorder/ending
      grep -rlIZ --exclude='*.part' @HOME@ . | xargs -0 sed -i "s|@HOME@|$HOME|g"
      python3 - <<'END'
      # A checkout gives files a time of its own; a take's is that of its end.
      import datetime, json, os
      for line in open(".local/state/recorder/takes.jsonl"):
        take = json.loads(line)
        began = datetime.datetime.fromisoformat(take["began"].replace("Z", "+00:00")).timestamp()
        if os.path.exists(take["path"]):
          os.utime(take["path"], (began + take["duration"],) * 2)
      END
      """)
    try #require(copied.code == 0, "\(copied)")
    return theatre
  }

  /// Binds the decisions to this machine and this user, as if they had been made here.
  private let here = """
    cd .local/state/recorder
    identity=$(cat /etc/machine-id 2> /dev/null || true); machine=none
    if [ -n "$identity" ]; then
      machine=$(printf 'recorder permission store 1\\n%s' "$identity" | sha256sum | cut -d' ' -f1)
    fi
    tail -n +2 permissions.json > body
    sed -i "s/\\"uid\\":[0-9]*/\\"uid\\":$(id -u)/; s/\\"machine\\":\\"[0-9a-f]*/\\"machine\\":\\"$machine/" body
    { echo "sha256 $(sha256sum < body | cut -d' ' -f1)"; cat body; } > permissions.json
    rm body; cd "$HOME"

    """

  @Test("Its takes are listed, and those of them that are gone are said to be")
  func lists() throws {
    let outcome = try home().run("\"$recorder\" takes; \"$recorder\" wait told | head -n 1")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count == 9 && lines[8].hasPrefix("Saved"), "\(outcome)")
    #expect(lines.filter { $0.hasSuffix("(not there any more)") }.count == 2, "\(outcome)")
  }

  @Test("Its interrupted recordings are known and recovered, with their marks")
  func recovers() throws {
    let theatre = try home()
    let names = ["flac", "opus", "raw", "twice", "wav"]
    let status = try parsed(try theatre.run("\"$recorder\" status --json").output)
    let interrupted = status["interrupted"] as? [[String: Any]] ?? []
    #expect(interrupted.compactMap { $0["name"] as? String }.sorted() == names)
    #expect((status["elsewhere"] as? [Any])?.isEmpty == true)
    let recovered = try parsed(try theatre.run("\"$recorder\" recover --json").output)
    let takes = recovered["recovered"] as? [[String: Any]] ?? []
    #expect(takes.compactMap { $0["name"] as? String }.sorted() == names, "\(recovered)")
    for take in takes {
      #expect((take["duration"] as? Double ?? 0) > 0.4, "\(take)")
      #expect(take["marks"] as? Int == (take["name"] as? String == "twice" ? 0 : 1), "\(take)")
    }
    let after = try theatre.run(
      "\"$recorder\" status | head -n 1; \"$recorder\" takes | wc -l; ls -A | grep part")
    #expect(after.output == "Nothing is being recorded.\n13\n", "\(after)")
  }

  @Test("Its series goes on, and its old files are deleted as they would have been")
  func prunes() throws {
    let outcome = try home().run(
      here + """
        "$recorder" start -q --device test:tone --rate 8000 --channels 1 --name series --split 1s --keep 2 \
          --duration 1s series.wav > /dev/null && "$recorder" wait series > /dev/null; ls series*
        """)
    #expect(outcome.output == "series-005.wav\nseries-006.wav\n", "\(outcome)")
  }

  @Test("Its decisions are obeyed: a no everywhere, a grant where it was given")
  func obeys() throws {
    let asked =
      "for name in '' '--as dictation' '--as spy'; do\n"
      + "\"$recorder\" permission status $name > /dev/null; echo $?; done\n"
    let outcome = try home().run(asked + here + asked)
    #expect(outcome.output.hasSuffix("21\n0\n0\n21\n"), "\(outcome)")
  }

  @Test("Its volumes, mutes and sounds are known")
  func sounds() throws {
    let theatre = try home()
    let outcome = try theatre.run(
      "play done --json | grep -c muted; play bark; sound status --json | grep -c '\"volume\":0.25'"
    )
    #expect(outcome.output == "1\n1\n", "\(outcome)")
  }
}
