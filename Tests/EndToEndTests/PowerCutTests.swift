import Foundation
import Support
import Testing

@Suite("A power cut", .timeLimit(.minutes(20)))
struct PowerCutTests {
  let studio: Studio

  init() throws { studio = try Studio() }

  private static let formats = isThorough ? ["wav", "flac", "opus", "raw"] : ["wav", "flac"]

  /// The number of disk states that are tested for each moment.
  private static let states = isThorough ? 8 : 2

  /// Returns the recorded calls of a take with a split and a mark in each file.
  private func calls(_ format: String) throws -> [FollowedCall] {
    let follow = try studio.preloading("trace", "TRACE_IN=session TRACE=$HOME/trace")
    let outcome = try studio.run(
      """
      mkdir 0
      \(follow) start -q --split 1500ms --duration 2900ms 0/a.\(format) > out
      captured 1.2; "$recorder" mark here > out; captured 2.2; "$recorder" mark there > out; "$recorder" wait > out
      """)
    #expect(outcome.code == 0, "\(outcome)")
    return FollowedCall.all(in: try studio.scratch.read("trace"))
  }

  @Test(
    "All synchronised frames are read back in order, with any part of later writes",
    arguments: formats)
  func take(format: String) throws {
    let calls = try calls(format)
    let files = try studio.decoded(["0/a.\(format)", "0/a-002.\(format)"])
    let whole = [1: files[0], 2: files[1]]
    if format != "opus" {
      let all = (whole[1] ?? []) + (whole[2] ?? [])
      #expect(firstBreak(in: all) == nil)
    }
    var disk = RememberedDisk(studio.scratch.path("0"))
    var random = SeededGenerator(seed: UInt64(format.utf8.count))
    var (moments, count, unsure) = (0, 0, 0)
    for call in calls {
      // The cut comes before these calls. Most bytes are unsynchronised just before a
      // synchronisation, and a name just before the next change of a name.
      let isMoment = !["pwrite", "write", "openat"].contains(call.name)
      if isMoment,
        call.subject.contains("/0") || call.subject.contains("a-002")
          || call.subject.hasPrefix(".a.")
      {
        for _ in stride(from: 0, to: Self.states, by: 40) {
          let states = (0..<min(40, Self.states)).map { _ in disk.afterCut(&random) }
          let all = try recovered([disk.least] + states, format)
          let least = all[0]
          for found in all.dropFirst() {
            expectAll(
              found, least, format, whole, "\(format), before \(call.name) \(call.subject)")
          }
          count += states.count
        }
        moments += 1
      }
      unsure = max(unsure, disk.unsure)
      disk.follow(call)
    }
    #expect(try recovered([disk.least], format)[0].count == 2)
    #expect(moments > 6)
    print("\(format): \(count) states at \(moments) moments; at most \(unsure) bytes were unsure")
  }

  @Test("At most 2 s of sound are not yet on the disk at any time", arguments: formats)
  func bound(format: String) throws {
    let follow = try studio.preloading("trace", "TRACE_IN=session TRACE=$HOME/trace")
    let outcome = try studio.run(
      """
      mkdir 0; \(follow) start -q 0/a.\(format) > out; captured 4
      waited $("$recorder" status --json | number pid) >&2; "$recorder" stop --json
      """)
    #expect(outcome.code == 0, "\(outcome)")
    let length = try #require(try parsed(outcome.output)["duration"] as? Double)
    // A session without a processor cannot synchronise the disk, so its waits are added to the
    // limit.
    let wait = try #require(Double(outcome.errors.dropLast())) / 1e9
    var disk = RememberedDisk(studio.scratch.path("0"))
    var unsure = 0
    for call in FollowedCall.all(in: try studio.scratch.read("trace")) {
      disk.follow(call)
      unsure = max(unsure, disk.unsure)
    }
    // In every format, each second of the ramp has the same number of bytes.
    let bytes = try studio.scratch.read("0/a.\(format)").count
    let seconds = Double(unsure) / Double(bytes) * length
    print("\(format): at most \(seconds) s were unsure; \(wait) s without a processor")
    #expect(seconds > 0.5 && seconds < 2 + wait)
  }

