import Linux
import Testing

@testable import Commands
@testable import Permission

/// One cell of the table of states and commands.
struct Cell: CustomTestStringConvertible, Sendable {
  let situation: Situation
  let command: PermissionCommand
  let status: AuthorizationStatus
  let exit: ExitCode
  /// Texts that must be printed.
  let told: [String]
  let untold: [String]
  let name: String

  init(
    _ name: String, _ situation: Situation, _ command: PermissionCommand,
    _ status: AuthorizationStatus, _ exit: ExitCode, says told: String...,
    never untold: [String] = []
  ) {
    self.name = name
    self.situation = situation
    self.command = command
    self.status = status
    self.exit = exit
    self.told = told
    self.untold = untold
  }

  var testDescription: String { name }
}

struct TransitionTests {
  static let grantAdvice = "To allow it: recorder permission grant"
  static let denied = Situation.alice(.of([.everyone: .denial]))
  static let atPrompt = Situation.alice(.of([.everyone: .refusedAtPrompt]))
  static let byVariable = Situation.alice(restrictions: CallRestrictions(refusal: .variable))
  static let byOption = Situation.alice(restrictions: CallRestrictions(refusal: .option))
  static let restricted = Situation.alice(policies: .restrictsAll)
  static let granted = Situation.alice(.of([.everyone: .forever]))
  static let anHour = Situation.alice(.of([.everyone: .anHour]))
  static let byPolicy = Situation.alice(policies: .authorizesAll)
  static let badStore = Situation.alice(.broken)
  static let badPolicy = Situation.alice(policies: .broken)
  static let badBoth = Situation.alice(.broken, policies: .broken)
  static let silent = Situation.alice(policies: .of(allowsPrompt: false))
  static let overruled = Situation.alice(.of([.everyone: .denial]), client: .dictation)

  static let undetermined = [
    Cell(
      "status", .alice(), .status, .notDetermined, .permissionNotDetermined,
      says: "Microphone: not decided yet", "for alice", grantAdvice),
    Cell("y", .alice(), .request(.always), .authorized, .done, says: "allowed until you revoke it"),
    Cell(
      "o, in a session", .alice(session: "take-1"), .request(.onlyThisTime), .authorized, .done,
      says: "for this recording only"),
    Cell(
      "o, without one", .alice(), .request(.onlyThisTime), .authorized, .done,
      says: "for one recording", "10 minutes"),
    Cell("n", .alice(), .request(.never), .denied, .permissionDenied, says: "refused", grantAdvice),
    Cell(
      "Enter", .alice(), .request(.notNow), .notDetermined, .permissionNotDetermined,
      says: "Not now", "asked again"),
    Cell(
      "Ctrl-C", .alice(), .request(.interrupted), .notDetermined, .interrupted,
      says: "nothing was stored"),
    Cell(
      "no terminal", .alice(), .request(.noTerminal), .notDetermined, .permissionNotDetermined,
      says: "no terminal to ask on", grantAdvice),
    Cell(
      "--no-prompt", .alice(restrictions: CallRestrictions(forbidsPrompt: true)),
      .request(.noTerminal),
      .notDetermined, .permissionNotDetermined,
      says: "Microphone: not decided yet\nCannot ask", "for this command", grantAdvice),
    Cell(
      "a policy without questions", silent, .request(.always), .notDetermined,
      .permissionNotDetermined,
      says: "Microphone: not decided yet\nCannot ask: \"/p/10-site.json\" forbids", grantAdvice),
    Cell(
      "grant", .alice(), .grant(.forever), .authorized, .done,
      says: "Microphone access is allowed until you revoke it.", "revoke"),
    Cell(
      "grant --once", .alice(), .grant(.once), .authorized, .done,
      says: "for one recording", "until", "10 min from now"),
    Cell(
      "grant --for", .alice(), .grant(.lasting(.seconds(3_600))), .authorized, .done,
      says: "until", "60 min from now"),
    Cell(
      "grant --for hours and minutes", .alice(), .grant(.lasting(.seconds(62_271))), .authorized,
      .done, says: "until", "17 h 18 min from now"),
    Cell(
      "grant --until", .alice(),
      .grant(.until(ClockReading.morning.wall + .seconds(30))), .authorized, .done,
      says: "30 s from now"),
    Cell(
      "grant of a year", .alice(), .grant(.lasting(.seconds(31_536_000))), .notDetermined,
      .failed, says: "Nothing was changed", "30 days"),
    Cell("revoke", .alice(), .revoke, .denied, .done, says: "refused from now on", grantAdvice),
    Cell("reset", .alice(), .reset(force: false), .notDetermined, .done, says: "nothing to reset"),
    Cell(
      "reset --force", .alice(), .reset(force: true), .notDetermined, .done,
      says: "nothing to reset"),
    Cell(
      "status, expired", .alice(.of([.everyone: .anHour]), clock: .morning.later(.seconds(9_999))),
      .status, .notDetermined, .permissionNotDetermined, says: "no longer allowed",
      "by recorder permission grant has expired.",
      grantAdvice),
  ]

