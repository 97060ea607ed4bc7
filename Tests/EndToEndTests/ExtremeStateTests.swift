import Foundation
import Support
import Testing

@Suite("An extreme value in a file", .timeLimit(.minutes(60)))
struct ExtremeStateTests {
  private let studio: Studio

  init() throws { studio = try Studio() }

  @Test("of the state, the settings or a take crashes no command and moves no other file")
  func state() throws {
    try studio.run("$recorder permission revoke --program snap:audacity")
    for name in ["permissions.json", "programs.json"] {
      // Now the file belongs to another machine, so the grants of this machine get their own file.
      let file = ".local/state/recorder/\(name)"
      let changes = ExtremeChange.all(of: file, try studio.scratch.read(file), home: "")
      let foreign = try #require(changes.first { $0.member == ".machine" })
      try Data(foreign.content).write(to: URL(filePath: studio.scratch.path(file)))
    }
    let prepared = try studio.run(Self.preparation)
    try #require(prepared.code == 0 && prepared.output == "", "\(prepared)")
    let home = studio.scratch.path("")
    let all = try #require(FileManager.default.enumerator(atPath: home))
    let files = all.compactMap { $0 as? String }.filter { name in
      name.contains(".json") && !name.hasPrefix("copies/") && !name.hasPrefix("run/")
    }
    let changes = try files.sorted().flatMap { file in
      ExtremeChange.all(of: file, try studio.scratch.read(file), home: home)
    }
    try #require(files.count >= 26 && changes.count > 1_500, "\(files)")
    let crashes = changes.filter(\.crashedOnce)
    #expect(crashes.count == 6, "\(crashes)")
    // Without a change, the script finds nothing.
    #expect(try studio.run("changed=none\n" + Self.use).output == "")
    // A run also makes some of the other changes, from a random one on.
    let step = isThorough ? 5 : changes.count / 25
    let sample = stride(from: Int.random(in: 0..<step), to: changes.count, by: step)
    for change in crashes + sample.map({ changes[$0] }) {
      try Data(change.content).write(to: URL(filePath: home + change.file))
      let outcome = try studio.run("changed='\(home)\(change.file)'\n" + Self.use)
      #expect(outcome.output == "", "\(change): \(outcome)")
      // The next player must read the restored files.
      for process in studio.processes() { kill(pid_t(process), SIGKILL) }
      try eventually { studio.processes().isEmpty }
    }
  }

  @Test("or in its name, or in an operand, crashes no command and replaces no file")
  func names() throws {
    let outcome = try studio.run(Self.naming, limit: .seconds(300))
    #expect(outcome.code == 0 && outcome.output == "", "\(outcome)")
  }
}

extension ExtremeStateTests {
  private static let (composed, decomposed) = ("\u{E9}", "e\u{301}")

