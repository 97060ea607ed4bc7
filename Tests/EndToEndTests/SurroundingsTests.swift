import Foundation
import Support
import Testing

/// The hierarchy of cgroups that systemd uses itself. Only root may write there.
private let groups = "/sys/fs/cgroup/systemd"

@Suite("The environment of a start", .timeLimit(.minutes(10)))
struct SurroundingsTests {
  @Test("A recording is found by commands that have only the home in their environment")
  func environments() throws {
    let studio = try Studio()
    try studio.run("start a.wav")
    let bare = "env -i HOME=\"$HOME\" PATH=/usr/bin:/bin \"$recorder\""
    let cron = "env -i HOME=\"$HOME\" SHELL=/bin/sh LOGNAME=x PATH=/usr/bin:/bin setsid -w"
    let outcome = try studio.run(
      """
      \(bare) pause > /dev/null && \(bare) status | head -n 1
      \(cron) sh -c '"'"$recorder"'" resume' < /dev/null | head -n 1
      cd /; \(bare) stop > /dev/null; echo $?
      """)
    #expect(outcome.output == "default: paused\ndefault: recording\n0\n", "\(outcome)")
  }

  @Test(
    "Recording and stopping work with an unusable runtime directory",
    arguments: [
      "relative", "/nonexistent/run", "\"$HOME/link\"", "\"$HOME/open\"", "\"$HOME/$long\"", "",
    ])
  func runtimeDirectories(path: String) throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      long=$(printf 'x%.0s' $(seq 120)); mkdir -m 700 $long real; mkdir open; chmod 777 open
      ln -s real link; export XDG_RUNTIME_DIR=\(path)
      start a.wav > /dev/null && "$recorder" status | head -n 1; "$recorder" stop > /dev/null
      echo $?; find . -name '*.sock'
      """)
    #expect(outcome.output == "default: recording\n0\n", "\(outcome)")
  }

  @Test(
    "A sound server is reached from where nothing names its directory, as from cron",
    .requires("RECORDER_PACED_CARD"), .requiresNamespaces)
  func soundServer() throws {
    let studio = try Studio(granting: false)
    // The script runs in its own namespace, with another user ID. There the runtime directory of
    // the user is that of the paced card.
    try studio.scratch.write(
      """
      set -e; user=$(id -u); mount -t tmpfs none /run; mkdir -p /run/user/$user
      mount --bind "$RECORDER_PACED_CARD_SESSION/runtime" /run/user/$user
      bare() {
        env -i HOME="$HOME" PATH=/usr/bin:/bin ALSA_CONFIG_PATH="$ALSA_CONFIG_PATH" "$@"
      }
      bare "$recorder" permission grant > /dev/null
      # The microphone, the speaker, and the sound of the speaker.
      bare "$recorder" devices | grep -c "PipeWire's default"
      bare "$recorder" start --device pipewire --duration 300ms a.wav > /dev/null
      bare "$recorder" wait > /dev/null; echo $?
      """, to: "script")
    let outcome = try studio.run("unshare -rm sh script")
    #expect(outcome == Outcome(code: 0, output: "3\n0\n", errors: ""))
  }

  @Test("Substitutions, pipes and remote shells end immediately while the recording continues")
  func inherited() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      x=$(start a.wav); echo "${x%% *}"; start --name b b.wav | cat > /dev/null
      exec 7> held; start --name c c.wav > /dev/null 2>&1; exec 7>&-
      for process in $(sed 's/.*"pid":\\([0-9]*\\).*/\\1/' $state/sessions/*.json); do
        ls -l /proc/$process/fd | grep -E 'pipe:|held|out$'
      done
      "$recorder" stop --all > /dev/null; echo $?
      """)
    #expect(outcome == Outcome(code: 0, output: "Recording\n0\n", errors: ""))
  }

  @Test(
    "In a service manager's group the session stays in it, and is saved if the group is ended",
    .enabled(
      if: FileManager.default.isWritableFile(atPath: groups),
      "only root may make a group of processes in \(groups)"))
  func group() throws {
    let studio = try Studio()
    let group = "\(groups)/recorder-test-\(ProcessInfo.processInfo.processIdentifier)"
    let outcome = try studio.run(
      """
      mkdir \(group) && sh -c 'echo $$ > \(group)/cgroup.procs; exec "$recorder" start -d test:ramp a.wav' \
        > /dev/null
      captured 0.2; wc -l < \(group)/cgroup.procs
      for process in $(cat \(group)/cgroup.procs); do kill -TERM $process; done
      "$recorder" wait > /dev/null; echo $?
      await 'rmdir \(group) 2> /dev/null'
      """)
    #expect(outcome.output == "1\n0\n", "\(outcome)")
    #expect(try studio.soundBytes("a.wav") != nil)
  }

  @Test("A dictation program can read S16, mono, 16 kHz, one period at a time")
  func dictation() throws {
    let studio = try Studio()
    try studio.scratch.write(
      """
      import os, time
      sizes, began = [], time.monotonic()
      while data := os.read(0, 65536):
        sizes.append(len(data))
        if len(sizes) == 20: break
      print(sum(sizes), max(sizes), round(time.monotonic() - began, 1))
      """, to: "dictate.py")
    let outcome = try studio.run(
      """
      { "$recorder" start -d test:tone - --format raw --rate 16000 --channels 1 --period 20ms
        echo "code $?" >&2; } | python3 dictate.py
      """)
    #expect(outcome.errors.hasSuffix("code 0\n"))
    let numbers = outcome.output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    try #require(numbers.count == 3)
    // There are 20 reads of 20 ms, and the first one fills the rate converter. On a busy machine a
    // read brings several periods.
    #expect(numbers[0] >= 18 * 640 && numbers[1] <= 32_000, "\(outcome)")
  }
}
