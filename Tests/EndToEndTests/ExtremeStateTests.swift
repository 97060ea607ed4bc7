import Foundation
import Support
import Testing

@Suite("An extreme value in a file", .timeLimit(.minutes(60)))
struct ExtremeStateTests {
  private let studio: Studio

  init() throws { studio = try Studio() }

  @Test("of the state, the settings or a take crashes no command and moves no other file")
  func state() throws {
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
    #expect(files.count >= 19 && changes.count > 1_200, "\(files)")
    // Without a change, the script finds nothing.
    #expect(try studio.run("changed=none\n" + Self.use).output == "")
    // A run makes some of the changes of each file, from a random one on.
    let step = isThorough ? 5 : 41
    for index in stride(from: Int.random(in: 0..<step), to: changes.count, by: step) {
      let change = changes[index]
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

  /// Makes state of each kind: a take with a failing delivery, a change and a measurement, files
  /// that `--keep` deleted, an unread result, an announcement, an interrupted take, and sounds.
  /// Also makes two foreign files whose names differ only in their bytes.
  private static let preparation = #"""
    printf '#!/bin/sh\nexit 3\n' > fails; chmod +x fails
    start --split 1h --on-segment ./fails --deliver --sidecar always --title t a.wav > said; captured 0.5
    "$recorder" mark here > said; "$recorder" pause > said; "$recorder" resume > said
    "$recorder" stop > said
    for worker in $(pgrep -f "delivery -- $PWD"); do kill $worker; ended $worker; done
    for n in 1 2 3; do
      start --split 1h --keep 2 p.wav > said; captured 0.1; "$recorder" stop > said
    done
    "$recorder" rename a.wav b.wav > said; "$recorder" info --levels b.wav > said
    "$recorder" config set rate 48000 > said
    "$recorder" sound mute -d test:null click > said; "$recorder" sound unmute -d test:null click > said
    "$recorder" sound volume -d test:null click 50% > said; "$recorder" play -d test:null click > said
    "$recorder" sound stop --all -d test:null > said
    cp $state/player.json player.json; player=$(number pid < player.json); kill $player; ended $player
    mv player.json $state
    start --name r --duration 0.1 r.wav > said; await [ -e $state/results/r.json ]; over
    pid=$(start --json --name k k.wav | number pid); captured 0.1 k
    "$recorder" mark --name k x > said; kill -KILL $pid; ended $pid
    printf '{"result":%s,"part":"%s","file":[%s]}\n' \
      "$(sed 's/"id":"[^"]*"/"id":"0123456789abcdef"/' $state/results/r.json)" \
      "$HOME/.r.wav.part" "$(stat -c '%d,%i' r.wav)" > $state/ending/r.0123456789abcdef.1.json
    cp b.wav \#(composed).wav; cp b.wav \#(decomposed).wav
    mkdir copies links; ln b.wav r.wav p-002.wav p-003.wav links
    cp -a .local/state/recorder .config .k.wav.part .k.wav.part.jsonl *.wav b.wav.json copies
    ls -A > copies/names
    """#

  /// Runs the commands that read the file `$changed`, and then restores all files. Prints the
  /// commands that a signal ended, the sound files that changed or are gone, and new files.
  private static let use = #"""
    \#(attempt)
    for command in takes status undo redo 'info @1' 'trash @1' undo 'recover --list'; do try $command; done
    case $changed in
      */permissions.json|*/audit.jsonl) try permission; try permission log; try permission list ;;
      */config.json) try config; try devices; try start -d test:ramp --duration 50ms --foreground x.wav ;;
      */saved.jsonl|*/pruned.jsonl)
        try start -d test:ramp --duration 50ms --foreground --split 1h --keep 2 p.wav ;;
      */sounds.json|*/played.json|*/player.json)
        try sound list; try play -d test:null click; try sound status; try sound stop --all -d test:null ;;
      */results/*) try wait r; try stop r ;;
      */deliveries/*) try deliver --list; try deliver ;;
      */k.json|*.part.jsonl) try stop k; try recover ;;
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
    # The recovered file has the name in the record of the session, which the change can be.
    [ -e .k.wav.part ] || for file in ./*-recovered ./*-recovered.wav; do
      [ ! -e "$file" ] || mv -n "$file" .k.wav.part
    done
    ls -A | grep -vxFf copies/names |
      grep -vxE '\.cache|(a|x|p-[0-9]+)\.wav|[abr]\.wav\.json|.*-recovered(\.wav)?\.json'
    rm -rf .local/state/recorder .config .cache .local/share/Trash [ax].wav [ar].wav.json p-*.wav ./*-recovered*
    cp -a copies/recorder .local/state/recorder; cp -a copies/.config .config
    for file in b.wav r.wav p-002.wav p-003.wav; do [ -e $file ] || ln links/$file $file; done
    cat copies/.k.wav.part > .k.wav.part; cp copies/.k.wav.part.jsonl copies/b.wav.json .
    """#
}
