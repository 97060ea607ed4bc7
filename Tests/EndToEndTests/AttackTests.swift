import Foundation
import Linux
import Support
import Testing

@Suite("A revoke while a session starts", .timeLimit(.minutes(30)))
struct RevocationRaceTests {
  @Test("A revoke finds a session that started after it, and exits with 26 if the session hangs")
  func frozen() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      flock .local/state/recorder/permissions.lock sleep 1 &
      await '! flock -n .local/state/recorder/permissions.lock true'
      { "$recorder" permission revoke --json >revoked; echo "$?" >code; } & revoking=$!
      await 'ls -l /proc/$(pgrep -P $revoking)/fd 2>&1 | grep -q permissions.lock'
      pid=$(start g.wav --name g --json | number pid)
      kill -STOP "$pid"; wait "$revoking"; kill -CONT "$pid"; cat code; "$recorder" wait g; echo "$?"
      """)
    let codes = outcome.output.split(separator: "\n")
    #expect(codes.first == "26" && codes.last == "24", "\(outcome)")
    let revoked = try parsed(String(decoding: studio.scratch.read("revoked"), as: UTF8.self))
    #expect(revoked["unconfirmed"] as? [String] == ["\"g\""])
    #expect((revoked["inUse"] as? [[String: Any]])?.map { $0["name"] as? String } == ["g"])
  }

  @Test("A revoke at any moment leaves no session running, and names each that began")
  func races() throws {
    let rounds = isThorough ? 400 : 40
    let studio = try Studio(granting: false)
    var random = SeededGenerator(seed: 11)
    let delays = (0..<rounds).map { _ in String(Double.random(in: 0..<0.12, using: &random)) }
    try studio.scratch.write(delays.joined(separator: "\n") + "\n", to: "delays")
    let outcome = try studio.run(
      #"""
      round=0; while read -r delay; do
        round=$((round + 1)); "$recorder" permission grant >/dev/null
        { start --name "g$round" "g$round.wav" >/dev/null 2>&1; echo "$?" >began; } &
        # A session that wrongly continues has 0.03 s to appear in the status.
        moment "$delay"; "$recorder" permission revoke --json >revoked; code=$?; sleep 0.03
        "$recorder" status --json >status; wait
        named=$(tr -d '\\' <revoked | grep -cF "\"g$round\"")
        none=$(grep -cF '"recordings":[]' status); unused=$(grep -cF '"inUse":[]' revoked)
        echo "$round $code $(cat began) $named $none $unused"; rm -f "g$round.wav"
      done <delays
      """#, limit: .seconds(rounds * 4))
    let lines = outcome.output.split(separator: "\n").map {
      $0.split(separator: " ").map(String.init)
    }
    #expect(lines.count == rounds, "\(outcome.errors)")
    for line in lines {
      try #require(line.count == 6, "\(line): \(outcome.errors)")
      let (began, isNamed, isNone) = (line[2] == "0", line[3] != "0", line[4] == "1")
      #expect(line[1] == "0" && isNone && line[5] == "1", "\(line)")
      #expect(!began || isNamed, "\(line) began, and was not named")
    }
    print("\(lines.count) races, in \(lines.count { $0[2] == "0" }) of which the session began")
  }

  @Test("A revoke ends a meter and names it, and the status shows who is listening")
  func meter() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      "$recorder" meter -d test:tone >/dev/null 2>&1 & pid=$!
      await '"$recorder" permission status --json | grep -qF "\\"name\\":\\"meter\\""'
      "$recorder" permission | grep 'by a meter'; "$recorder" permission revoke; echo "$?"
      wait "$pid"; echo "$?"; ls $state/meters $sockets
      "$recorder" permission grant >/dev/null; "$recorder" meter -d test:tone >/dev/null 2>&1 & pid=$!
      await '"$recorder" permission status --json | grep -qF "\\"name\\":\\"meter\\""'
      kill -STOP "$pid"; "$recorder" permission revoke --force; echo "$?"; wait "$pid"; echo "$?"
      "$recorder" permission status --json | grep -c '"inUse":\\[\\]'
      ls $state/meters $sockets
      """)
    let text = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(text.contains("by a meter (test:tone)."), "\(outcome)")
    #expect(text.contains("before it had recorded anything: a meter of \"test:tone\""))
    #expect(text.contains("and was killed: a meter of \"test:tone\""))
    let numbers = outcome.output.split(separator: "\n").compactMap { Int($0) }
    #expect(numbers == [0, 21, 0, 137, 1])
    #expect(!text.contains("_meter") && !text.contains(".json"))
  }
}

