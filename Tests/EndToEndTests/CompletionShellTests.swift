import Commands
import Foundation
import Support
import Testing

/// Makes a home with a take, a running recording, a sound, a program and settings to complete.
private func furnished() throws -> Studio {
  let studio = try Studio()
  let made = try studio.run(
    """
    set -e; mkdir -p bin .local/share/recorder/sounds; ln -s $recorder bin/recorder
    $recorder start --track mic=test:tone --track far=test:ramp --separate -n sep sep.wav \\
      --duration 200ms; $recorder wait sep
    start -n talk talk.wav --duration 200ms; $recorder wait talk
    start -n live live.wav
    $recorder permission grant --as dictation; $recorder config set device test:ramp
    : > .local/share/recorder/sounds/bark.wav; mkdir d; : > 'd/a b.wav'; : > d/x@y.wav
    : > 'my talk.wav'; : > @talk.wav
    for shell in bash zsh fish; do $recorder completion $shell > script.$shell; done
    """)
  guard made.code == 0 else { throw Studio.NotStarted(outcome: made) }
  return studio
}

/// Command lines, each with words that completion offers for the last word, and one that it does
/// not offer.
private let lines: [(line: String, offered: [String], never: String)] = [
  ("recorder sta", ["start", "status"], "stop"),
  ("recorder stop ", ["live"], "talk"), ("recorder play ba", ["bark"], "umbrella"),
  ("recorder sound remove ", ["bark"], "umbrella"),
  ("recorder export @sep x.wav --track ", ["mic", "far"], "talk"),
  ("recorder play @sep --track=f", ["--track=far"], "--track=mic"),
  ("recorder play @t", ["@talk"], "bark"), ("recorder info @", ["@1", "@talk"], "live.wav"),
  ("recorder start -d test:t", ["test:tone"], "test:ramp"),
  ("recorder start --device=test:r", ["--device=test:ramp"], "test:ramp"),
  ("recorder start --track far=test:t", ["far=test:tone"], "far=test:ramp"),
  ("recorder start --track=far=test:r", ["--track=far=test:ramp"], "far=test:ramp"),
  ("recorder permission status --as d", ["dictation"], "deny"),
  ("recorder config set fo", ["format"], "volume"),
  ("recorder config set format f", ["flac"], "wav"),
  ("recorder help exi", ["exit-codes"], "export"),
  ("recorder help manual vo", ["voice"], "sounds"),
  ("recorder info d/a", ["d/a b.wav"], "d/x@y.wav"),
  ("recorder info d/x@", ["d/x@y.wav"], "d/a b.wav"),
  ("recorder start --output=d/x", ["--output=d/x@y.wav"], "d/x@y.wav"),
  ("recorder info @1", ["@1"], "1"), ("recorder info ./@t", ["./@talk.wav"], "./talk.wav"),
  ("recorder info my\\ t", ["my talk.wav"], "talk.wav"),
  ("recorder info d/a\\ ", ["d/a b.wav"], "d/x@y.wav"),
  ("recorder show --png=my\\ t", ["--png=my talk.wav"], "--png=talk.wav"),
  ("recorder info ~/d/a", ["~/d/a b.wav"], "~/d/x@y.wav"),
]

@Suite("Completion in a real shell", .timeLimit(.minutes(5)))
struct CompletionShellTests {
  @Test("Bash offers existing names at its own prompt", .requires(tool: "setsid"))
  func bash() throws {
    let studio = try furnished()
    let terminal = try PseudoTerminal()
    let plain: [String: String?] = ["TERM": "dumb", "INPUTRC": "/dev/null"]
    let child = try terminal.start(
      "bash", ["--norc", "--noprofile"], environment: studio.environment.merging(plain) { $1 })
    // What the terminal echoes differs from the words that end a step.
    try terminal.type(
      """
      cd; PATH=~/bin:$PATH; source script.bash
      show() { printf '%s\\n' "$@" == >> hits; echo sho""wn; }; echo rea""dy

      """)
    try terminal.read(until: "ready", limit: .seconds(60))
    for (line, _, _) in lines {
      // Meta-* inserts all completions. The shell then reads the whole line as words.
      try terminal.type(line + "\u{1B}*\u{1}show \n")
      try terminal.read(until: "shown", limit: .seconds(60))
    }
    try terminal.type("exit\n")
    #expect(try child.wait() == .exited(0))
    let output = String(decoding: try studio.scratch.read("hits"), as: UTF8.self)
    check(output.replacing(studio.scratch.path + "/", with: "~/"))
  }

  @Test("Fish offers the same words", .requires(tool: "fish"))
  func fish() throws {
    let studio = try furnished()
    let loop = lines.map { line, _, _ in "complete --do-complete '\(line)'; echo '=='" }
      .joined(separator: "\n")
    try studio.scratch.write("source script.fish\n\(loop)\n", to: "test.fish")
    let outcome = try studio.run("PATH=$HOME/bin:$PATH fish --no-config test.fish")
    #expect(outcome.errors == "")
    check(outcome.output)
  }