  static let refused = [
    Cell(
      "status", denied, .status, .denied, .permissionDenied, says: "Microphone: refused by you",
      "2026-03-01T09:00:00Z", "by recorder permission revoke", grantAdvice,
      "To be asked again: recorder permission reset"),
    Cell(
      "status, refused at the prompt", atPrompt, .status, .denied, .permissionDenied,
      says: "at the prompt"),
    Cell(
      "request", denied, .request(.always), .denied, .permissionDenied, says: "refused by you",
      grantAdvice),
    Cell("grant", denied, .grant(.forever), .authorized, .done, says: "allowed"),
    Cell("revoke", denied, .revoke, .denied, .done, says: "already"),
    Cell(
      "reset", denied, .reset(force: false), .notDetermined, .done,
      says: "was removed", "The next recording will ask"),
    Cell(
      "reset of both services",
      .alice(
        .of([.everyone: .denial, .everyone.other: .denial]), about: [.microphone, .systemAudio]),
      .reset(force: false), .notDetermined, .done, says: "The 2 stored decisions were removed."),
    Cell(
      "reset, where nobody is asked",
      .alice(.of([.everyone: .denial]), policies: .of(allowsPrompt: false)),
      .reset(force: false), .notDetermined, .done, says: "was removed", grantAdvice,
      never: ["will ask"]),
    Cell(
      "status of a client, refused to everyone", overruled, .status, .denied, .permissionDenied,
      says: "to every client", "reset, and then recorder permission grant --as dictation"),
    Cell(
      "grant to a client, refused to everyone", overruled, .grant(.forever), .denied,
      .permissionDenied,
      says: "The grant is stored, but", "reset, and then"),
    Cell(
      "status of a marker", .alice(.marker("/s/permissions.denied")), .status, .denied,
      .permissionDenied,
      says: "could not be written", "/s/permissions.denied", grantAdvice),
    Cell(
      "grant over a marker", .alice(.marker("/s/permissions.denied")), .grant(.forever),
      .authorized, .done, says: "allowed"),
    Cell(
      "reset of a marker", .alice(.marker("/s/permissions.denied")), .reset(force: false),
      .notDetermined, .done, says: "was removed"),
    Cell(
      "grant under the variable", byVariable, .grant(.forever), .denied, .permissionDenied,
      says: "The grant is stored", "RECORDER_PERMISSION=deny", "unset", never: [grantAdvice]),
    Cell(
      "status under the variable", byVariable, .status, .denied, .permissionDenied,
      says: "unset RECORDER_PERMISSION", never: [grantAdvice]),
    Cell(
      "status with --deny", byOption, .status, .denied, .permissionDenied, says: "Without --deny",
      never: [grantAdvice]),
    Cell(
      "request under the variable", byVariable, .request(.always), .denied, .permissionDenied,
      says: "unset"),
    Cell("revoke under the variable", byVariable, .revoke, .denied, .done, says: "refused"),
  ]

