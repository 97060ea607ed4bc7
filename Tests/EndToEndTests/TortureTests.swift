import Foundation
import Support
import Testing

@Suite("A session under misuse and load", .timeLimit(.minutes(10)))
struct TortureTests {
  @Test(
    "No client harms it: it answers the others, leaks nothing and loses no frame",
    .requires(tool: "python3"))
  func socket() throws {
    let studio = try Studio()
    let process = try studio.start("a.wav")
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Torture/mistreat.py").path
    let ended = try Tool.run(
      "python3",
      [
        script, studio.scratch.path("\(Machine.sockets)/default.sock"), "\(process)",
        isThorough ? "1000" : "150",
      ],
      limit: .seconds(300))
    try #require(ended.code == 0, "\(ended.errorText)")
    let found = try parsed(ended.outputText)
    #expect(try #require(found["descriptors"] as? Int) <= 0, "\(ended.errorText)")
    #expect(try #require(found["kilobytes"] as? Int) < 16_384)
    // The promise is 0.5 s. The limit is higher, because other tests may keep the machine busy.
    #expect(try #require(found["slowest"] as? Double) < 5, "\(found)")
    #expect(try #require(found["patience"] as? Double) < 10, "\(found)")
    if isThorough { print("mistreated: \(found)") }
    let result = try studio.json("stop")
    #expect((result["frames"] as? [String: Int])?["lost"] == 0)
    let numbers = Studio.ramp(try #require(try studio.soundBytes("a.wav")))
    #expect(numbers.jumps.isEmpty && numbers.first == 0)
  }

  @Test(
    "Messages with extreme values harm neither a session nor a command", .requires(tool: "python3"))
  func messages() throws {
    let studio = try Studio()
    _ = try studio.start("a.wav")
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Torture/alter.py").path
    let outcome = try studio.run(
      """
      record="$HOME/$state/sessions/default.json"; cp "$record" copy
      python3 '\(script)' "$recorder" "$record" \(isThorough ? 4 : 17); echo $?
      cp copy "$record"; "$recorder" stop > said; echo $?
      """, limit: .seconds(isThorough ? 200 : 60))
    #expect(outcome.output == "0\n0\n", "\(outcome)")
    #expect(try studio.decoded("a.wav").jumps.isEmpty)
  }

  @Test("Of two concurrent starts of a name one wins, and the other one names its process")
  func races() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      n=0; while [ $n -lt \(isThorough ? 100 : 25) ]; do
        start a$n.wav > a.out 2> a.err & first=$!; start b$n.wav > b.out 2> b.err
        b=$?; wait $first; a=$?
        case "$a $b" in
          "0 11") loser=b winner=a;; "11 0") loser=a winner=b;;
          *) echo "codes $a $b"; cat a.err b.err;;
        esac
        process=$(sed 's/.*"pid":\\([0-9]*\\).*/\\1/' $state/sessions/default.json)
        grep -q "(process $process)" $loser.err || { echo "no process $process"; cat $loser.err; }
        "$recorder" stop > stopped || echo "stop $?"
        grep -q "/$winner$n.wav" stopped || cat stopped; rm $winner$n.wav; n=$((n + 1))
      done; ls -A | grep wav
      """, limit: .seconds(600))
    #expect(outcome.output == "", "\(outcome)")
    #expect(try studio.processes().isEmpty && studio.sockets().isEmpty)
  }

  @Test("The remains of a killed session mislead no command, even if its process ID is reused")
  func stale() throws {
    let studio = try Studio()
    let process = try studio.start("a.wav")
    let outcome = try studio.run(
      """
      kill -KILL \(process); sleep 60 & other=$!
      sed -i "s/\\"pid\\":\(process)/\\"pid\\":$other/" $state/sessions/default.json
      ls $sockets; "$recorder" status | head -n 1; "$recorder" stop 2> /dev/null; echo $?
      start a.wav > /dev/null && "$recorder" stop > /dev/null; echo $?
      kill $other && echo 'it lived'; ls -A | grep wav
      """)
    #expect(
      outcome.output
        == "default.sock\ndefault: interrupted\n14\n0\nit lived\na-recovered.wav\na.wav\n",
      "\(outcome)"
    )
  }

  @Test("Many takes leave no process, no socket, no lock and no temporary file behind")
  func cycles() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      cycle() { start a.wav > /dev/null && "$recorder" stop > /dev/null || echo "failed $?"; rm a.wav; }
      list() { find . ! -name before ! -name after | sort; }
      cycle; list > before
      n=0; while [ $n -lt \(isThorough ? 100 : 25) ]; do cycle; n=$((n + 1)); done
      list > after; diff before after; ls $sockets; flock -n $state/sessions/default.lock echo free
      """, limit: .seconds(600))
    #expect(outcome.output == "free\n", "\(outcome)")
    #expect(studio.processes().isEmpty)
  }

  @Test(
    "Eight simultaneous clients each get an answer that a state explains, and every frame is accounted for"
  )
  func clients() throws {
    let studio = try Studio()
    try studio.run("start a.wav")
    let outcome = try studio.run(
      """
      for n in 1 2 3 4 5 6 7 8; do
        { for verb in pause resume toggle "mark $n" status resume; do
            "$recorder" $verb > /dev/null 2> err$n; code=$?
            [ $code = 0 ] || [ $code = 10 ] || { echo "$verb $code"; cat err$n; }
          done; "$recorder" stop > /dev/null 2> err$n; code=$?
          [ $code = 0 ] || [ $code = 10 ] || { echo "stop $code"; cat err$n; }; } &
      done; wait; "$recorder" stop 2> /dev/null; echo $?
      """)
    #expect(outcome.output == "10\n", "\(outcome)")
    let take = try #require(try studio.json("takes")["takes"] as? [[String: Any]]).first
    let frames = try #require(take?["frames"] as? [String: Int])
    let numbers = Studio.ramp(try #require(try studio.soundBytes("a.wav")))
    #expect(numbers.count == frames["onDisk"] && frames["lost"] == 0)
    #expect(numbers.jumps.allSatisfy { $0.missing > 0 })
  }
}
