import Foundation
import Support
import Testing

/// Deliveries by real programs. `deliver` copies files into the directory `store`, which stands for
/// another machine.
@Suite("Files that are delivered", .timeLimit(.minutes(10)))
struct DeliverTests {
  private let studio: Studio
  private let delivery: Delivery
  private var series: String { Delivery.series }

  init() throws {
    delivery = try Delivery()
    studio = delivery.studio
  }

  private func run(_ script: String) throws -> Outcome { try delivery.run(script) }
  private func expectAllStored() throws { try delivery.expectAllStored() }

  @Test("arrive once each, in order, with their checksum")
  func delivered() throws {
    let outcome = try run(
      """
      \(series) --duration 3.5 --foreground a.wav > /dev/null
      arrived 4; cat tried; "$recorder" deliver
      """)
    #expect(outcome.code == 0, "\(outcome)")
    let names = ["a.wav", "a-002.wav", "a-003.wav", "a-004.wav"]
    #expect(
      outcome.output == names.joined(separator: "\n") + "\nNo files are waiting for delivery.\n")
    try expectAllStored()
  }

  @Test(
    "arrive in the order of recording, even if the clock jumps", .requires(tool: "faketime"))
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
    let said = "18\n8 files delivered.\nNo files are waiting for delivery.\n"
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
    #expect(outcome.output.contains("  File     \(studio.scratch.path("a.wav"))\n"), "\(outcome)")
    #expect(!outcome.output.contains("/./"), "\(outcome)")
    #expect(outcome.output.contains("recorder_deliveries_waiting{series="), "\(outcome)")
    #expect(outcome.output.hasSuffix("a.wav\na-002.wav\na-003.wav\n"), "\(outcome)")
    let json = try studio.json("deliver --list")
    let lane = try #require((json["deliveries"] as? [[String: Any]])?.first)
    #expect(lane["waiting"] as? Int == 0 && lane["failures"] as? Int == 0)
    try expectAllStored()
  }

  @Test("count as delivered if their program moves them away")
  func moved() throws {
    let outcome = try run(
      """
      printf '#!/bin/sh\\nexec mv "$RECORDER_TAKE_PATH" store/\\n' > mover; chmod +x mover
      start --split 1s --on-segment ./mover --deliver --duration 1.5 --foreground a.wav > said
      arrived 2; "$recorder" deliver; echo $?; ls
      """)
    #expect(outcome.output.hasPrefix("No files are waiting for delivery.\n0\n"), "\(outcome)")
    #expect(!outcome.output.contains(".wav"), "\(outcome)")
  }

  @Test("are not deleted by --keep before they are delivered")
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

  @Test("are not deleted for a recording that cannot start")
  func refused() throws {
    let outcome = try studio.run(
      """
      touch down
      \(series) --keep 1 --duration 2.5 --foreground a.wav > /dev/null
      for device in test:ramp hw:CARD=none; do
        "$recorder" \(series) --keep 1 -d $device --min-free 900T a.wav; echo $?
      done
      ls *.wav; rm down; "$recorder" deliver -q > /dev/null
      """)
    #expect(outcome.output == "13\n12\na-002.wav\na-003.wav\na.wav\n", "\(outcome)")
  }

  @Test(
    "are deleted undelivered, oldest first, only if the take would end otherwise, with a report",
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
    #expect(outcome.output.contains("undelivered files to free space"), "\(outcome)")
    #expect(
      outcome.output.contains("duration") && outcome.output.contains("0:09.000"), "\(outcome)")
    let left = outcome.output.split(separator: "\n").filter {
      $0.hasPrefix("a") && $0.hasSuffix(".wav")
    }
    let numbers = left.compactMap { Int($0.dropFirst(2).prefix(3)) }
    #expect(left.last == "a.wav", "the first that waits stays")
    let gone = 9 - left.count
    #expect(gone >= 2 && numbers == Array(gone + 2...9), "the oldest are gone: \(left)")
    #expect(outcome.output.contains("} \(gone).0\n"), "\(outcome)")
  }

  @Test("are reported if they are missing, and delivered once they are back")
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
    #expect(outcome.output.hasPrefix("2 files delivered.\n"), "\(outcome)")
    #expect(outcome.output.contains("Missing  1 file\n"), "\(outcome)")
  }

  @Test("do not delay others from the trash, and a program that prints without end can be ended")
  func noise() throws {
    let outcome = try run(
      """
      touch down; mkdir day
      \(series) --duration 0.5 --foreground day/a.wav > /dev/null
      \(series) --duration 0.5 --foreground b.wav > /dev/null
      "$recorder" trash @2 -q > /dev/null; rm down; "$recorder" deliver > /dev/null; ls store
      printf '#!/bin/sh\\nexec yes\\n' > deliver
      \(series) --duration 0.5 --foreground c.wav > /dev/null
      await 'pgrep -o -f "delivery -- $PWD/c.wav" > worker'
      await 'yes=$(pgrep -x yes -P $(cat worker))'; kill $(cat worker); ended $(cat worker)
      kill -0 $yes 2> /dev/null || echo ended
      """)
    #expect(outcome.code == 0 && outcome.output == "b.wav\nended\n", "\(outcome)")
  }

  @Test("wait while their directory is empty, because their disk may not be mounted")
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

  @Test("are delivered with changes that were made meanwhile")
  func changed() throws {
    let outcome = try studio.run(
      """
      touch down
      \(series) --duration 1.5 --foreground a.wav > /dev/null
      printf more >> a.wav; rm down; "$recorder" deliver; echo $?
      """)
    #expect(outcome.output.hasSuffix("0\n"), "\(outcome)")
    try expectAllStored()
  }

  @Test("are retried if they change during their delivery")
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

  @Test("cause a warning if they are moved to the trash before their delivery")
  func trashed() throws {
    let outcome = try run(
      """
      touch down
      \(series) --duration 0.5 --foreground a.wav > /dev/null; "$recorder" trash @1 > said
      "$recorder" undo > said; rm down; arrived 1; "$recorder" trash @1
      """)
    let path = studio.scratch.path("a.wav")
    #expect(outcome.output == "Moved \(path) to the trash\n", "\(outcome)")
    let warning = #"recorder: warning: "\#(path)" was not delivered yet"#
    #expect(outcome.errors.components(separatedBy: warning).count == 2, "\(outcome)")
  }

  @Test("can be removed from the queue, and stay on the disk")
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

  @Test("are counted only if they were delivered, not if they were removed from the queue")
  func counted() throws {
    let outcome = try run(
      """
      touch down
      \(series) --duration 2.5 --foreground a.wav > /dev/null
      alone; printf '#!/bin/sh\\n[ "$RECORDER_TAKE_SEGMENT" != 1 ] || exec "%s" deliver --forget "%s/a-002.wav"\\n' \
        "$recorder" "$PWD" > deliver
      "$recorder" deliver; "$recorder" deliver --json
      """)
    #expect(outcome.output.hasPrefix("2 files delivered.\nNo files are waiting for delivery.\n"))
    let last = outcome.output.split(separator: "\n").last.map(String.init) ?? ""
    #expect(try parsed(last)["delivered"] as? Int == 0, "\(outcome)")
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

  @Test("need a program and a file name, and must not replace files")
  func usage() throws {
    for line in [
      "--deliver a.wav", "--deliver --on-segment ./deliver -",
      "--deliver --on-segment ./deliver --force a.wav",
    ] {
      let outcome = try studio.run("start \(line)")
      #expect(outcome.code == 64 && outcome.errors.contains("deliver"), "\(outcome)")
    }
  }

  @Test("have the machine, its boot, time zone and clock in the sidecar")
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