  @Test("A mark is on the disk before the take ends", arguments: ["wav", "flac"])
  func mark(format: String) throws {
    let follow = try studio.preloading("trace", "TRACE_IN=session TRACE=$HOME/trace")
    let outcome = try studio.run(
      """
      mkdir 0; \(follow) start -q 0/a.\(format) > out; captured 1
      "$recorder" mark here > out; captured +4; "$recorder" stop > out
      """)
    #expect(outcome.code == 0, "\(outcome)")
    var disk = RememberedDisk(studio.scratch.path("0"))
    let part = ".a.\(format).part"
    for call in FollowedCall.all(in: try studio.scratch.read("trace")) {
      if call.name.hasPrefix("renameat"), call.subject == part { break }
      disk.follow(call)
    }
    let journal = String(decoding: disk.least[part + ".jsonl"] ?? [], as: UTF8.self)
    #expect(journal.contains("\"here\""), "\(disk.least.keys)")
  }

  /// Recovers the files of each state, and returns their frames by the index of the file in the
  /// take.
  private func recovered(
    _ states: [[String: [UInt8]]], _ format: String
  ) throws -> [[Int: [UInt32]]] {
    for (number, files) in states.enumerated() {
      try FileManager.default.createDirectory(
        atPath: studio.scratch.path("c\(number)"), withIntermediateDirectories: false)
      for (name, bytes) in files {
        try Data(bytes).write(to: URL(filePath: studio.scratch.path("c\(number)/\(name)")))
      }
    }
    defer { _ = try? studio.run("rm -r c*") }
    let reading = format == "raw" ? "-f s16le -ar 48000 -ac 2" : ""
    let outcome = try studio.run(
      """
      for n in \(states.indices.map(String.init).joined(separator: " ")); do
        { "$recorder" recover c$n > c$n.told 2>&1; code=$?
          case $code in 0|10|16) ;; *) echo "recover ended with $code: $(cat c$n.told)";; esac
        } &
        [ $((n % 8)) = 7 ] && wait
      done; wait
      # One ffmpeg for all: loading its libraries is most of its work.
      inputs= outputs= count=0
      for file in c*/*.\(format); do
        # A file that never was on the disk may not be recovered.
        [ -e "$file" ] || continue
        inputs="$inputs \(reading) -i $file"
        outputs="$outputs -map $count -f s16le -ac 2 -ar 48000 $file.pcm"; count=$((count + 1))
      done
      [ $count = 0 ] || ffmpeg -v error -xerror $inputs $outputs 2>&1
      case \(format) in wav|flac)
        for file in c*/*.\(format); do
          [ ! -e "$file" ] || [ $(soxi -s "$file") = $(($(stat -c %s "$file.pcm") / 4)) ] \
            || echo "$file: sox reads another length"
        done ;;
      esac
      """, limit: .seconds(240))
    #expect(outcome.output == "" && outcome.errors == "", "\(outcome)")
    return try states.indices.map { number in
      var found: [Int: [UInt32]] = [:]
      for name in try studio.run("ls c\(number)").output.split(separator: "\n")
      where name.hasSuffix(".pcm") {
        let place = name.contains("-002") ? 2 : 1
        #expect(found[place] == nil, "\(name) is there twice")
        found[place] = try studio.ramp("c\(number)/\(name)")
      }
      return found
    }
  }

