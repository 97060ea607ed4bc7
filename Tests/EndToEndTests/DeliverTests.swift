import Foundation
import Support
import Testing

/// Deliveries by real programs, of which `store` copies files into a directory that stands for another place.
@Suite("Files that are delivered", .timeLimit(.minutes(10)))
struct DeliverTests {
  private let studio: Studio

  init() throws {
    studio = try Studio()
    try studio.run(
      """
      mkdir store
      cat > deliver <<'END'
      #!/bin/sh
      [ -e down ] && { echo "the store is down" >&2; exit 3; }
      name=${RECORDER_TAKE_PATH##*/}
      echo "$name" >> tried
      [ "$(sha256sum < "$RECORDER_TAKE_PATH")" = "$RECORDER_TAKE_SHA256  -" ] || exit 9
      cp "$RECORDER_TAKE_PATH" "store/.$name" && mv "store/.$name" "store/$name"
      END
      chmod +x deliver
      """)
  }

  private let series = "start --split 1s --on-segment ./deliver --deliver"

  /// Ends the delivery in the background, which would otherwise retry in the middle of the next lines.
  private static let alone = """
    alone() {
      for worker in $(pgrep -f "delivery -- $PWD"); do kill $worker; ended $worker; done
    }

    """

  private func run(_ script: String) throws -> Outcome { try studio.run(Self.alone + script) }

  private func outcomes() throws -> [[String: Any]] {
    let text = try studio.run("cat $state/delivered.jsonl").output
    return try text.split(separator: "\n").map { try parsed(String($0)) }
  }