  static let restrictions = [
    Cell(
      "status", restricted, .status, .restricted, .permissionRestricted, says: "/p/10-site.json",
      "an exam", "room 12", "cannot change", never: [grantAdvice]),
    Cell(
      "request", restricted, .request(.always), .restricted, .permissionRestricted, says: "an exam",
      never: [grantAdvice]),
    Cell(
      "grant", restricted, .grant(.forever), .restricted, .permissionRestricted,
      says: "Nothing was changed", "an exam", never: [grantAdvice]),
    Cell(
      "revoke", restricted, .revoke, .restricted, .done, says: "refused", "an exam",
      never: [grantAdvice]),
    Cell(
      "reset", .alice(.of([.everyone: .forever]), policies: .restrictsAll),
      .reset(force: false), .restricted, .done, says: "was removed", "an exam",
      never: ["will ask", grantAdvice]),
  ]

  static let authorized = [
    Cell(
      "status", granted, .status, .authorized, .done,
      says: "Microphone: allowed until you revoke it",
      "by recorder permission grant", "To refuse it: recorder permission revoke"),
    Cell(
      "status of an hour", anHour, .status, .authorized, .done,
      says: "Microphone: allowed until 2026",
      "until 2026-03-01T10:00:00Z"),
    Cell(
      "status by policy", byPolicy, .status, .authorized, .done, says: "\"/p/10-site.json\" allows"),
    Cell(
      "request", granted, .request(.never), .authorized, .done, says: "allowed until you revoke it"),
    Cell(
      "grant --for", granted, .grant(.lasting(.seconds(60))), .authorized, .done,
      says: "until 2026-03-01T09:01:00Z"),
    Cell("grant --once", granted, .grant(.once), .authorized, .done, says: "for one recording"),
    Cell("revoke", granted, .revoke, .denied, .done, says: "refused from now on"),
    Cell("revoke, over the policy", byPolicy, .revoke, .denied, .done, says: "refused"),
    Cell("reset", granted, .reset(force: false), .notDetermined, .done, says: "will ask"),
    Cell(
      "reset, with the policy behind it",
      .alice(.of([.everyone: .denial]), policies: .authorizesAll), .reset(force: false),
      .authorized, .done, says: "was removed", "\"/p/10-site.json\" allows"),
  ]

  static let unusable = [
    Cell(
      "status", badStore, .status, .denied, .permissionUnusable, says: "/s/permissions.json",
      "checksum is wrong", "reset --force", never: [grantAdvice]),
    Cell("request", badStore, .request(.always), .denied, .permissionUnusable, says: "checksum"),
    Cell(
      "grant", badStore, .grant(.forever), .denied, .permissionUnusable,
      says: "Nothing was changed",
      "reset --force", never: [grantAdvice]),
    Cell("revoke", badStore, .revoke, .denied, .permissionUnusable, says: "Nothing was changed"),
    Cell(
      "reset", badStore, .reset(force: false), .denied, .permissionUnusable,
      says: "Nothing was changed",
      "reset --force"),
    Cell(
      "reset --force", badStore, .reset(force: true), .notDetermined, .done,
      says: "moved away"),
    Cell(
      "status of a bad policy", badPolicy, .status, .denied, .permissionUnusable,
      says: "/p/10-site.json", "mode 666", "chmod go-w", never: [grantAdvice]),
    Cell(
      "grant under a bad policy", badPolicy, .grant(.forever), .denied, .permissionUnusable,
      says: "Nothing was changed"),
    Cell(
      "revoke under a bad policy", badPolicy, .revoke, .denied, .permissionUnusable,
      says: "The refusal was stored"),
    Cell(
      "reset --force under a bad policy", badPolicy, .reset(force: true), .denied,
      .permissionUnusable,
      says: "Nothing was changed"),
    Cell(
      "reset --force when both are bad", badBoth, .reset(force: true), .denied, .permissionUnusable,
      says: "moved away", "/p/10-site.json"),
    Cell(
      "reset --force of a bad directory",
      .alice(.unusable(.directory(DirectoryRefusal("/s", .writableByOthers(0o777))))),
      .reset(force: true), .denied, .permissionUnusable, says: "chmod 700 /s"),
  ]

  static let all = undetermined + refused + restrictions + authorized + unusable