@Suite("Files that other programs or users left", .timeLimit(.minutes(10)))
struct ForeignFileTests {
  let studio: Studio

  init() throws { studio = try Studio() }

  /// Makes the part of a session that died, without its record.
  private func makePart(_ name: String) throws {
    let outcome = try studio.run(
      "mkdir -p d; start d/\(name) --duration 0.3 --foreground 2>/dev/null && "
        + "mv d/\(name) d/.\(name).part")
    #expect(outcome.code == 0, "\(outcome)")
  }

  @Test(
    "A journal with numbers that no take has keeps no part from being recovered",
    arguments: [
      #"{"frame":10,"event":"resumed","discarded":9223372036854775807}"#,
      #"{"frame":10,"event":"gap","lost":9223372036854775807,"cause":"overrun"}"# + "\n"
        + #"{"frame":11,"event":"gap","lost":9223372036854775807,"cause":"overrun"}"#,
      #"{"frame":10,"event":"gap","lost":-9223372036854775808,"cause":"overrun"}"#,
    ])
  func journal(line: String) throws {
    try makePart("a.wav")
    try makePart("b.wav")
    try studio.scratch.write(line + "\n", to: "d/.a.wav.part.jsonl")
    let outcome = try studio.run(
      "$recorder recover d; echo $?; start d/a.wav --duration 0.1 --json")
    #expect(outcome.output.split(separator: "\n").contains("0"), "\(outcome)")
    #expect(try studio.run("ls d/*-recovered.wav").output.split(separator: "\n").count == 2)
    #expect(outcome.code == 0)
  }

  @Test("A part with a second name is left unchanged")
  func names() throws {
    try makePart("a.wav")
    let outcome = try studio.run(
      """
      printf torn >>d/.a.wav.part; ln d/.a.wav.part other.wav; cp other.wav before
      "$recorder" recover d; echo "$?"; cmp before other.wav && ls -A d
      """)
    #expect(outcome.output.contains("13\n") && outcome.output.contains(".a.wav.part"), "\(outcome)")
    #expect(outcome.errors.contains("it has 2 hard links"))
  }

  @Test("A part of another user is left unchanged", .requiresRoot)
  func owners() throws {
    try makePart("a.wav")
    let outcome = try studio.run(
      """
      printf torn >>d/.a.wav.part; cp d/.a.wav.part before; chown 12345 d/.a.wav.part
      "$recorder" recover d; echo "$?"; start d/a.wav --duration 0.1 --foreground; echo "$?"
      cmp before d/.a.wav.part && echo same
      """)
    #expect(outcome.output.hasPrefix("13\n") && outcome.output.hasSuffix("0\nsame\n"), "\(outcome)")
    #expect(outcome.errors.contains("belongs to user 12345"))
  }

