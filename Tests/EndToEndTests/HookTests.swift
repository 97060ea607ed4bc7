import Foundation
import Support
import Testing

@Suite("A program for the end of a recording", .timeLimit(.minutes(5)))
struct HookTests {
  @Test("runs after a stop, but not after a cancel")
  func cancelled() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      #"""
      cat > hook <<'END'
      #!/bin/sh
      echo "$RECORDER_TAKE_EVENT $RECORDER_TAKE_NAME" >> "$HOME/heard"
      END
      chmod +x hook
      for option in "" --delete; do
        start --name thrown --on-segment ./hook --on-stop ./hook a.wav > said; captured 0.1
        "$recorder" cancel $option > said
      done
      start --name kept --on-stop ./hook b.wav > said; captured 0.1; "$recorder" stop > said
      await '[ -s heard ]'; await '! pgrep -f "hook $PWD/hook" > said'; cat heard
      """#)
    #expect(outcome.code == 0 && outcome.output == "stop kept\n", "\(outcome)")
  }
}
