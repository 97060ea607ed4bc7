import Support
import Testing

@Suite(
  "The list of devices", .requires("RECORDER_KERNEL_CARDS"), .serialized,
  .timeLimit(.minutes(10)))
struct ListingTests {
  @Test("with four cards takes at most 2.5 times the processor time of arecord's two lists")
  func cost() throws {
    let outcome = try Booth().run(
      """
      TIMEFORMAT='%U %S'
      cost() {
        { time "$@" > /dev/null 2>&1; } 2>&1 | awk -v name="$1" '{ print name, int(($1 + $2) * 1000) }'
      }
      # The cards, and the names in ALSA's configuration.
      lists() { arecord -l; arecord -L; }
      recorder devices > /dev/null; lists > /dev/null
      for run in {1..10}; do cost recorder devices; cost lists; done
      """)
    // Time that the host takes from the machine counts as time of the process.
    let ours = try #require(outcome.numbers("recorder").min(), "\(outcome)")
    let theirs = try #require(outcome.numbers("lists").min(), "\(outcome)")
    let ratio = Double(ours) / Double(max(1, theirs))
    print("recorder devices: \(ours) ms of a processor, arecord: \(theirs) ms, ratio \(ratio)")
    #expect(ratio < 2.5)
  }

  @Test("reads each file about a card once", .requires(tool: "strace"))
  func once() throws {
    let outcome = try Booth().run(
      """
      strace -f -e trace=openat -o calls recorder devices > /dev/null
      grep -o '"/proc/asound/[^"]*status"' calls | sort | uniq -c | awk '{ print "status", $1 }'
      grep -c 'recorder/config.json"' calls | awk '{ print "settings", $1 }'
      """)
    let (states, settings) = (outcome.numbers("status"), outcome.numbers("settings"))
    #expect(states.count > 20 && Set(states) == [1], "\(outcome)")
    // The files of the user and of the machine, read by the command, by the engine and for each
    // direction.
    #expect(settings.count == 1 && settings.allSatisfy { $0 <= 8 }, "\(outcome)")
  }
}