  /// A function that runs a command, and prints it if a signal ended it.
  private static let attempt = #"""
    try() {
      "$recorder" "$@" > said 2>&1 < /dev/null; code=$?
      [ $code -lt 100 ] || { printf '%.99s: %s\n' "$*" $code; cat said; }
    }
    """#

  /// Gives extreme names to the files of the state, to hidden parts, and to the operands of
  /// commands. Prints the commands that a signal ended, and the sound files that changed.
  private static let naming = #"""
    \#(attempt)
    extremes='0 1 -1 9223372036854775807 9223372036854775808 -9223372036854775808 \#(composed) \#(decomposed)'
    printf '#!/bin/sh\nexit 3\n' > fails; chmod +x fails
    start --split 1h --on-segment ./fails --deliver a.wav > said; captured 0.1; "$recorder" stop > said
    for worker in $(pgrep -f "delivery -- $PWD"); do kill $worker; ended $worker; done
    start --name r --duration 0.1 r.wav > said; await [ -e $state/results/r.json ]; over
    pid=$(start --json --name k k.wav | number pid); captured 0.1 k; kill -KILL $pid; ended $pid
    queue=$(dirname $state/deliveries/*/state.json); entry=$(echo $queue/0*.json); cp .k.wav.part part
    cp $state/sessions/k.json copy; mkdir -p $state/interrupted
    for value in $extremes $(printf '%0200d' 0); do
      echo $value > "log-$value.wav"; cp part "./.log-$value.wav.part"; cp part ".log.wav-$value.part"
      for name in "$value" "k.$value" "k.0123456789abcdef.$value" "k.$value.1"; do
        for directory in sessions interrupted; do cp copy $state/$directory/$name.json; done
        cp $state/results/r.json $state/results/$name.json
        printf '{"result":%s,"part":"%s","file":[0,0]}\n' \
          "$(cat $state/results/r.json)" "$HOME/.k.wav.part" > $state/ending/$name.json
      done
      for name in $value.0123456789abcdef.1 0000000009.$value.1 0000000009.0123456789abcdef.$value; do
        cp $entry $queue/$name.json
      done
      cp $state/../../audit.jsonl $state/../../audit.jsonl.$value
    done
    cksum *.wav > sums
    for command in takes status 'recover --list' 'deliver --list' undo 'permission log' 'wait r' deliver; do
      try $command
    done
    for n in 1 2; do try start -d test:ramp --split 1h --duration 50ms --foreground log.wav; done
    try recover .; try recover
    cksum $(awk '{ print $3 }' sums) | diff sums -; rm -rf *.wav .*.part*
    for value in $extremes "" $(printf '%065536d' 0); do
      try start -d test:ramp --duration 50ms --foreground -- "$value"
      for command in info 'rename @1' trash stop mark takes recover 'sound mute' export 'permission log'; do
        try $command -- "$value"
      done
    done
    """#

  /// Makes state of each kind: grants, a take with a failing delivery, a change and a measurement,
  /// files that `--keep` deleted, a deleted take, an unread result, an announcement, two interrupted
  /// takes, sounds, a list of the guard's files, and a killed meter. The record of the take `i` is
  /// set aside, because another session uses its name. Also makes two foreign files whose names
  /// differ only in their bytes.
  private static let preparation = #"""
    "$recorder" permission grant --for 12h > said; "$recorder" permission grant --as k --once > said
    "$recorder" permission grant --program snap:zoom --for 12h > said
    printf '#!/bin/sh\nexit 3\n' > fails; chmod +x fails
    start --split 1h --on-segment ./fails --deliver --sidecar always --title t a.wav > said; captured 0.5
    "$recorder" mark here > said; "$recorder" pause > said; "$recorder" resume > said
    "$recorder" stop > said
    for worker in $(pgrep -f "delivery -- $PWD"); do kill $worker; ended $worker; done
    for n in 1 2 3; do
      start --split 1h --keep 2 p.wav > said; captured 0.1; "$recorder" stop > said
    done
    pid=$(start --json --name i i.wav | number pid); captured 0.1 i; kill -KILL $pid; ended $pid
    start --name i d.wav > said; captured 0.1 i; "$recorder" cancel i --delete > said
    "$recorder" rename a.wav b.wav > said; "$recorder" info --levels b.wav > said
    "$recorder" config set rate 48000 > said
    "$recorder" sound mute -d test:null click > said; "$recorder" sound unmute -d test:null click > said
    "$recorder" sound volume -d test:null click 50% > said; "$recorder" play -d test:null click > said
    "$recorder" sound stop --all -d test:null > said
    cp $state/player.json player.json; player=$(number pid < player.json); kill $player; ended $player
    mv player.json $state
    start --name r --duration 0.1 r.wav > said; await [ -e $state/results/r.json ]; over
    pid=$(start --json --as k --name k k.wav | number pid); captured 0.1 k
    "$recorder" mark --name k x > said; kill -KILL $pid; ended $pid
    printf '{"result":%s,"part":"%s","file":[%s]}\n' \
      "$(sed 's/"id":"[^"]*"/"id":"0123456789abcdef"/' $state/results/r.json)" \
      "$HOME/.r.wav.part" "$(stat -c '%d,%i' r.wav)" > $state/ending/r.0123456789abcdef.1.json
    cp b.wav \#(composed).wav; cp b.wav \#(decomposed).wav
    echo x > .config/guard.conf
    printf '{"files":[{"path":"%s","sha256":"%s"}]}\n' "$HOME/.config/guard.conf" \
      "$(sha256sum .config/guard.conf | cut -c -64)" > .local/state/recorder/guard-files.json
    # The next start would remove the record of the killed meter.
    "$recorder" meter -d test:ramp > said 2>&1 & meter=$!
    await '[ -e $state/meters/*.json ]'; kill -KILL $meter; ended $meter
    mkdir copies links; ln b.wav r.wav p-002.wav p-003.wav links
    cp -a .local/state/recorder .config .[ik].wav.part* *.wav b.wav.json copies
    ls -A > copies/names
    """#

  /// Runs the commands that read the file `$changed`, and then restores all files. Prints the
  /// commands that a signal ended, the sound files that changed or are gone, and new files.
  private static let use = #"""
    \#(attempt)
    parts=$(stat -c '%i %n' .[ik].wav.part)
    for command in takes status undo redo 'info @1' 'trash @1' undo 'recover --list'; do try $command; done
    case $changed in
      */permissions.json|*/programs.json|*grants/*|*/audit.jsonl)
        for command in '' log list 'status --program snap:zoom' 'grant --for 1h' 'revoke --program snap:zoom'; do
          try permission $command
        done
        try start -d test:ramp --duration 50ms --foreground x.wav ;;
      */guard-files.json) try guard on --dry-run; try guard off ;;
      # A meter holds the lock of its record while it runs.
      */meters/*)
        exec 9< "$changed"; flock 9; try permission; try permission status --json; exec 9<&-; try permission ;;
      */config.json) try config; try devices; try start -d test:ramp --duration 50ms --foreground x.wav ;;
      */saved.jsonl|*/pruned.jsonl)
        try start -d test:ramp --duration 50ms --foreground --split 1h --keep 2 p.wav ;;
      */sounds.json|*/played.json|*/player.json)
        try sound list; try play -d test:null click; try sound status; try sound stop --all -d test:null ;;
      */results/*) try wait r; try stop r ;;
      */deliveries/*) try deliver --list; try deliver ;;
      */deleted/*) try wait i; try status none; try wait none ;;
      */interrupted/*|*/k.json|*.part.jsonl) try stop i; try stop k; try recover ;;
      *.wav.json) try info b.wav; try show b.wav; try rename b.wav c.wav; try rename c.wav b.wav ;;
    esac
    for file in *.wav; do [ -e copies/$file ] && cmp copies/$file $file; done 2>&1
    trash=.local/share/Trash/files
    for copy in copies/*.wav; do
      file=${copy#copies/}
      case $file in
        p-002.wav) ;;
        b.wav) ls b.wav a.wav $trash/b.wav $trash/a.wav 2> said | grep -q . || echo "$file is gone" ;;
        *) [ -e $file ] || [ -e $trash/$file ] || echo "$file is gone" ;;
      esac
    done
    for name in \#(composed).wav \#(decomposed).wav; do [ -e $name ] || echo "$name was moved"; done
    # A recovered file has the name in the record of its session, which the change can be.
    echo "$parts" | while read -r inode part; do
      [ -e $part ] ||
        find . -maxdepth 1 -inum $inode -regex '.*-recovered\(\.wav\)?' -exec mv -n {} $part \;
    done
    ls -A | grep -vxFf copies/names |
      grep -vxE '\.cache|(a|x|p-[0-9]+)\.wav|[abr]\.wav\.json|.*-recovered(\.wav)?\.json'
    rm -rf .local/state/recorder .config .cache .local/share/Trash [ax].wav [ar].wav.json p-*.wav ./*-recovered*
    cp -a copies/recorder .local/state/recorder; cp -a copies/.config .config
    for file in b.wav r.wav p-002.wav p-003.wav; do [ -e $file ] || ln links/$file $file; done
    for part in .i.wav.part .k.wav.part; do cat copies/$part > $part; done
    cp copies/.k.wav.part.jsonl copies/b.wav.json .
    """#
}