  /// Expects that all synchronised frames exist. The frames after them must be the sound, or, in
  /// WAV and raw files, silence for a missing page.
  private func expectAll(
    _ found: [Int: [UInt32]], _ least: [Int: [UInt32]], _ format: String,
    _ whole: [Int: [UInt32]], _ about: String
  ) {
    for (place, sure) in least { #expect(found[place]?.count ?? 0 >= sure.count, "\(about)") }
    guard format != "opus" else { return }
    for (place, numbers) in found {
      let whole = whole[place] ?? []
      let sure = least[place]?.count ?? 0
      guard numbers.count <= whole.count else {
        Issue.record("\(about): \(numbers.count) of \(whole.count) frames")
        continue
      }
      // Most files are intact, which this comparison finds quickly.
      if memcmp(numbers, whole, numbers.count * 4) == 0 { continue }
      let wrong = numbers.indices.first { index in
        let isSilent = index >= sure && format != "flac" && numbers[index] == 0
        return numbers[index] != whole[index] && !isSilent
      }
      #expect(wrong == nil, "\(about): frame \(wrong ?? 0) of file \(place), \(sure) were sure")
    }
  }

  @Test("An added sound is complete or absent, and on the disk once the command reports it")
  func addedSound() throws {
    let sounds = ".local/share/recorder/sounds"
    let whole = WaveBytes.file([Int16](repeating: 5_000, count: 4_800), channels: 1)
    try Data(whole).write(to: URL(filePath: studio.scratch.path("a.wav")))
    let follow = try studio.preloading("trace", "TRACE_IN=sound TRACE=$HOME/trace")
    #expect(try studio.run("\(follow) \"$recorder\" sound add a.wav > out").code == 0)
    var disk = RememberedDisk(studio.scratch.path(sounds))
    var random = SeededGenerator(seed: 26)
    var isOver = false
    for call in FollowedCall.all(in: try studio.scratch.read("trace")) {
      for _ in 0..<200 {
        let left = disk.afterCut(&random)["a.wav"]
        #expect(left == whole || (left == nil && !isOver), "before \(call.name)")
      }
      isOver = isOver || call.subject == studio.scratch.path("out")
      disk.follow(call)
    }
    #expect(isOver && disk.least["a.wav"] == whole)
  }

  @Test("Each file with a delivery is in the spool on the disk before it gets its name")
  func spool() throws {
    let follow = try studio.preloading("trace", "TRACE_IN=session TRACE=$HOME/trace")
    let outcome = try studio.run(
      """
      printf '#!/bin/sh\\nexit 3\\n' > fails; chmod +x fails
      \(follow) start -q --split 1s --duration 2.5 --on-segment ./fails --deliver a.wav > said
      "$recorder" wait > said
      for worker in $(pgrep -f "delivery -- $PWD"); do kill $worker; ended $worker; done
      printf %s $state/deliveries/*/
      """)
    var disk = RememberedDisk(studio.scratch.path(String(outcome.output.dropLast())))
    var named: [String] = []
    for call in FollowedCall.all(in: try studio.scratch.read("trace")) {
      let name = String(decoding: call.bytes, as: UTF8.self)
      if call.name.hasPrefix("renameat"), call.subject.hasSuffix(".wav.part") {
        named.append(studio.scratch.path(name))
        let entries = disk.least.filter { $0.key.hasPrefix("0") }.sorted { $0.key < $1.key }
        let results = try entries.map {
          try parsed(String(decoding: $0.value, as: UTF8.self))["result"] as? [String: Any]
        }
        #expect(results.map { $0?["path"] as? String } == named)
      }
      disk.follow(call)
    }
    #expect(named.count == 3, "\(outcome)")
  }

  @Test("The permission is the old one or the new one, and a reported change is on the disk")
  func permission() throws {
    let state = ".local/state/recorder"
    let before = try studio.scratch.read("\(state)/permissions.json")
    let follow = try studio.preloading("trace", "TRACE_IN=permission TRACE=$HOME/trace")
    #expect(try studio.run("\(follow) \"$recorder\" permission revoke > told").code == 0)
    let after = try studio.scratch.read("\(state)/permissions.json")
    var disk = RememberedDisk(
      studio.scratch.path(state), holding: ["permissions.json": before])
    var random = SeededGenerator(seed: 25)
    var wasTold = false
    for call in FollowedCall.all(in: try studio.scratch.read("trace")) {
      for _ in 0..<200 {
        let left = disk.afterCut(&random)["permissions.json"]
        #expect(left == after || (left == before && !wasTold), "before \(call.name)")
      }
      wasTold = wasTold || call.subject == studio.scratch.path("told")
      disk.follow(call)
    }
    #expect(before != after && wasTold && disk.least["permissions.json"] == after)
  }
}
