import Foundation
import Linux
import Support
import Testing

@Suite("A process in the background", .timeLimit(.minutes(10)))
struct BackgroundTests {
  @Test(
    "The first process of a container, or its one program, says what to type instead",
    .requiresNamespaces,
    arguments: [
      // `exec` replaces the shell, so the command is the first process.
      ("exec \"$recorder\" start --device test:ramp a.wav", "first process", 64),
      ("exec \"$recorder\" play done --detach --device test:null", "leave out --detach", 64),
      ("exec ./tini \"$recorder\" start --device test:ramp a.wav", "\"tini\"", 64),
      ("exec ./tini sh -c '\"$recorder\" start -d test:ramp a.wav; \"$recorder\" stop'", "", 0),
      ("\"$recorder\" start --device test:ramp a.wav; \"$recorder\" stop", "", 0),
      ("exec \"$recorder\" start --foreground --duration 200ms -q -d test:ramp a.wav", "", 0),
    ])
  func container(script: String, said: String, code: Int32) throws {
    let studio = try Studio(granting: false)
    try studio.scratch.write(
      """
      #include <stdlib.h>
      #include <sys/wait.h>
      #include <unistd.h>
      int main(int count, char **words) {
        int status = 0;
        pid_t child = fork();
        if (child == 0) { execvp(words[1], words + 1); _exit(127); }
        waitpid(child, &status, 0);
        return WEXITSTATUS(status);
      }
      """, to: "tini.c")
    // The grant is made inside the namespace, because the user ID differs there.
    try studio.scratch.write("\"$recorder\" permission grant > /dev/null\n" + script, to: "script")
    let outcome = try studio.run("cc -o tini tini.c && unshare -rpf --mount-proc sh script")
    #expect(outcome.code == code && (said.isEmpty || outcome.errors.contains(said)), "\(outcome)")
    if code == 64 { #expect(try !studio.scratch.names().contains("a.wav"), "\(outcome)") }
  }

  @Test(
    "A hook of a recording that is the first process of a container runs to its end",
    .requiresNamespaces)
  func hook() throws {
    let studio = try Studio(granting: false)
    try studio.scratch.write(
      """
      "$recorder" permission grant > /dev/null; printf '#!/bin/sh\nsleep 0.3; echo end > ended\n' > hook
      chmod +x hook
      exec "$recorder" start --foreground -q -d test:ramp --duration 200ms --on-stop ./hook a.wav
      """, to: "script")
    let outcome = try studio.run("unshare -rpf --mount-proc sh script > /dev/null; cat ended")
    #expect(outcome.output == "end\n", "\(outcome)")
  }

  @Test("A start as the main process of a service is refused; a start by its script is not")
  func service() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      sh -c 'SYSTEMD_EXEC_PID=$$ exec "$recorder" start --device test:ramp a.wav'; echo $?
      SYSTEMD_EXEC_PID=$$; export SYSTEMD_EXEC_PID
      start a.wav > /dev/null; echo $?; "$recorder" stop > /dev/null
      """)
    #expect(outcome.output == "64\n0\n", "\(outcome)")
    #expect(outcome.errors.contains("--foreground") && outcome.errors.contains("systemd"))
  }

  @Test("A recording in the foreground that shows nothing wakes seldom")
  func unseen() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start -q --foreground a.wav > /dev/null 2>&1 &
      captured 0.5; process=$("$recorder" status --json | number pid)
      wakes() {
        for task in /proc/"$process"/task/*; do
          grep -qx writer "$task/comm" && sed -n 's/^voluntary_ctxt_switches:[^0-9]*//p' "$task/status"
        done
      }
      # Wakes are counted over a time.
      before=$(wakes); began=$(date +%s%N); sleep 2; after=$(wakes); ended=$(date +%s%N)
      echo $(((after - before) * 10000000000 / (ended - began))); "$recorder" stop > /dev/null
      """)
    let wakes = try #require(Int(outcome.output.dropLast()), "\(outcome)")
    // The count is per ten seconds. If levels are shown, it is a hundred.
    #expect((10...60).contains(wakes))
  }

  @Test(
    "A player ends soon after a sound was stopped midway, and later where one is paused",
    arguments: ["stop", "pause"])
  func idle(verb: String) throws {
    let theatre = try Theatre()
    try theatre.run(
      """
      setsid "$recorder" player --idle 600ms > /dev/null 2>&1 < /dev/null &
      await '[ -S "$XDG_RUNTIME_DIR"/recorder/*/_player.sock ]'
      play umbrella --detach; sound \(verb) umbrella
      """)
    let process = try #require(theatre.studio.processes().first)
    let player = try OtherProcess(Int32(process))
    let hasEnded = try player.descriptor.wait(upTo: .seconds(verb == "stop" ? 20 : 2))
    #expect(hasEnded == (verb == "stop"))
    let left =
      try theatre.scratch.names().contains(".local")
      ? FileManager.default.contentsOfDirectory(
        atPath: theatre.scratch.path(Machine.state)) : []
    #expect(left.contains("player.json") == (verb == "pause"), "\(left)")
  }

  @Test(
    "An unreachable player is named with its host, and no command waits for it",
    .requiresNamespaces)
  func unreachable() throws {
    let theatre = try Theatre()
    try theatre.scratch.write(
      """
      hostname box; mount -t tmpfs none "$XDG_RUNTIME_DIR"; export XDG_RUNTIME_DIR="$HOME/other"
      "$recorder" sound stop; echo $?; "$recorder" play done --device test:null; echo $?
      """, to: "script")
    let outcome = try theatre.run(
      """
      play umbrella --loop --detach; mkdir -m 700 other
      timeout 3 unshare -rmupf --mount-proc sh script; echo $?; sound status
      """)
    #expect(outcome.output.hasPrefix("1\n1\n0\numbrella  playing"), "\(outcome)")
    let host = try HostIdentity.name()
    #expect(outcome.errors.contains("runs on \"\(host)\""), "\(outcome)")
  }

  @Test("A player of an older version that cannot be reached is reported")
  func formerPlayer() throws {
    let theatre = try Theatre()
    let outcome = try theatre.run(
      """
      play umbrella --loop --detach; mkdir -m 700 other; rm $state/player.json
      export XDG_RUNTIME_DIR="$HOME/other"; sound status; echo $?; play done; echo $?
      """)
    #expect(outcome.output == "1\n1\n", "\(outcome)")
    #expect(outcome.errors.contains("another XDG_RUNTIME_DIR"), "\(outcome)")
  }

  @Test("The player stays reachable if a logout removes the runtime directory")
  func logout() throws {
    let theatre = try Theatre()
    try theatre.run("play umbrella --loop --detach; rm -r \"$XDG_RUNTIME_DIR\"")
    let found = try theatre.wait { $0["umbrella"]?["state"] as? String == "playing" }
    #expect(found)
  }

  @Test(
    "Root with the home of another user is advised to use sudo -H, never to chown it",
    .requires("RECORDER_ROOT_TESTS"), .requiresRoot)
  func sudoAsRoot() throws {
    let studio = try Studio(granting: false)
    let outcome = try studio.run(
      """
      mkdir theirs; chown 65534 theirs; export HOME="$PWD/theirs"
      for command in 'permission grant' 'start a.wav' status 'play done' takes 'sound list'; do
        "$recorder" $command 2> said && echo "$command"
        grep -q 'sudo -H' said || echo "$command: $(cat said)"
        grep -E 'give|chown' said
      done
      """)
    #expect(outcome.output.isEmpty, "\(outcome)")
  }
}
