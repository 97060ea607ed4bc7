import Audio
import Control
import Digest
import Foundation
import JSON
import Linux
import Permission
import Recording
import Support
import Testing

@testable import CommandLine
@testable import Engine
@testable import Takes
import Store

/// A file of ours as it is when nobody has touched it, and all that is done with what is in it.
struct MutantSubject: Sendable, CustomTestStringConvertible {
  let name: String
  let text: String
  /// Everything that a person would be shown of it.
  let show: @Sendable ([UInt8]) -> String

  var testDescription: String { name }

  private static let stream = #""rate":48000,"channels":2,"sample":"S16""#
  private static let frames =
    #"{"elapsed":48000,"captured":47000,"lost":1000,"discarded":10,"filled":1000,"onDisk":47990}"#

  static let all = [journal, store, catalogue, record, sidecar, policy]

  static let journal = MutantSubject(
    name: "journal",
    text: #"{"frame":10,"event":"mark","text":"here"}"# + "\n"
      + #"{"frame":20,"event":"resumed","discarded":480}"# + "\n"
      + #"{"frame":30,"event":"gap","lost":99,"cause":"overrun"}"#
  ) { bytes in
    let events = bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      (try? JSONValue(decoding: Array(line).span)).flatMap(PlacedEvent.init(json:))
    }
    var books = EventBooks(events)
    books.settle(onDisk: 48_000)
    var result = RecordingResult(
      identifier: "a", name: "a", reason: .interrupted, exit: 14, device: "d",
      stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), format: .wav,
      frames: books.frames, began: .seconds(1))
    result.gaps = books.gaps
    let cues = events.compactMap { $0.cue(at: .hz48000, ProgramHost())?.label }
    let sidecar = JSONValue.array(events.map(\.json)).encoded()
    return RecordingReport(result).shown(.plain) + PrintableText.escape(cues.joined()) + sidecar
  }

  static let store = MutantSubject(
    name: "store",
    text:
      #"{"version":1,"generation":7,"uid":0,"machine":"none","microphone":{"*":{"state":"authorized","#
      + #""at":"2026-01-01T00:00:00Z","by":"prompt","lifespan":"timed","until":"2026-01-02T00:00:00Z","#
      + #""boot":"b","start":1000000000,"end":9000000000}},"sessions":{"s":{"client":"*","#
      + #""at":"2026-01-01T00:00:00Z","by":"command","boot":"b"}}}"#
  ) { body in
    let bytes = Array("sha256 \(SHA256(of: body).hexadecimal)\n".utf8) + body
    let binding = Binding(user: 0, machine: "none")
    let records: UserRecords
    do throws(LedgerFlaw) {
      records = .ledger(try Ledger(decoding: bytes))
    } catch {
      records = .unusable(.contents("/store", error))
    }
    let situation = Situation(
      records: records,
      clock: ClockReading(boottime: .seconds(5), wall: WallTime(seconds: 1_767_225_600), boot: "b"),
      account: Account(id: 0, name: "root", groups: []), binding: binding)
    let report = PermissionDesk.phrasing.report(Performed(onPaper: .status, in: situation))
    let change = Change.record(.everyone, Record(.denied, at: WallTime(seconds: 1), by: .command))
    _ = records.ledger?.applying(change, for: binding).encoded
    return PermissionDesk.message(report).lines(.error)
      + PermissionAnswer(report: report, inUse: []).shown(.plain)
  }

  static let catalogue = MutantSubject(
    name: "catalogue",
    text: #"{"id":"a","name":"a","reason":"split","exit":0,"message":"m","path":"/nowhere/a.wav","#
      + #""sidecar":"/nowhere/a.wav.json","device":"hw:0",\#(stream),"format":"wav","file":{\#(stream)},"#
      + #""duration":1,"frames":\#(frames),"gaps":[{"position":5,"length":1000,"cause":"overrun"}],"#
      + #""peak":-3.5,"clipped":0,"bytes":192000,"marks":1,"began":"2026-01-01T00:00:00.000001Z","#
      + #""segment":1,"series":"/nowhere/a.wav","total":{"files":2,"duration":2,"frames":\#(frames)}}"#
  ) { bytes in
    guard let result = (try? JSONValue(decoding: bytes.span)).flatMap(RecordingResult.init(json:))
    else { return "" }
    let ages = SeriesAges([result, result, result], believing: .seconds(1)).files.map(\.age)
    return TakesReport(takes: [(result, nil), (result, .current)], search: nil).shown(.plain)
      + RecordingReport(result).shown(.plain) + "\(ages)" + result.json.encoded()
  }

  static let record = MutantSubject(
    name: "record",
    text:
      #"{"id":"a","name":"a","pid":7,"started":9,"client":"c","device":"hw:0","path":"/nowhere/a.wav","#
      + #""part":"/nowhere/.a.wav.part","closing":["/nowhere/.b.wav.part"],"socket":"/nowhere/a.sock","#
      + #""began":"2026-01-01T00:00:00.000001Z","output":{"format":"wav","split":{"length":3600},"#
      + #""keep":{"count":5}},"stream":{\#(stream)},"file":{\#(stream)}}"#
  ) { bytes in
    guard let record = (try? JSONValue(decoding: bytes.span)).flatMap(SessionRecord.init(json:))
    else { return "" }
    var report = StatusReport(recordings: [], interrupted: [record])
    report.add(unreachable: record, .process(record.process))
    let use = MicrophoneUse(Listener(.recording, record)).sentence
    _ = InterruptedPart(path: record.part ?? "", record: record).map(\.target)
    return report.shown(.plain) + Message(use).lines(.note) + report.encoded
  }

  static let sidecar = MutantSubject(
    name: "sidecar",
    text:
      #"{"path":"/nowhere/a.wav","size":9,"inode":"18446744073709551615","modified":1,"changed":2,"#
      + #""digest":"ab","sidecar":"/nowhere/a.wav.json","sidecarDigest":"cd","left":true}"#
  ) { bytes in
    guard let file = (try? JSONValue(decoding: bytes.span)).flatMap(SavedFile.init(json:)) else {
      return ""
    }
    let warnings = SessionWarning.changed([file.path, file.path])
    return file.json.encoded() + Message(warnings.words).lines(.warning)
  }

  static let policy = MutantSubject(
    name: "policy",
    text:
      #"{"version":1,"allowPrompt":false,"auditRequired":true,"rules":[{"service":"microphone","#
      + #""match":{"users":["1000"],"groups":["g"],"devices":["hw:*"]},"status":"restricted","#
      + #""reason":"r","contact":"c"}]}"#
  ) { bytes in
    let policies: Policies
    do throws(PolicyFlaw) {
      policies = .usable([try Policy(decoding: bytes, file: "/p")])
    } catch {
      policies = .unusable(.contents("/p", error))
    }
    let situation = Situation(
      policies: policies,
      clock: ClockReading(boottime: .seconds(5), wall: WallTime(seconds: 9), boot: "b"),
      account: Account(id: 1_000, name: "u", groups: []), binding: Binding(user: 0, machine: "m"),
      device: .card(names: ["hw:0,0"]))
    let report = PermissionDesk.phrasing.report(Performed(onPaper: .status, in: situation))
    return PermissionDesk.message(report).lines(.error)
      + PermissionAnswer(report: report, inUse: []).shown(.plain)
  }
}

