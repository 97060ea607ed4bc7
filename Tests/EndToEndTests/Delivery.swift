import Foundation
import Support
import Testing

/// A home with a program `deliver`, which copies files into the directory `store` and fails while a
/// file `down` exists.
struct Delivery {
  let studio: Studio

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
      [ $(stat -c %s "$RECORDER_TAKE_PATH") = $RECORDER_TAKE_BYTES ] || exit 8
      cp "$RECORDER_TAKE_PATH" "store/.$name" && mv "store/.$name" "store/$name"
      END
      chmod +x deliver
      """)
  }

  static let series = "start --split 1s --on-segment ./deliver --deliver"

  /// Functions for scripts. `alone` ends the delivery in the background, which would otherwise
  /// retry during the next lines. `arrived N` waits until N files are delivered.
  static let functions = #"""
    alone() {
      for worker in $(pgrep -f "delivery -- $PWD"); do kill $worker; ended $worker; done
    }
    arrived() { await "grep -q '\"delivered\":$1,' $state/deliveries/*/state.json"; }

    """#

  func run(_ script: String, limit: Duration = .seconds(60)) throws -> Outcome {
    try studio.run(Self.functions + script, limit: limit)
  }

  func expectAllStored(_ comment: String = "") throws {
    let compared = try studio.run(
      "for f in *.wav; do cmp \"$f\" \"store/$f\" || exit 1; done; ls store | wc -l; ls *.wav | wc -l"
    )
    let counts = compared.output.split(separator: "\n")
    #expect(
      compared.code == 0 && counts.count == 2 && counts[0] == counts[1], "\(compared)\(comment)")
  }
}
