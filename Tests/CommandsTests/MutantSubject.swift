import Audio
import JSON
import Linux
import Recording

@testable import Commands
@testable import Control
@testable import Files
@testable import Permission
@testable import Store
@testable import Takes

/// An unmodified file of this program, and everything that is done with its content.
struct MutantSubject: Sendable {
  let name: String
  let text: String
  /// Returns everything of it that is shown to a user.
  let show: @Sendable ([UInt8]) -> String

  private static let stream = #""rate":48000,"channels":2,"sample":"S16""#
  private static let frames =
    #"{"elapsed":48000,"captured":47000,"lost":1000,"discarded":10,"filled":1000,"onDisk":47990}"#

  static let all = [journal, store, programs, catalogue, record, saved, sidecar, policy]

  static let journal = MutantSubject(
    name: "journal",
    text: #"{"frame":10,"event":"mark","text":"here"}"# + "\n"
      + #"{"frame":20,"event":"resumed","discarded":480}"# + "\n"
      + #"{"frame":30,"event":"gap","lost":99,"cause":"overrun","filled":false}"#
  ) { bytes in
    let events = PositionedEvent.events(inJournal: bytes, upTo: 48_000)
    let counts = EventCounts(events, from: .hz48000, to: .hz48000, onDisk: 48_000)
    var facts = TakeFacts(
      identifier: "a", name: "a", device: "d",
      stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), format: .wav)
    (facts.frames, facts.gaps) = (counts.frames, counts.gaps)
    let result = RecordingResult(facts, reason: .interrupted, exit: 14, began: .seconds(1))
    let cues = events.compactMap { $0.cue(at: .hz48000, ProgramHost()) }
    _ = WaveTail.cues(in: WaveTail.bytes(cues: cues, tags: [:]))
    let sidecar = JSONValue.array(events.map(\.json)).encoded()
    return RecordingReport(result).shown(.plain) + PrintableText.escape(cues.map(\.label).joined())
      + sidecar
  }

  static let store = MutantSubject(
    name: "store",
    text:
      #"{"version":1,"generation":7,"uid":0,"machine":"none","microphone":{"*":{"state":"authorized","#
      + #""at":"2026-01-01T00:00:00Z","by":"prompt","lifespan":"timed","until":"2026-01-02T00:00:00Z","#
      + #""boot":"b","start":1000000000,"end":9000000000}},"sessions":{"s":{"client":"*","#
      + #""at":"2026-01-01T00:00:00Z","by":"command","boot":"b"}}}"#
  ) { show($0, of: .caller) }

  static let programs = MutantSubject(
    name: "programs",
    text:
      #"{"version":1,"generation":7,"uid":0,"machine":"none","microphone":{"path:/a/\u001b[31mb":"#
      + #"{"state":"denied","at":"2026-01-01T00:00:00Z","by":"command"},"snap:b":{"state":"#
      + #""authorized","at":"2026-01-01T00:00:00Z","by":"prompt","lifespan":"forever"}},"systemAudio":{"#
      + #""program:*":{"state":"denied","at":"2026-01-01T00:00:00Z","by":"command"}},"sessions":{"s":{"#
      + #""client":"flatpak:c","services":["microphone"],"at":"2026-01-01T00:00:00Z","by":"command"}}}"#
  ) { show($0, of: .program) }

  /// Returns everything that is shown of the decisions about clients of one kind.
  private static func show(_ body: [UInt8], of kind: Client.Kind) -> String {
    let bytes = Ledger.file(of: body)
    let owner = StoreOwner(user: 0, machine: "none")
    let records: UserRecords
    do throws(FileFlaw) {
      records = .ledger(try Ledger(decoding: bytes, of: kind))
    } catch {
      records = .unusable(.file("/store", error))
    }
    var situation = Situation(
      records: records,
      clock: ClockReading(boottime: .seconds(5), wall: WallTime(seconds: 1_767_225_600), boot: "b"),
      account: Account(id: 0, name: "root", groups: []), owner: owner, client: kind.everyone)
    let summary = MicrophoneAccess.phrasing.summary(
      PermissionOutcome(
        command: .status, transition: .none, before: situation, after: situation))
    let change = LedgerChange.record(
      .everything(kind), Record(.denied, at: WallTime(seconds: 1), by: .command))
    _ = records.ledger?.applying(change, for: owner).encoded
    let known = Set(records.ledger?.records.keys.map(\.client) ?? []).map { client in
      situation.client = client
      return KnownProgram(
        client: client,
        statuses: situation.about(Set(Service.allCases)).decisions.map(\.status), lastUse: nil)
    }
    return MicrophoneAccess.message(summary).lines(.error)
      + PermissionReport(summary: summary, inUse: []).shown(.plain)
      + PermissionListReport(programs: known).shown(.plain)
  }

  static let catalogue = MutantSubject(
    name: "catalogue",
    text: #"{"id":"a","name":"a","reason":"split","exit":0,"message":"m","path":"/nowhere/a.wav","#
      + #""sidecar":"/nowhere/a.wav.json","device":"hw:0",\#(stream),"format":"wav","file":{\#(stream)},"#
      + #""duration":1,"frames":\#(frames),"gaps":[{"position":5,"length":1000,"cause":"overrun"}],"#
      + #""peak":-3.5,"clipped":0,"bytes":192000,"marks":1,"began":"2026-01-01T00:00:00.000001Z","#
      + #""segment":1,"series":"/nowhere/a.wav","total":{"files":2,"duration":2,"frames":\#(frames),"marks":3}}"#
  ) { bytes in
    let takes = TakeCatalogue.takes(in: bytes)
    let ages = SeriesAges(takes.reversed() + takes, believing: .seconds(1)).files.map(\.age)
    let list = TakesReport(
      takes: ListedTake.list(takes.map { ($0, $0.segment == nil ? nil : .current) }))
    let reports = takes.map { RecordingReport($0).shown(.plain) + $0.json.encoded() }
    return takes.isEmpty ? "" : list.text(.plain) + reports.joined() + "\(ages)"
  }

  static let record = MutantSubject(
    name: "record",
    text:
      #"{"id":"a","name":"a","pid":7,"started":9,"client":"c","device":"hw:0","path":"/nowhere/a.wav","#
      + #""parts":[{"path":"/nowhere/.b.wav.part","file":[1,2],"directory":[1,3],"segment":1},"#
      + #"{"path":"/nowhere/.a.wav.part","segment":2,"began":"2026-01-01T01:00:00.000001Z"}],"#
      + #""host":{"machine":"m","boot":"b","processes":1,"name":"n"},"hosted":true,"socket":"/nowhere/a.sock","#
      + #""began":"2026-01-01T00:00:00.000001Z","output":{"format":"wav","split":{"length":3600,"aligned":true},"#
      + #""keep":{"count":5}},"stream":{\#(stream)},"file":{\#(stream)}}"#
  ) { bytes in
    guard let record = (try? JSONValue(decoding: bytes.span)).flatMap(SessionRecord.init(json:))
    else { return "" }
    var report = StatusReport(recordings: [], interrupted: [record])
    report.add(unreachable: record, .process(record.process))
    let use = Listener(.recording, record).sentence
    _ = InterruptedPart(path: record.part ?? "", record: record).map(\.target)
    return report.shown(.plain) + Message(use).lines(.note) + report.encoded
  }

  static let saved = MutantSubject(
    name: "saved",
    text:
      #"{"path":"/nowhere/a.wav","take":"a","segment":2,"#
      + #""file":{"inode":"18446744073709551615","size":9,"modified":1},"#
      + #""changed":2,"digest":"ab","#
      + #""sidecar":{"path":"/nowhere/a.wav.json","digest":"cd"},"left":true}"#
  ) { bytes in
    SavedFiles.files(in: bytes).values.map { file in
      let warnings = SessionWarning.changed([file.path, file.path])
      return file.json.encoded() + Message(PlainHost().words(for: warnings)).lines(.warning)
    }.joined()
  }

  static let sidecar = MutantSubject(
    name: "sidecar",
    text: #"{"schema":1,"id":"a","name":"a","reason":"stopped","exit":0,"path":"/nowhere/a.wav","#
      + #""device":"hw:0",\#(stream),"format":"wav","file":{\#(stream)},"duration":1,"frames":"#
      + #"\#(frames),"gaps":[{"position":5,"length":1000,"cause":"overrun"}],"peak":-3.5,"#
      + #""clipped":0,"bytes":192000,"marks":1,"began":"2026-01-01T00:00:00.000001Z","title":"T","#
      + #""note":"n","events":[{"frame":10,"event":"mark","text":"here"},{"frame":20,"event":"#
      + #""paused"},{"frame":20,"event":"resumed","discarded":480}]}"#
  ) { bytes in
    // If its session died before it wrote the sidecar, the sidecar comes with the announcement.
    guard let json = try? JSONValue(decoding: bytes.span),
      let whole = try? JSONValue(decoding: catalogue.text)
    else { return "" }
    let announced: JSONValue = [
      "result": whole, "part": "/nowhere/.a.wav.part", "file": [1, 2], "sidecar": json,
    ]
    guard var sidecar = TakeAnnouncement(json: announced)?.sidecar else { return "" }
    sidecar.set("path", "/nowhere/b.wav")
    let written = JSONValue.object(sidecar).encoded(indented: true)
    let identifiers = [bytes, Array(written.utf8)].map(Sidecar.identifier(in:))
    precondition(identifiers[0] == identifiers[1], "it tells of the same take once it is written")
    return written
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
      policies = .unusable(.file("/p", .policy(error)))
    }
    let situation = Situation(
      policies: policies,
      clock: ClockReading(boottime: .seconds(5), wall: WallTime(seconds: 9), boot: "b"),
      account: Account(id: 1_000, name: "u", groups: []), owner: StoreOwner(user: 0, machine: "m"),
      device: .card(names: ["hw:0,0"]))
    let summary = MicrophoneAccess.phrasing.summary(
      PermissionOutcome(
        command: .status, transition: .none, before: situation, after: situation))
    return MicrophoneAccess.message(summary).lines(.error)
      + PermissionReport(summary: summary, inUse: []).shown(.plain)
  }
}