@Suite("A file of ours that somebody has changed", .timeLimit(.minutes(30)))
struct MutantTests {
  @Test(
    "ends nothing, hangs nothing and does nothing to a terminal", arguments: MutantSubject.all)
  func mutants(subject: MutantSubject) throws {
    let isThorough = ProcessInfo.processInfo.environment["RECORDER_TEST_EVERY"] != nil
    let count = isThorough ? 20_000 : 300
    var random = SeededGenerator(seed: 23)
    #expect(!subject.show(Array(subject.text.utf8)).isEmpty, "the file itself is understood")
    var understood = 0
    for number in 0..<count {
      let bytes = mutant(of: Array(subject.text.utf8), &random)
      let shown = subject.show(bytes)
      if !shown.isEmpty { understood += 1 }
      let isHarmless = shown.unicodeScalars.allSatisfy { $0 == "\n" || $0.isHarmlessOnTerminal }
      #expect(isHarmless, "\(subject.name) \(number): \(String(decoding: bytes, as: UTF8.self))")
    }
    print("\(count) mutants of a \(subject.name), \(understood) of them shown")
  }

  private static let numbers = [
    "0", "-1", "9223372036854775807", "-9223372036854775808", "18446744073709551615",
    "4503599627370496", "1e308", "-1e19", "0.1", "1e-320",
  ]
  private static let words = [
    #"\u001b[31m"#, #"\u0007"#, #"\u009b"#, #"\u202e"#, #"\u0000"#, "../../x", "\u{301}", "",
    String(repeating: "x", count: 5_000), #"\r\n"#,
  ]

  /// The bytes with one to three changes, each of a kind that keeps more or less of the JSON.
  private func mutant(of bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
      case 1: bytes.remove(at: place)
      case 2: bytes.removeSubrange(place..<min(bytes.count, place + 9))
      case 3: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 30)], at: place)
      case 4: replaceNumber(in: &bytes, from: place, &random)
      default: replaceWord(in: &bytes, from: place, &random)
      }
    }
    return bytes
  }

  private func replaceNumber(
    in bytes: inout [UInt8], from place: Int, _ random: inout SeededGenerator
  ) {
    let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    guard let start = bytes[place...].firstIndex(where: isDigit) else { return }
    let end = bytes[start...].firstIndex { !isDigit($0) } ?? bytes.endIndex
    let number = Self.numbers.randomElement(using: &random) ?? "0"
    bytes.replaceSubrange(start..<end, with: number.utf8)
  }

  private func replaceWord(
    in bytes: inout [UInt8], from place: Int, _ random: inout SeededGenerator
  ) {
    let quote = UInt8(ascii: "\"")
    guard let start = bytes[place...].firstIndex(of: quote),
      let end = bytes[(start + 1)...].firstIndex(of: quote)
    else { return }
    let word = Self.words.randomElement(using: &random) ?? ""
    bytes.replaceSubrange((start + 1)..<end, with: word.utf8)
  }
}