  @Test(
    "A part is read by a child alone, which can write, open and start nothing",
    .requires(tool: "strace"), arguments: ["wav", "flac", "opus"])
  func confined(format: String) throws {
    try makePart("a.\(format)")
    let outcome = try studio.run(
      """
      strace -f -yy -e trace=execve,open,openat,pread64,read,seccomp,pwrite64,ftruncate -o trace \
        "$recorder" recover d >/dev/null; echo "$?"
      child=$(grep '"describe"' trace | cut -d' ' -f1); echo "$child" | wc -w; ls d
      grep -c "^$child .*seccomp(SECCOMP_SET_MODE_FILTER" trace
      grep 'a.\(format).part' trace | grep -v -e jsonl -e ending/ | grep read | grep -vc "^$child "
      grep "^$child " trace | sed '0,/seccomp/d' | grep -c -e open -e exec -e pwrite -e truncate
      """)
    #expect(outcome.output == "0\n1\na-recovered.\(format)\n1\n0\n0\n", "\(outcome)")
  }

  @Test("An Ogg page with a huge position breaks nothing, and the next part is recovered")
  func endless() throws {
    try makePart("a.opus")
    try makePart("b.opus")
    let outcome = try studio.run(
      """
      python3 - <<'END'
      import struct
      path = "d/.a.opus.part"
      data = bytearray(open(path, "rb").read())
      last = data.rfind(b"OggS")
      data[last + 6:last + 14] = struct.pack("<q", 2**63 - 1)
      data[last + 22:last + 26] = bytes(4)
      crc = 0
      for byte in data[last:]:
          crc ^= byte << 24
          for _ in range(8): crc = (crc << 1 ^ (0x04C11DB7 if crc & 1 << 31 else 0)) & 0xFFFFFFFF
      data[last + 22:last + 26] = struct.pack("<I", crc)
      open(path, "wb").write(data)
      END
      "$recorder" recover d; echo "$?"; ls d; start d/a.opus --duration 0.2 --foreground; echo "$?"
      """)
    #expect(outcome.output.contains("b-recovered.opus\n"), "\(outcome)")
    #expect(outcome.output.hasSuffix("0\n"), "\(outcome)")
    #expect(!outcome.output.split(separator: "\n").contains("132"), "\(outcome)")
  }

  @Test("Many large empty parts do not delay a start")
  func sparse() throws {
    let outcome = try studio.run(
      """
      for n in '' -2 -3 -4 -5 -6; do
        printf OggS >".slow.opus$n.part"; truncate -s 1000M ".slow.opus$n.part"; done
      start slow.opus --duration 0.1 --foreground; echo "$?"
      """, limit: .seconds(15))
    #expect(outcome.output.hasSuffix("0\n"), "\(outcome)")
    #expect(outcome.errors.contains("\"recorder recover\" saves it"))
  }

  @Test("An identifier with a path in a record reaches no other file")
  func identifiers() throws {
    let process = try studio.start("a.wav")
    let outcome = try studio.run(
      """
      kill -KILL \(process); ended \(process)
      cd $state; mkdir -m 700 interrupted
      sed -i 's/"id":"[^"]*"/"id":"..\\/..\\/..\\/permissions"/' sessions/default.json
      "$recorder" recover; "$recorder" status >/dev/null; ls ../../permissions.json
      """)
    #expect(outcome.output.contains("permissions.json"), "\(outcome)")
  }

  @Test("A combining mark at the start of a name does not move the part to another directory")
  func marks() throws {
    let outcome = try studio.run(
      """
      mkdir a; start "a/$(printf '\\314\\201')c.wav" >/dev/null; ls -A . a
      "$recorder" stop --json; ls a
      """)
    #expect(!outcome.output.split(separator: "\n").contains(".a"), "\(outcome)")
    #expect(outcome.output.hasSuffix("\u{301}c.wav\n") || outcome.output.contains("c.wav.part"))
    #expect(try studio.run("test -f \"a/$(printf '\\314\\201')c.wav\"").code == 0)
  }

