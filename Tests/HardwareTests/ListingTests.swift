import Support
import Testing

@Suite(
  "The list of devices", .requires("RECORDER_KERNEL_CARDS"), .serialized,
  .timeLimit(.minutes(10)))
struct ListingTests {
  @Test("of a machine with four cards costs at most ten times what arecord's costs")
  func cost() throws {
    let outcome = try Booth().run(
      """
      timed() { local begin; begin=$(clock); "$@" > /dev/null; echo "$1 $(($(clock) - begin))"; }
      recorder devices > /dev/null; arecord -l > /dev/null
      for round in 1 2 3 4 5; do timed recorder devices; timed arecord -l; done
      """)
    let (ours, theirs) = (outcome.numbers("recorder").sorted(), outcome.numbers("arecord").sorted())
    try #require(ours.count == 5 && theirs.count == 5, "\(outcome)")
    let ratio = Double(ours[2]) / Double(max(1, theirs[2]))
    print("recorder devices \(ours[2]) ms, arecord -l \(theirs[2]) ms, \(ratio) times")
    #expect(ratio < 10)
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
    // Those of the user and of the machine, by the command, by the engine and for each direction.
    #expect(settings.count == 1 && settings.allSatisfy { $0 <= 8 }, "\(outcome)")
  }
}