  @Test("Each command changes each state to the expected one", arguments: all)
  func table(cell: Cell) {
    let outcome = PermissionOutcome(onPaper: cell.command, in: cell.situation)
    let report = PermissionPhrasing().summary(outcome)
    #expect(report.decision.status == cell.status)
    #expect(report.exit == cell.exit)
    let text = report.lines.joined(separator: "\n")
    for words in cell.told { #expect(text.contains(words)) }
    for words in cell.untold { #expect(!text.contains(words)) }
  }

  @Test("A grant is suggested only if it would work")
  func adviceWorks() {
    for cell in Self.all {
      let outcome = PermissionOutcome(onPaper: cell.command, in: cell.situation)
      for line in PermissionPhrasing().summary(outcome).lines where line.contains("To allow it: ") {
        var next = outcome.after
        if line.contains("reset, and then") {
          next.client = .everyone
          next = next.after(.reset(force: false))
          next.client = outcome.after.client
        }
        #expect(
          next.after(.grant(.forever)).decide().status == .authorized, "\(cell.name): \(line)")
      }
    }
  }

  @Test("A grant that replaces a longer one says so, and which recordings will end")
  func shorterGrant() {
    let ending = ["The recording \"talk\" will end at noon."]
    func told(_ term: GrantTerm, in situation: Situation) -> Bool {
      let outcome = PermissionOutcome(onPaper: .grant(term), in: situation)
      #expect(outcome.after.decide().status == .authorized)
      let report = PermissionPhrasing().summary(outcome, stopped: StoppedSessions(ending: ending))
      #expect(report.lines.contains(ending[0]))
      return report.lines.contains { $0.contains("replaces a longer grant: access was allowed") }
    }
    #expect(told(.lasting(.seconds(10)), in: Self.granted) && told(.once, in: Self.granted))
    #expect(told(.lasting(.seconds(10)), in: Self.anHour))
    #expect(!told(.forever, in: Self.anHour) && !told(.lasting(.seconds(7_200)), in: Self.anHour))
    // A policy that authorizes still applies after the end of the grant.
    for situation in [Situation.alice(), Self.denied, Self.byPolicy] {
      #expect(!told(.lasting(.seconds(10)), in: situation))
    }
  }

  @Test("A refusal says which recordings it ended, and which did not confirm")
  func stoppedSessions() {
    let after = Self.granted.after(.revoke)
    let stopped = StoppedSessions(confirmed: ["lecture"], unconfirmed: ["memo"])
    let report = PermissionPhrasing().summary(
      PermissionOutcome(
        command: .revoke, transition: Self.granted.transition(of: .revoke), before: Self.granted,
        after: after),
      stopped: stopped)
    #expect(report.exit == .revokeUnconfirmed)
    #expect(report.lines.contains("Stopped and saved: lecture"))
    #expect(report.lines.contains("Did not stop within 5 seconds: memo"))
  }

  @Test("Texts of an administrator and paths cannot control a terminal")
  func hostileWords() {
    let hostile = "\u{1B}]0;x\u{07}\u{202E}\u{9B}31m\u{200B}\r\n"
    let rule = Rule(status: .restricted, reason: hostile, contact: hostile)
    let policies = Policies.usable([
      Policy(file: "/p/" + hostile, rules: [rule], allowsPrompt: true)
    ])
    let report = PermissionPhrasing().summary(
      PermissionOutcome(onPaper: .status, in: .alice(policies: policies)))
    let text = report.lines.joined(separator: "\n")
    #expect(text.contains("31m"))
    #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.isHarmlessOnTerminal })
    #expect(report.lines.allSatisfy { !$0.contains("\n") })
  }

  @Test("A refusal for everyone removes the grants of clients, so that no reset restores them")
  func revokeDropsGrants() {
    let situation = Situation.alice(.of([.dictation: .forever, .everyone: .forever]))
    var client = situation.after(.revoke).after(.reset(force: false))
    client.client = .dictation
    #expect(client.decide().status == .notDetermined)
  }

  @Test("A change keeps the refusals of another machine, and none of its grants")
  func carriedOver() {
    let records: Records = [.everyone: .forever, .dictation: .denial]
    let next = Situation.alice(
      .of(records, .elsewhere, generation: 7), client: known(Client("other"))
    )
    .after(.grant(.forever)).records.ledger
    #expect(next?.owner == .here)
    #expect(next?.generation == 8)
    #expect(next?.records[.everyone] == nil)
    #expect(next?.records[.dictation] == .denial)
  }
}