  @Test("A start removes the remains of a killed session, even if it records another file")
  func killedStart() throws {
    let outcome = try studio.run(
      """
      mkdir -p d $state/interrupted $state/sessions
      start first.wav --duration 0.1 --foreground; head -c 80 first.wav >d/.a-002.wav.part
      host=$(cat $state/machine.json)
      touch -d '2 minutes ago' $state/interrupted/.abc.json.0123456789abcdef.tmp
      cat >$state/sessions/default.json <<END
      {"id":"dead","name":"default","pid":1,"device":"x","path":"$HOME/d/a.wav","parts":[],"began":"2026-01-01T00:00:00.000000Z","host":$host}
      END
      start b.wav --duration 0.1 --foreground; echo "$?"
      ls -A d $state/interrupted
      """)
    #expect(outcome.code == 0, "\(outcome)")
    #expect(!outcome.output.contains(".part"), "\(outcome)")
  }

  @Test("A take is saved in its directory after a rename, and stop prints the new path")
  func renamed() throws {
    let outcome = try studio.run(
      """
      mkdir d; start d/a.flac >/dev/null; "$recorder" mark m >/dev/null; mv d e
      "$recorder" status --json | grep -c '/e/a.flac'; "$recorder" stop --json
      """)
    let lines = outcome.output.split(separator: "\n")
    #expect(outcome.code == 0 && lines.first == "1", "\(outcome)")
    let stopped = try parsed(String(try #require(lines.last)))
    #expect(stopped["path"] as? String == studio.scratch.path("e/a.flac"))
    #expect(stopped["sidecar"] as? String == studio.scratch.path("e/a.flac.json"))
  }

  @Test("A plan cannot grant itself permission if a decision can be stored")
  func forgedPlan() throws {
    let outcome = try studio.run(
      """
      "$recorder" permission reset >/dev/null
      printf '%s\\n' '{"identifier":"x","name":"x","isAllowedAlone":true,"capture":{"device":"test:tone"},\(
        "")"output":{"path":"'"$HOME"'/x.wav","format":"wav"},"limits":{"duration":0.2,"free":0}}' >plan
      "$recorder" session --foreground 3<plan; echo "$?"; ls -A | grep wav
      """)
    #expect(outcome.output == "20\n", "\(outcome)")
  }
}

@Suite("An audit that cannot be written", .timeLimit(.minutes(10)))
struct UnwritableAuditTests {
  private let spoil = "cd .local/state/recorder && rm -f audit.jsonl && mkdir audit.jsonl; cd"

  @Test("is reported, and the recording continues")
  func said() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      "\(spoil); start a.wav >/dev/null && \"$recorder\" stop --json")
    let warning = "the start of the capture could not be written to the permission log"
    #expect(outcome.errors.contains(warning), "\(outcome)")
    #expect(outcome.output.contains(#""exit":0"#))
  }

