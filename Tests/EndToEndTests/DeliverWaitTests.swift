import Foundation
import Support
import Testing

@Suite("A delivery while another process delivers", .timeLimit(.minutes(10)))
struct DeliverWaitTests {
  @Test("waits, and names the process once unless it is quiet")
  func note() throws {
    let delivery = try Delivery()
    let outcome = try delivery.run(
      """
      cp deliver real; mkfifo go
      printf '#!/bin/sh\\n: > begun; read -r line < go; exec ./real\\n' > deliver
      \(Delivery.series) --duration 0.5 --foreground a.wav > /dev/null; await '[ -e begun ]'
      "$recorder" deliver > /dev/null 2> said & command=$!
      "$recorder" deliver -q > /dev/null 2> quiet & silent=$!
      await grep -q waiting said; worker=$(pgrep -f "^/proc/self/exe delivery -- $PWD/a.wav")
      echo > go; wait $command; echo $?; wait $silent; echo $?
      sed "s/process $worker,/process N,/" said; cat quiet
      """)
    let note = "recorder: waiting for process N, which is delivering files of"
    let series = delivery.studio.scratch.path("a.wav")
    #expect(outcome.output == "0\n0\n\(note) \"\(series)\"\n", "\(outcome)")
  }
}
