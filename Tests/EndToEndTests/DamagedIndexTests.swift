import Foundation
import Support
import Testing

@Suite("A damaged index of the takes", .timeLimit(.minutes(10)))
struct DamagedIndexTests {
  @Test("with one changed bit gives no wrong answer")
  func bits() throws {
    let studio = try Studio()
    let answers = #""$recorder" takes --json; "$recorder" info --json @default @talk; echo $?"#
    let prepared = try studio.run(
      """
      for take in default:a talk:b default:c; do
        start --name ${take%:*} --duration 0.1 --foreground -q ${take#*:}.wav > said 2>&1 || exit
      done
      await '"$recorder" takes > said; [ $(od -A n -t u8 -j 40 -N 8 "$state/takes.index") != 0 ]'
      """)
    try #require(prepared.code == 0, "\(prepared)")
    let index = "\(Machine.state)/takes.index"
    let whole = try studio.scratch.read(index)
    let expected = try studio.run(answers)
    #expect(expected.output.hasSuffix("\n0\n") && expected.output.contains("/c.wav"))
    // A run changes some of the bits, from a random one on.
    let step = isThorough ? 12 : 41
    for bit in stride(from: Int.random(in: 0..<step), to: whole.count * 8, by: step) {
      var damaged = whole
      damaged[bit / 8] ^= 1 << (bit % 8)
      try Data(damaged).write(to: URL(filePath: studio.scratch.path(index)))
      let outcome = try studio.run(answers)
      #expect(outcome == expected, "bit \(bit % 8) of byte \(bit / 8)")
    }
  }
}