  private func expectAllStored(_ comment: String = "") throws {
    let compared = try studio.run(
      "for f in *.wav; do cmp \"$f\" \"store/$f\" || exit 1; done; ls store | wc -l; ls *.wav | wc -l"
    )
    let counts = compared.output.split(separator: "\n")
    #expect(
      compared.code == 0 && counts.count == 2 && counts[0] == counts[1], "\(compared)\(comment)")
  }

  @Test("arrive once each, in their order, with size and checksum in the journal")
  func delivered() throws {
    let outcome = try studio.run(
      """
      \(series) --duration 3.5 --foreground a.wav > /dev/null
      await '[ $(wc -l < $state/delivered.jsonl) = 4 ]'; cat tried; "$recorder" deliver
      """)
    #expect(outcome.code == 0, "\(outcome)")
    let names = ["a.wav", "a-002.wav", "a-003.wav", "a-004.wav"]
    #expect(outcome.output == names.joined(separator: "\n") + "\nNothing waits for a delivery.\n")
    try expectAllStored()
    let lines = try outcomes()
    #expect(lines.compactMap { $0["outcome"] as? String } == names.map { _ in "delivered" })
    for (line, name) in zip(lines, names) {
      let sum = try studio.run("sha256sum \(name)").output.prefix(64)
      #expect(line["sha256"] as? String == String(sum) && line["changed"] == nil)
      #expect(line["bytes"] as? Int == (try studio.scratch.read(name).count))
    }
  }

  @Test(
    "arrive in the order of their recording, whatever the clock said", .requires(tool: "faketime"))
  func clockThatJumps() throws {
    let outcome = try run(
      """
      touch down
      for shift in +0 +1y -1y +0; do
        faketime -f $shift "$recorder" \(series) -d test:tone --duration 1.5 --foreground a.wav > /dev/null
      done
      alone; "$recorder" deliver -q > /dev/null; echo $?
      rm down; "$recorder" deliver; cat tried; "$recorder" takes --json
      """)
    let names = ["a.wav"] + (2...8).map { "a-00\($0).wav" }
    let said = "18\n8 files delivered.\nNothing waits for a delivery.\n"
    #expect(outcome.output.hasPrefix(said + names.joined(separator: "\n") + "\n"), "\(outcome)")
    try expectAllStored()
    let last = outcome.output.split(separator: "\n").last.map(String.init) ?? ""
    let takes = try #require(try parsed(last)["takes"] as? [[String: Any]])
    let years = takes.compactMap { ($0["began"] as? String)?.prefix(4) }.compactMap { Int($0) }
    #expect(years.count == 8 && Set(years).count == 3, "the clock was another: \(years)")
  }

  @Test(
    "wait while the store is down, are shown with the reason, and are tried again in their order")
  func down() throws {
    let outcome = try studio.run(
      """
      touch down
      \(series) --duration 2.5 --foreground a.wav > /dev/null
      "$recorder" deliver; echo $?; "$recorder" status; "$recorder" takes | tail -n 4
      "$recorder" status --prometheus | grep deliver | grep -v '^#'
      rm down; await '[ $(ls store | wc -l) = 3 ]'; cat tried
      """)
    #expect(outcome.code == 0, "\(outcome)")
    #expect(outcome.output.contains("\n18\n"), "\(outcome)")
    let words = "ended with exit code 3: the store is down"
    #expect(outcome.output.components(separatedBy: words).count >= 4, "\(outcome)")
    #expect(outcome.output.contains("recorder_deliveries_waiting{series="), "\(outcome)")
    #expect(outcome.output.hasSuffix("a.wav\na-002.wav\na-003.wav\n"), "\(outcome)")
    let json = try studio.json("deliver --list")
    let lane = try #require((json["deliveries"] as? [[String: Any]])?.first)
    #expect(lane["waiting"] as? Int == 0 && lane["failures"] as? Int == 0)
    try expectAllStored()
  }

  @Test("are delivered where their program moves them away")
  func moved() throws {
    let outcome = try studio.run(
      """
      printf '#!/bin/sh\\nexec mv "$RECORDER_TAKE_PATH" store/\\n' > mover; chmod +x mover
      start --split 1s --on-segment ./mover --deliver --duration 1.5 --foreground a.wav > said
      await '[ $(ls store | wc -l) = 2 ]'; "$recorder" deliver; echo $?; ls
      """)
    #expect(outcome.output.hasPrefix("Nothing waits for a delivery.\n0\n"), "\(outcome)")
    #expect(!outcome.output.contains(".wav"), "\(outcome)")
    let outcomes = try outcomes()
    #expect(outcomes.compactMap { $0["outcome"] as? String } == ["delivered", "delivered"])
  }

  @Test("arrive after the session, the delivery or both were killed", arguments: 0..<3)
  func killed(round: Int) throws {
    var random = SeededGenerator(seed: UInt64(90 + round))
    let outcome = try studio.run(
      """
      cp deliver real
      printf '#!/bin/sh\\nsleep 0.3; exec ./real\\n' > slow; chmod +x slow; mv slow deliver
      pid=$(start --json --split 1s --on-segment ./deliver --deliver a.wav | number pid)
      # The kill comes at any moment of a split or a delivery.
      sleep \(Double.random(in: 1.05..<3, using: &random))
      workers=$(pgrep -f "^/proc/self/exe delivery -- $PWD/a.wav")
      [ \(round) = 1 ] || kill -KILL $pid; [ \(round) = 0 ] || kill -KILL $workers
      [ \(round) != 1 ] || "$recorder" stop -q > /dev/null
      ended $pid
      "$recorder" recover -q > /dev/null 2>&1
      "$recorder" deliver; echo $?; "$recorder" deliver --list
      """)
    #expect(outcome.output.hasSuffix("0\nNothing waits for a delivery.\n"), "\(outcome)")
    try expectAllStored("\(outcome)")
    #expect(try studio.run("ls -A | grep part").output == "")
  }

  @Test("do not keep the output of a command that only starts their delivery")
  func output() throws {
    let outcome = try studio.run(
      """
      touch down; pid=$(start --json --split 1s --on-segment ./deliver --deliver a.wav | number pid)
      await '[ -e .a-002.wav.part ]'; kill -KILL $pid $(pgrep -f "delivery -- $PWD/a.wav")
      ended $pid
      "$recorder" recover 2>&1 | cat > said; await '[ $(pgrep -f "delivery -- $PWD/a.wav" | wc -l) = 1 ]'; echo 1
      rm down; "$recorder" deliver > /dev/null
      """)
    #expect(outcome.output == "1\n", "\(outcome)")
    try expectAllStored()
  }

  @Test("are not deleted by --keep before they arrived")
  func kept() throws {
    let outcome = try studio.run(
      """
      touch down
      \(series) --keep 1 --duration 2.5 --foreground a.wav > /dev/null; ls *.wav; echo then
      rm down; "$recorder" deliver -q > /dev/null
      \(series) --keep 1 --duration 0.5 --foreground a.wav > /dev/null; ls *.wav
      """)
    let parts = outcome.output.components(separatedBy: "then\n")
    #expect(parts == ["a-002.wav\na-003.wav\na.wav\n", "a-004.wav\n"], "\(outcome)")
    let stored = try studio.run("await '[ $(ls store | wc -l) = 4 ]'")
    #expect(stored.code == 0)
  }

  @Test(
    "are deleted undelivered, the oldest first, only where the take had to end, and it is said",
    .requiresNamespaces)
  func floor() throws {
    let outcome = try studio.run(
      """
      mkdir disk; touch down
      unshare -rm sh -c 'mount -t tmpfs -o size=2M none disk && "$recorder" permission grant > /dev/null
        "$recorder" start -q -d test:ramp --split 1s --keep 2 --min-free 800k --duration 9 \
          --on-segment ./deliver --deliver --foreground disk/a.wav > result; echo $?; ls disk; "$recorder" status
        "$recorder" status --prometheus | grep deleted_total | grep -v "^#"'
      cat result
      """)
    #expect(outcome.output.hasPrefix("14\n"), "\(outcome)")
    #expect(outcome.output.contains("--keep deleted"), "\(outcome)")
    #expect(outcome.output.contains("for space, undelivered"), "\(outcome)")
    #expect(
      outcome.output.contains("duration") && outcome.output.contains("0:09.000"), "\(outcome)")
    let deleted = try outcomes().filter { $0["outcome"] as? String == "deleted" }
    let paths = deleted.compactMap { ($0["path"] as? String)?.split(separator: "/").last }
    #expect(paths.count >= 2 && paths.first == "a-002.wav" && paths == paths.sorted(), "\(paths)")
    #expect(outcome.output.contains("a.wav\n"), "the first that waits stays")
    #expect(outcome.output.contains("deleted_total{series=") && !outcome.output.contains("} 0.0"))
  }

  @Test("that are gone at their turn are said to be, and are delivered once they are back")
  func missing() throws {
    let outcome = try run(
      """
      touch down
      \(series) --duration 2.5 --foreground a.wav > /dev/null
      alone; mv a-002.wav elsewhere; "$recorder" rename @1 later -q > /dev/null; rm down
      "$recorder" deliver; echo $?; ls store; mv elsewhere a-002.wav; "$recorder" deliver; echo $?; ls store
      """)
    #expect(outcome.output.contains("2 files delivered.") && outcome.output.contains("Missing"))
    #expect(outcome.output.contains("18\na.wav\nlater.wav\n"), "\(outcome)")
    #expect(outcome.output.hasSuffix("0\na-002.wav\na.wav\nlater.wav\n"), "\(outcome)")
    #expect(try outcomes().compactMap { $0["outcome"] as? String }.contains("missing"))
  }

  @Test(
    "are never mistaken for a later take of the same name, and are found by the name that they got")
  func renamed() throws {
    let outcome = try run(
      """
      touch down; one() { start --duration 0.2 --on-segment ./deliver --deliver --foreground a.wav > /dev/null; }
      one; "$recorder" rename @1 b -q > /dev/null; one; rm a.wav; one
      sha256sum a.wav b.wav > sums; alone; rm down; "$recorder" deliver; echo $?; cd store; ls; sha256sum -c ../sums
      """)
    #expect(outcome.output.contains("18\na.wav\nb.wav\n"), "\(outcome)")
    #expect(outcome.output.hasSuffix("a.wav: OK\nb.wav: OK\n"), "\(outcome)")
    let kinds = try outcomes().compactMap { $0["outcome"] as? String }
    #expect(kinds.count { $0 == "delivered" } == 2 && kinds.contains("missing"), "\(kinds)")
  }

  @Test("wait as soon as they can be listed")
  func unlisted() throws {
    let outcome = try studio.run(
      """
      mkdir -p $state/takes.jsonl
      pid=$(start --json --split 1s --on-segment ./deliver --deliver a.wav | number pid)
      await '[ -e a-002.wav ]'; rmdir $state/takes.jsonl
      "$recorder" stop > /dev/null; "$recorder" deliver > /dev/null; echo $?
      """)
    #expect(outcome.output == "0\n", "\(outcome)")
    try expectAllStored()
  }

  @Test("wait where their directory in the state is gone, and --keep leaves them")
  func stateless() throws {
    let outcome = try studio.run(
      """
      touch down
      \(series) --keep 1 --duration 2.5 --foreground a.wav > /dev/null
      kill $(pgrep -f "delivery -- $PWD/a.wav"); rm -r $state/deliveries
      \(series) --keep 1 --duration 1.5 --foreground a.wav > /dev/null
      ls *.wav | wc -l; rm down; "$recorder" deliver > /dev/null; echo $?
      """)
    #expect(outcome.output == "5\n0\n", "\(outcome)")
    try expectAllStored()
  }

  @Test("in the trash hold up no others, and a program that never stops to talk can be ended")
  func noise() throws {
    let outcome = try run(
      """
      touch down; mkdir day
      \(series) --duration 0.5 --foreground day/a.wav > /dev/null
      \(series) --duration 0.5 --foreground b.wav > /dev/null
      "$recorder" trash @2 -q > /dev/null; rm down; "$recorder" deliver > /dev/null; ls store
      printf '#!/bin/sh\\nexec yes\\n' > deliver
      \(series) --duration 0.5 --foreground c.wav > /dev/null
      await 'pgrep -f "delivery -- $PWD/c.wav" > worker'
      await 'yes=$(pgrep -x yes -P $(cat worker))'; kill $(cat worker); ended $(cat worker)
      kill -0 $yes 2> /dev/null || echo ended
      """)
    #expect(outcome.code == 0 && outcome.output == "b.wav\nended\n", "\(outcome)")
  }

  @Test("wait for a directory that is empty, because something may be mounted there")
  func unmounted() throws {
    let outcome = try run(
      """
      touch down; mkdir disk
      \(series) --duration 1.5 --foreground disk/a.wav > /dev/null
      alone; mv disk away; mkdir disk; rm down; "$recorder" deliver; echo $?
      rmdir disk; mv away disk; "$recorder" deliver > /dev/null; echo $?
      """)
    #expect(outcome.output.contains("its directory is empty"), "\(outcome)")
    #expect(outcome.output.hasSuffix("\n18\n0\n"), "\(outcome)")
    #expect(try studio.run("ls store").output == "a-002.wav\na.wav\n")
  }

  @Test("arrive as they are where somebody changed them, and the journal says so")
  func changed() throws {
    let outcome = try studio.run(
      """
      touch down
      \(series) --duration 1.5 --foreground a.wav > /dev/null
      printf more >> a.wav; rm down; "$recorder" deliver; echo $?
      """)
    #expect(outcome.output.hasSuffix("0\n"), "\(outcome)")
    try expectAllStored()
    #expect(try outcomes().map { $0["changed"] as? Bool } == [true, nil])
  }

  @Test("are tried again where they change while they are delivered")
  func changing() throws {
    let outcome = try run(
      """
      touch down
      \(series) --duration 0.5 --foreground a.wav > /dev/null
      alone; printf '#!/bin/sh\\nprintf x >> "$RECORDER_TAKE_PATH"\\n' > deliver; rm down
      "$recorder" deliver; echo $?
      """)
    #expect(outcome.output.contains("was changed while it was delivered"), "\(outcome)")
    #expect(outcome.output.hasSuffix("18\n"))
  }

  @Test("can be given up, and the file stays")
  func forgotten() throws {
    let outcome = try studio.run(
      """
      touch down
      \(series) --duration 1.5 --foreground a.wav > /dev/null
      "$recorder" deliver --forget a.wav > /dev/null; "$recorder" deliver --list --json; ls *.wav
      "$recorder" deliver --forget a.wav; echo $?
      """)
    let first = outcome.output.split(separator: "\n").first.map(String.init) ?? ""
    let lane = try #require((try parsed(first)["deliveries"] as? [[String: Any]])?.first)
    #expect(lane["files"] as? [String] == [studio.scratch.path("a-002.wav")], "\(outcome)")
    #expect(outcome.output.contains("a-002.wav\na.wav\n") && outcome.output.hasSuffix("10\n"))
  }

  @Test("are counted by what was delivered, and not by what is no longer wanted")
  func counted() throws {
    let outcome = try run(
      """
      touch down
      \(series) --duration 2.5 --foreground a.wav > /dev/null
      alone; printf '#!/bin/sh\\n[ "$RECORDER_TAKE_SEGMENT" != 1 ] || exec "%s" deliver --forget "%s/a-002.wav"\\n' \
        "$recorder" "$PWD" > deliver
      "$recorder" deliver; "$recorder" deliver --json
      """)
    #expect(outcome.output.hasPrefix("2 files delivered.\nNothing waits for a delivery.\n"))
    let last = outcome.output.split(separator: "\n").last.map(String.init) ?? ""
    #expect(try parsed(last)["delivered"] as? Int == 0, "\(outcome)")
    let kinds = try outcomes().compactMap { $0["outcome"] as? String }
    #expect(kinds == ["forgotten", "delivered", "delivered"], "\(outcome)")
  }

  @Test(
    "leave no program behind when their delivery is ended, and none waits for a series that hangs")
  func hanging() throws {
    let outcome = try studio.run(
      """
      printf '#!/bin/sh\\necho $$ > hung; sleep 1000 & wait\\n' > hang; chmod +x hang; touch down
      start --split 1s --duration 0.5 --on-segment ./hang --deliver --foreground h.wav > /dev/null
      await '[ -s hung ]'; hung=$(cat hung)
      \(series) --duration 0.5 --foreground a.wav > /dev/null; rm down
      "$recorder" deliver > /dev/null & by=$!; await '[ -e store/a.wav ]'
      worker=$(pgrep -f "^/proc/self/exe delivery -- $PWD/h.wav"); kill $worker
      ended $hung; kill $by $(pgrep -f "delivery --once -- $PWD")
      await '! pgrep -f "delivery.*$PWD" > /dev/null'; pgrep -f "$PWD/hang" | wc -l
      """)
    #expect(outcome.code == 0 && outcome.output == "0\n", "\(outcome)")
  }

  @Test("cannot be asked for without a program or a file, or where files are replaced")
  func usage() throws {
    for line in [
      "--deliver a.wav", "--deliver --on-segment ./deliver -",
      "--deliver --on-segment ./deliver --force a.wav",
    ] {
      let outcome = try studio.run("start \(line)")
      #expect(outcome.code == 64 && outcome.errors.contains("deliver"), "\(outcome)")
    }
  }

  @Test("are in the sidecar with their machine, its boot, zone and clock")
  func origin() throws {
    try studio.run(
      "TZ=Europe/Berlin start --sidecar always --duration 0.2 --foreground a.wav > /dev/null")
    let sidecar = try parsed(String(decoding: try studio.scratch.read("a.wav.json"), as: UTF8.self))
    let boot = try studio.run("cat /proc/sys/kernel/random/boot_id; uname -n").output
    let (id, name) = (sidecar["boot"] as? String, sidecar["machine"] as? String)
    #expect(boot == "\(id ?? "")\n\(name ?? "")\n", "\(sidecar)")
    #expect(sidecar["zone"] as? String == "Europe/Berlin" && sidecar["offset"] != nil)
    let clock = sidecar["clock"] as? String
    #expect(clock == "synchronized" || clock == "unsynchronized")
  }
}
