import Foundation
import Support
import Testing

@Suite("Plays that wait for their device or for other sounds", .timeLimit(.minutes(5)))
struct WaitingPlaysTests {
  @Test(
    "A stop ends a play whose device does not open",
    arguments: ["stop", "stop --all", "stop umbrella"])
  func frozen(command: String) throws {
    let theatre = try Theatre()
    let outcome = try theatre.run(
      """
      # Opening a pipe waits for its reader.
      mkfifo pipe
      echo "pcm.frozen { type file slave.pcm null file $HOME/pipe format raw }" > .asoundrc
      device=frozen play umbrella --loop & play=$!
      await 'sound status --json | grep -q "\\"queued\\":1"'
      sound \(command) > rest; echo "stop $?"
      wait $play; echo "play $?"
      """)
    #expect(outcome.output == "stop 0\nplay 17\n", "\(outcome)")
  }

  @Test("Some hundred files play at the same time, and the message names the limit for more")
  func manyFiles() throws {
    let theatre = try Theatre()
    try theatre.ramp("a.wav", frames: 4_800)
    let outcome = try theatre.run(
      """
      mkdir sounds; ulimit -n 256
      n=0; while [ $n -lt 400 ]; do ln -s ../a.wav sounds/$n.wav; n=$((n + 1)); done
      play --detach ./sounds/*.wav; echo "play $?"
      sound stop --all > rest
      play $(yes click | head -5000); echo "play $?"
      """)
    #expect(outcome.output == "play 0\nplay 64\n", "\(outcome)")
    #expect(outcome.errors.contains("too many sounds for one command"), "\(outcome)")
  }
}