  @Test(
    "lets nothing be recorded where an administrator demands it, and no file is made",
    .requires("RECORDER_ROOT_TESTS"), .requiresRoot)
  func requiredAsRoot() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      cp -a /etc "$HOME/etc" && rm -rf "$HOME/etc/recorder"
      (umask 022; mkdir -p "$HOME/etc/recorder/policy.d"
      echo '{"version":1,"rules":[],"auditRequired":true}' >"$HOME/etc/recorder/policy.d/a.json")
      cat >script <<'END'
      mount --bind "$HOME/etc" /etc; "$recorder" start -d test:ramp a.wav >/dev/null; echo "$?"
      "$recorder" stop >/dev/null; \(spoil); "$recorder" start -d test:ramp b.wav; echo "$?"
      "$recorder" meter -d test:tone --duration 1s; echo "$?"; ls -A | grep wav
      END
      unshare -m sh script
      """)
    #expect(outcome.output == "0\n22\n22\na.wav\n", "\(outcome)")
    #expect(outcome.errors.contains("requires an entry in the permission log for every recording"))
  }
}

@Suite("A permission store that others can replace, or that is full", .timeLimit(.minutes(10)))
struct ForeignStoreTests {
  @Test("A store in a home that all users can write is not used, and the message has the remedy")
  func openHome() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      chmod 0777 .; "$recorder" permission revoke; echo "$?"; mv .local .old
      "$recorder" permission status; echo "$?"; mv .old .local; chmod 0700 .
      "$recorder" permission status >/dev/null; echo "$?"
      """)
    let codes = outcome.output.split(separator: "\n").compactMap { Int($0) }
    #expect(codes == [23, 23, 0], "\(outcome)")
    #expect((outcome.output + outcome.errors).contains("chmod go-w \(studio.scratch.path)"))
  }

  @Test("A grant that does not fit into the store is not written, and the message says so")
  func full() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      long=$(printf 'n%.0s' $(seq 55)); code=0; n=0
      while [ "$code" = 0 ] && [ "$n" -lt 1000 ]; do n=$((n + 1))
        "$recorder" permission grant --for 1h --as "$long$n" >/dev/null 2>said; code=$?; done
      echo "$code"; cat said; "$recorder" permission status >/dev/null; echo "$?"
      "$recorder" permission reset --as "${long}1" >/dev/null; echo "$?"
      "$recorder" permission grant --for 1h --as "$long$n" >/dev/null; echo "$?"
      "$recorder" permission revoke >/dev/null; echo "$?"; "$recorder" permission status; echo "$?"
      """, limit: .seconds(120))
    let codes = outcome.output.split(separator: "\n").compactMap { Int($0) }
    #expect(codes == [1, 0, 0, 0, 0, 21], "\(outcome)")
    #expect(outcome.output.contains("would be larger than 64 KiB, and could not be read again"))
    #expect(outcome.output.contains("nothing was changed"))
  }

  @Test("Escape sequences in a key of a valid store do not reach the terminal")
  func escapes() throws {
    let studio = try Studio()
    let file = ".local/state/recorder/permissions.json"
    let json = try studio.scratch.read(file).drop { $0 != UInt8(ascii: "{") }.dropFirst()
    let body = Array(#"{"\u001b]0;PWNED\u0007\u001b[31m":1,"#.utf8) + json
    let sum = String(body.checksum(of: 0..<body.count), radix: 16)
    try studio.scratch.write("checksum \(sum)\n\(String(decoding: body, as: UTF8.self))", to: file)
    let outcome = try studio.run(
      """
      for verb in status grant revoke; do "$recorder" permission $verb; done; start a.wav
      "$recorder" permission status --json; true
      """)
    #expect(outcome.errors.contains("PWNED") || outcome.output.contains("PWNED"), "\(outcome)")
    #expect(!(outcome.output + outcome.errors).contains("\u{1B}"))
    #expect(!(outcome.output + outcome.errors).contains("\u{7}"))
  }
}

@Suite("A session with few descriptors", .timeLimit(.minutes(10)))
struct DescriptorTests {
  @Test("refuses further clients and saves its whole take", .requires(tool: "python3"))
  func clients() throws {
    let studio = try Studio()
    try studio.scratch.write(
      """
      import glob, os, select, socket, time
      path = glob.glob(os.environ["HOME"] + "/run/recorder/*/*.sock")[0]
      clients = []
      for _ in range(64):
          client = socket.socket(socket.AF_UNIX); client.connect(path); clients.append(client)
      select.select(clients, [], [], 10); print("connected", flush=True)
      for client in clients: client.setblocking(False)
      time.sleep(20)
      """, to: "crowd.py")
    let outcome = try studio.run(
      """
      (ulimit -n 64; start a.wav >/dev/null) || exit 1; python3 crowd.py >crowd & crowd=$!
      await grep -q connected crowd
      kill -TERM "$(number pid < $state/sessions/default.json)"
      "$recorder" wait --json; echo "$?"; kill "$crowd"; ls -A | grep wav; cat $state/sessions/*.log
      """)
    #expect(outcome.output.contains("\n0\na.wav\n"), "\(outcome)")
  }
}
