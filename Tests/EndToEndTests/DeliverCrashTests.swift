import Foundation
import Support
import Testing

@Suite("Deliveries after a crash", .timeLimit(.minutes(10)))
struct DeliverCrashTests {
  private let studio: Studio
  private let delivery: Delivery

  init() throws {
    delivery = try Delivery()
    studio = delivery.studio
  }

  @Test("All files arrive after a kill of the session, the delivery or both", arguments: 0..<3)
  func killed(round: Int) throws {
    var random = SeededGenerator(seed: UInt64(90 + round))
    let outcome = try studio.run(
      """
      cp deliver real
      printf '#!/bin/sh\\nsleep 0.3; exec ./real\\n' > slow; chmod +x slow; mv slow deliver
      pid=$(start --json --split 1s --on-segment ./deliver --deliver a.wav | number pid)
      # The kill comes at any moment of a split or a delivery.
      moment \(Double.random(in: 1.05..<3, using: &random))
      workers=$(pgrep -f "^/proc/self/exe delivery -- $PWD/a.wav")
      [ \(round) = 1 ] || kill -KILL $pid; [ \(round) = 0 ] || kill -KILL $workers
      [ \(round) != 1 ] || "$recorder" stop -q > /dev/null
      ended $pid
      "$recorder" recover -q > /dev/null 2>&1
      "$recorder" deliver; echo $?; "$recorder" deliver --list
      """)
    #expect(outcome.output.hasSuffix("0\nNo files are waiting for delivery.\n"), "\(outcome)")
    try delivery.expectAllStored("\(outcome)")
    #expect(try studio.run("ls -A | grep part").output == "")
  }

  @Test("Each file arrives once after a kill of its session at any call")
  func killedAtCall() throws {
    let trace = try studio.library("trace")
    let take = """
      cat > deliver <<'END'
      #!/bin/sh
      name=$(echo "${RECORDER_TAKE_PATH#"$PWD/"}" | tr / _)
      [ ! -e "store/$name" ] && cp "$RECORDER_TAKE_PATH" "store/$name"
      END
      take() {
        mkdir $1
        { start -q --name n$1 --split 1h --on-segment ./deliver --deliver $1/a.wav && touch $1.began
          moment 0.2; "$recorder" split n$1; moment 0.2; "$recorder" stop n$1; } > $1.out 2>&1
      }

      """
    let counted = try delivery.run(
      """
      \(take) LD_PRELOAD=\(trace) TRACE_IN=session TRACE=$HOME/trace take 0; alone; "$recorder" deliver > /dev/null
      grep -a -o -E '(openat|p?write|f(data)?sync|ftruncate|renameat2?|linkat|unlinkat) [0-9]+:[0-9]+ [0-9]+ [0-9]+ ' trace | wc -l
      rm -r 0 store; mkdir store
      """)
    let last = try #require(Int(counted.output.filter(\.isNumber)), "\(counted)")
    let step = isThorough ? 1 : 6
    let chosen = Array(stride(from: Int.random(in: 1...step), through: last, by: step))
    for first in stride(from: 0, to: chosen.count, by: 12) {
      let numbers = chosen[first..<min(first + 12, chosen.count)].map(String.init)
      let outcome = try delivery.run(
        """
        \(take) numbers="\(numbers.joined(separator: " "))"
        for n in $numbers; do LD_PRELOAD=\(trace) TRACE_IN=session KILL=$n take $n & done; wait
        # A delivery in the background is not stopped: that would repeat its last file.
        for n in $numbers; do "$recorder" recover -q $n > $n.recover 2>&1; done
        "$recorder" deliver > said; code=$?; [ $code = 0 ] || { echo "deliver: $code"; cat said; }
        for n in $numbers; do
          # A recording that never began has no record, and may have left frames.
          [ -e $n.began ] || { rm -r $n store/${n}_*; continue; } 2> /dev/null
          for file in $n/*.wav; do [ ! -e $file ] || cmp $file store/$(echo $file | tr / _) 2>&1; done
          ls -A $n | grep part
        done
        ls -d */*.wav | grep -vc store/; ls store | wc -l
        """, limit: .seconds(120))
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.count == 2 && lines[0] == lines[1], "\(numbers): \(outcome)")
    }
    print("killed at \(chosen.count) of \(last) calls")
  }

  @Test("A background delivery does not keep open the output of the command that started it")
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
    try delivery.expectAllStored()
  }

  @Test("A file keeps its temporary name until its delivery can be saved")
  func unqueued() throws {
    let outcome = try delivery.run(
      """
      touch down; start --split 1h --on-segment ./deliver --deliver a.wav > /dev/null; captured 0.2; alone
      cd $state; mv deliveries away; touch deliveries; cd ~
      "$recorder" split > /dev/null; captured +0.2; "$recorder" stop; echo $?; ls -A *.wav .*.part
      cd $state; rm deliveries; mv away deliveries; cd ~; rm down
      "$recorder" deliver; "$recorder" recover > /dev/null; echo $?; "$recorder" deliver > /dev/null; echo $?
      """)
    let words = outcome.output.oneLine
    #expect(words.contains("the state of the recording cannot be saved"), "\(outcome)")
    #expect(
      outcome.output.hasSuffix(
        "14\n.a-002.wav.part\n.a.wav.part\nNo files are waiting for delivery.\n0\n0\n"),
      "\(outcome)")
    try delivery.expectAllStored()
    #expect(try studio.run("ls store | wc -l").output == "2\n")
  }

  @Test("Files that were saved while the catalogue was not writable are delivered as well")
  func unlisted() throws {
    let outcome = try studio.run(
      """
      mkdir -p $state/takes.jsonl
      pid=$(start --json --split 1s --on-segment ./deliver --deliver a.wav | number pid)
      await '[ -e a-002.wav ]'; rmdir $state/takes.jsonl
      "$recorder" stop > /dev/null; "$recorder" deliver > /dev/null; echo $?
      """)
    #expect(outcome.output == "0\n", "\(outcome)")
    try delivery.expectAllStored()
  }
}