  @Test("Zsh offers the same words at its own prompt", .requires(tool: "zsh"))
  func zsh() throws {
    let studio = try furnished()
    try studio.scratch.write(Self.setUp, to: "setup.zsh")
    try studio.run("mkdir functions; cp script.zsh functions/_recorder")
    let sourced = try studio.run(
      "zsh -fc 'autoload -Uz compinit; compinit -u -D; source ./script.zsh; print $_comps[recorder]'"
    )
    #expect(sourced.output == "_recorder\n" && sourced.errors == "")
    try studio.scratch.write(
      """
      zmodload zsh/zpty; zmodload zsh/zselect; export TERM=dumb
      zpty -b z zsh -f -i; zpty -w z 'source setup.zsh'
      until [[ -e ready ]]; do zpty -r -t z junk; zselect -t 5; done
      for line in \(lines.map { "'\($0.line)'" }.joined(separator: " ")); do
        : > hits; rm -f done
        zpty -w -n z "$line"$'\\t'
        until [[ -e done ]]; do zpty -r -t z junk; zselect -t 2; done
        cat hits; echo '=='
        zpty -w -n z $'\\C-e\\C-u'
      done
      zpty -d z

      """, to: "test.zsh")
    let outcome = try studio.run("PATH=$HOME/bin:$PATH zsh -f test.zsh", limit: .seconds(120))
    #expect(outcome.errors == "")
    check(outcome.output)
  }

  /// Makes zsh write the words that it offers to a file instead of showing them.
  private static let setUp = #"""
    PS1=; unsetopt prompt_cr; autoload -Uz compinit; fpath=($PWD/functions $fpath); compinit -u -D
    zstyle ':completion:*' insert-unambiguous false
    compadd() {
      local -a found
      if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
      local prefix
      prefix=${@[(r)-p]:+${@[$(( ${@[(i)-p]} + 1 ))]}}
      builtin compadd -A found "$@"
      found=(${found/#/$IPREFIX$prefix}); print -rl -- ${(Q)found} >> hits
      return 1
    }
    finish() { zle complete-word; : > done }
    zle -N finish; bindkey '^I' finish
    : > ready
    """#

  private func check(_ output: String) {
    let blocks = output.components(separatedBy: "==\n")
    #expect(blocks.count == lines.count + 1)
    for ((line, offered, never), block) in zip(lines, blocks) {
      let words = block.split(separator: "\n").map { line in
        String(line.prefix { $0 != "\t" })
      }
      #expect(Set(offered).subtracting(words) == [], "\(line): \(block)")
      #expect(!words.contains(never), "\(line): \(block)")
    }
  }

  @Test("Completion opens no device and starts no process", .requires(tool: "strace"))
  func opensNothing() throws {
    let studio = try furnished()
    let traced = lines.enumerated().map { number, line in
      let words = line.line.split(separator: " ", omittingEmptySubsequences: false).dropFirst()
        .map { "'\($0)'" }.joined(separator: " ")
      return "strace -f -o trace.\(number) $recorder complete -- \(words) > /dev/null"
    }
    let outcome = try studio.run(
      traced.joined(separator: "\n")
        + "\ngrep -hvE '(read|write)[(]' trace.* | grep -E '/dev/snd|O_CREAT|clone|fork|unlink|rename|mkdir' | grep -v '[.]lock'"
        + "\ncat trace.* | wc -l")
    let words = outcome.output.split(separator: "\n")
    #expect(words.count == 1 && Int(words.last ?? "") ?? 0 > 100, "\(outcome.output)")
  }

  @Test("Completion offers the other devices if PipeWire does not answer, and does not wait long")
  func frozenServer() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      mkdir bin; printf '#!/bin/sh\\n: > asked; sleep 1.9; : > late\\n' > bin/pw-dump
      chmod +x bin/pw-dump; export PIPEWIRE_REMOTE=none PATH=$PWD/bin:$PATH
      "$recorder" complete -- start --device test:t | cut -f 1; ls asked late
      """)
    #expect(outcome.output == "test:tone\nasked\n", "\(outcome)")
  }

  @Test("Completion takes little longer than the start of the program")
  func speed() throws {
    let studio = try furnished()
    // Completion reads only the newest takes, at the end of a catalogue of 100,000.
    try studio.run(
      """
      cd $state; line=$(tail -n 1 takes.jsonl)
      yes "$line" | head -n 100000 >> takes.jsonl
      """)
    func least(_ words: String) throws -> Double {
      let outcome = try studio.run(
        """
        python3 - <<'END'
        import os, subprocess, time
        def run():
          began = time.perf_counter()
          subprocess.run([os.environ["recorder"]] + \(words), stdout=subprocess.DEVNULL, check=True)
          return time.perf_counter() - began
        print(min(run() for _ in range(40)))
        END
        """)
      return try #require(Double(outcome.output.dropLast()))
    }
    let start = try least("['--version']")
    for words in [
      "['complete', '--', 'play', '@']", "['complete', '--', 'play', '']",
      "['complete', '--', 'start', '-d', '']", "['complete', '--', 'stop', '']",
      "['complete', '--', '']",
    ] {
      let took = try least(words)
      // The programs of the tests are built without optimization, so their loops take about ten
      // times as long.
      #expect(took < 12 * start, "\(words): \(took / start) of \(start) s")
    }
  }
}
