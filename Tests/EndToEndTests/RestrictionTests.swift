import Foundation
import Support
import Testing

@Suite("An unused grant for one recording", .timeLimit(.minutes(10)))
struct UnusedGrantTests {
  @Test("survives every start that fails before the device opens")
  func kept() throws {
    let studio = try Studio(granting: false)
    let outcome = try studio.run(
      """
      "$recorder" permission grant --once >/dev/null; start a.wav >/dev/null; echo "$?"
      "$recorder" permission grant --once >/dev/null; : >there.wav; : >file
      start b.wav >/dev/null; echo "$?"; start --name b there.wav >/dev/null; echo "$?"
      start --name b file/b.wav >/dev/null; echo "$?"
      start --name b --min-free 1000000G b.wav >/dev/null; echo "$?"
      start --name b b.wav >/dev/null; echo "$?"; start --name c c.wav >/dev/null; echo "$?"
      """)
    let codes = outcome.output.split(separator: "\n")
    #expect(codes == ["0", "11", "13", "13", "13", "0", "20"], "\(outcome)")
  }
}

@Suite(
  "A recording that an administrator forbids", .requires("RECORDER_ROOT_TESTS"), .requiresRoot,
  .requires(tool: "strace"), .timeLimit(.minutes(10)))
struct RestrictionAsRootTests {
  @Test(
    "opens no device and no sound server, makes no file, and ends with 22",
    arguments: [
      "sh attempt", "script -qec 'sh attempt' /dev/null", "true | sh attempt | cat",
      #"env -i HOME="$HOME" recorder="$recorder" PATH=/usr/bin:/bin sh attempt"#,
      #"env -i HOME="$HOME" recorder="$recorder" LOGNAME=root SHELL=/bin/sh PATH=/usr/bin:/bin "#
        + "sh attempt </dev/null",
    ])
  func touchesNothing(place: String) throws {
    let studio = try Studio()
    let rule = #"{"version":1,"rules":[{"service":"microphone","match":{},"status":"restricted"}]}"#
    // The script runs in its own namespace, with a copy of `/etc`.
    let outcome = try studio.run(
      """
      cp -a /etc "$HOME/etc" && rm -rf "$HOME/etc/recorder"
      (umask 022; mkdir -p "$HOME/etc/recorder/policy.d"
      echo '\(rule)' >"$HOME/etc/recorder/policy.d/a.json")
      cat >attempt <<'END'
      cd "$HOME"; strace -f -e trace=openat,connect -o trace "$recorder" start a.wav
      echo "$?" >code
      END
      cat >script <<'END'
      mount --bind "$HOME/etc" /etc
      \(place)
      END
      unshare -m sh script >said 2>&1; cat code; cat said >&2; ls -A | grep wav
      """)
    #expect(outcome.output == "22\n", "\(outcome)")
    let trace = String(decoding: try studio.scratch.read("trace"), as: UTF8.self)
    #expect(trace.contains("/etc/recorder/policy.d"))
    for forbidden in ["/dev/snd/pcm", "pipewire-0", "pulse/native", "a.wav"] {
      #expect(!trace.contains(forbidden), "\(forbidden)")
    }
  }

  @Test("is also refused for a device from a variable")
  func variable() throws {
    let studio = try Studio()
    let rule =
      #"{"version":1,"rules":[{"service":"microphone","match":{"devices":["test:*"]},"#
      + #""status":"restricted"}]}"#
    let outcome = try studio.run(
      """
      cp -a /etc "$HOME/etc" && rm -rf "$HOME/etc/recorder"
      (umask 022; mkdir -p "$HOME/etc/recorder/policy.d"
      echo '\(rule)' >"$HOME/etc/recorder/policy.d/a.json")
      cat >script <<'END'
      mount --bind "$HOME/etc" /etc; export RECORDER_CAPTURE_DEVICE=test:tone
      "$recorder" start a.wav; echo $?; "$recorder" meter --duration 1s; echo $?
      END
      unshare -m sh script 2>said; ls -A | grep wav
      """)
    #expect(outcome.output == "22\n22\n", "\(outcome)")
  }
}
