@testable import Commands
import Control
@testable import Devices
import Guard
import JSON
import Linux
import Permission
import Testing

@Suite("Doctor")
struct DoctorTests {
  /// A machine on which everything works.
  private static let healthy: Machine = {
    var machine = Machine()
    machine.program = "/usr/bin/recorder"
    machine.cards = ["HDA Intel PCH"]
    machine.user = Machine.User(name: "alice", isInAudioGroup: true, hasAudioGroup: true)
    machine.defaults = [.capture: .able("stereo"), .playback: .able("stereo")]
    machine.usedDirectories = [
      Machine.UsedDirectory(purpose: "Disk", path: "/home/alice", freeBytes: 1 << 40)
    ]
    return machine
  }()

  private func checks(_ change: (inout Machine) -> Void) -> [Check] {
    var machine = Self.healthy
    change(&machine)
    return machine.checks
  }

  private func check(_ subject: String, _ change: (inout Machine) -> Void) throws -> Check {
    try #require(checks(change).first { $0.subject == subject })
  }

  private static func missing(_ device: String) -> DeviceError {
    .missing(StreamError("snd_pcm_open", device, code: -Errno.noSuchFile.rawValue))
  }

  @Test("On a healthy machine every check is ok, and none gives advice")
  func health() {
    let checks = checks { _ in }
    #expect(checks.allSatisfy { $0.verdict == .ok && $0.advice.isEmpty })
    let report = DoctorReport(checks: checks, isBrief: false)
    #expect(report.exitCode == .done && report.text(.plain).hasSuffix("\nSound works here.\n"))
    #expect(DoctorReport(checks: checks, isBrief: true).text(.plain) == "")
  }

  private static func guarding(
    _ mode: GuardMode?, _ level: GuardLevel = .cut, hasBus: Bool = true
  ) -> GuardFacts {
    let software = SoundSoftware(
      pipeWire: .init(printed: "Linked with libpipewire 1.4.2\n"),
      wirePlumber: .init(printed: "Linked with libwireplumber 0.5.8\n"))
    let status = mode.map { GuardStatus(process: 1, mode: $0.rawValue, level: level) }
    return GuardFacts(
      status: status, software: software, openDevices: ["/dev/snd/pcmC0D0c"], hasBus: hasBus)
  }

  @Test("Without a guard the check says what one would do, and direct access is not checked")
  func unguarded() throws {
    let checks = checks { $0.guarding = Self.guarding(nil) }
    #expect(checks.allSatisfy { $0.verdict == .ok && $0.advice.isEmpty })
    let check = try check("Guard") { $0.guarding = Self.guarding(nil) }
    #expect(check.finding.contains("with PipeWire 1.4.2 and WirePlumber 0.5.8"))
    #expect(!checks.contains { $0.subject == "Direct access" })
  }

  @Test("The status of a guard names the devices that are open, and a missing session bus")
  func status() {
    func page(_ mode: GuardMode, hasBus: Bool) -> String {
      let status = GuardStatus(process: 1, mode: mode.rawValue, level: .closed)
      let report = GuardReport(
        status: status, openDevices: ["/dev/snd/pcmC0D0c"], hasBus: hasBus)
      return report.text(.plain).split { " \n".contains($0) }.joined(separator: " ")
    }
    #expect(page(.ask, hasBus: true).contains("/dev/snd/pcmC0D0c without PipeWire"))
    #expect(page(.ask, hasBus: false).contains("there is no session bus"))
    #expect(!page(.ask, hasBus: true).contains("session bus"))
    #expect(!page(.deny, hasBus: false).contains("session bus"))
    let other = GuardReport(
      status: GuardStatus(process: 1, mode: "deny", level: .closed), hasBus: false)
    #expect(!other.text(.plain).contains("Not closed"))
    #expect(other.json["openDevices"]?.array == [] && other.json["sessionBus"] == .bool(false))
    #expect(GuardReport(status: nil).json["sessionBus"] == nil)
  }

  @Test("The check of a guard has its level, and direct access is a warning with its reason")
  func guarded() throws {
    let ok = try check("Guard") { $0.guarding = Self.guarding(.ask) }
    #expect(ok.verdict == .ok && ok.finding.contains("closed to programs without permission"))
    let none = try check("Guard") { $0.guarding = Self.guarding(.deny, .none) }
    #expect(none.verdict == .warning && none.finding.contains("not guarded"))
    let bus = try check("Guard") { $0.guarding = Self.guarding(.ask, hasBus: false) }
    #expect(bus.verdict == .warning && bus.finding.contains("without a session bus"))
    let deny = try check("Guard") { $0.guarding = Self.guarding(.deny, hasBus: false) }
    #expect(deny.verdict == .ok)
    let group = try check("Direct access") { $0.guarding = Self.guarding(.ask) }
    #expect(group.verdict == .warning && group.finding.contains("/dev/snd/pcmC0D0c"))
    #expect(group.advice.contains { $0.hasSuffix("sudo gpasswd -d alice audio") })
    let seat = try check("Direct access") {
      $0.guarding = Self.guarding(.ask)
      $0.user.hasAudioGroup = false
    }
    #expect(seat.finding.contains("because alice is logged in at this seat"))
    #expect(seat.advice.contains { $0.hasSuffix("TAG-=\"uaccess\"") })
  }

  @Test("Every check that is not ok gives advice")
  func advice() {
    let changes: [(inout Machine) -> Void] = [
      { $0.closedDevices = ["/dev/snd/pcmC0D0c"] },
      { $0.servers = [Self.server(hasPlugin: false)] },
      { $0.defaults[.capture] = .unable(Self.missing("default")) },
      { $0.defaults[.capture] = .withheld },
      { $0.usedDirectories[0].flaw = "it is not a directory" },
      { $0.usedDirectories[0].freeBytes = 0 },
      { $0.usedDirectories[0].freeBytes = 1 << 29 }, { $0.missingRuntime = "/run/user/1000" },
      { $0.pipeWire = .silent(.noTool) }, { $0.pipeWire = .silent(.noAnswer(.seconds(2))) },
      { $0.pipeWire = PipeWireGraph(dump: Array("[]".utf8)).map { .answers($0) } },
      { $0.silenced = [Self.silenced(isMuted: true)] },
      { $0.permission = Self.permission(.notDetermined) },
      { $0.permission = Self.permission(.denied) },
      { $0.systemAudio = Self.permission(.denied) },
      { $0.guarding = Self.guarding(.ask) },
    ]
    for change in changes {
      let wrong = checks(change).filter { $0.verdict != .ok }
      #expect(wrong.count == 1 && wrong.allSatisfy { !$0.advice.isEmpty }, "\(wrong)")
    }
  }

  private static func silenced(isMuted: Bool) -> Machine.Silenced {
    let control = MixerControl(
      name: "Capture", direction: .capture, isMuted: isMuted, volume: isMuted ? 1 : 0)
    return Machine.Silenced(
      owner: "HDA Intel PCH", control: control, advice: "amixer -c 0 sset 'Capture' 70% cap")
  }

  private static func permission(_ status: AuthorizationStatus) -> Machine.PermissionFinding {
    Machine.PermissionFinding(
      status: status, code: .permissionDenied, cause: "Somebody said so.",
      advice: ["To allow it: recorder permission grant"])
  }

  @Test("A muted or closed mixer control is reported, with the command that opens it")
  func mixer() throws {
    let muted = try check("Mixer in") { $0.silenced = [Self.silenced(isMuted: true)] }
    #expect(muted.finding == "HDA Intel PCH: \"Capture\" is muted")
    #expect(muted.advice == ["amixer -c 0 sset 'Capture' 70% cap"])
    let low = try check("Mixer in") { $0.silenced = [Self.silenced(isMuted: false)] }
    #expect(low.finding == "HDA Intel PCH: \"Capture\" is at 0 %")
  }

  @Test("A refused permission is a problem with its own exit code, an undecided one is not")
  func permission() {
    let codes = [AuthorizationStatus.authorized, .notDetermined, .denied].map { status in
      DoctorReport(checks: checks { $0.permission = Self.permission(status) }, isBrief: false)
        .exitCode
    }
    #expect(codes == [.done, .done, .permissionDenied])
    let other = checks { $0.systemAudio = Self.permission(.denied) }
    #expect(DoctorReport(checks: other, isBrief: false).exitCode == .done)
  }

  @Test("The holder of a card is reported, and is no fault while the default device works")
  func held() throws {
    let device = DeviceDescription(
      name: "hw:CARD=PCH,DEV=0", title: "", direction: .capture, origin: .configured,
      holders: [DeviceHolder(process: 4711, program: "arecord")])
    let check = try check("In use") { $0.held = [device] }
    #expect(check.verdict == .ok && check.finding == "hw:CARD=PCH,DEV=0 by arecord (process 4711)")
  }

  private static func server(hasPlugin: Bool) -> Machine.SoundServer {
    Machine.SoundServer(
      name: "PipeWire", isRunning: true, hasPlugin: hasPlugin, packages: "pipewire-alsa")
  }

  @Test("A closed device asks for the group, or for a new login if the user is already in it")
  func access() throws {
    let outside = try check("Access") {
      $0.closedDevices = ["/dev/snd/pcmC0D0c"]
      $0.user = Machine.User(name: "alice")
    }
    #expect(outside.advice == ["sudo usermod -aG audio alice, then log out and in again"])
    let pending = try check("Access") {
      $0.closedDevices = ["/dev/snd/pcmC0D0c"]
      $0.user = Machine.User(name: "alice", isInAudioGroup: true)
    }
    #expect(pending.advice == ["log out and in again: then the group audio applies"])
  }

  @Test(
    "A missing card matters only where the default device needs one",
    arguments: [nil, []] as [[String]?])
  func cardless(cards: [String]?) throws {
    let served = try check("Sound cards") { $0.cards = cards }
    #expect(served.verdict == .ok && served.advice.isEmpty)
    let bare = try check("Sound cards") {
      $0.cards = cards
      $0.defaults[.capture] = .unable(Self.missing("default"))
    }
    #expect(bare.verdict == .warning && !bare.advice.isEmpty)
  }

  @Test("A device that is opened only when it is used is no fault, and needs no card")
  func unchecked() {
    let checks = checks {
      $0.cards = []
      $0.defaults = [.capture: .unchecked, .playback: .unchecked]
    }
    #expect(checks.allSatisfy { $0.verdict == .ok && $0.advice.isEmpty })
  }

  @Test("A sound server that ALSA cannot reach is reported with the missing package")
  func plugin() throws {
    let check = try check("Sound server") { $0.servers = [Self.server(hasPlugin: false)] }
    #expect(check.verdict == .warning && check.advice == ["install the plugin: pipewire-alsa"])
  }

  @Test("A busy device is reported with its holder")
  func busy() throws {
    let cause = StreamError("snd_pcm_open", "default", code: -Errno.busy.rawValue)
    let holder = DeviceHolder(process: 4711, program: "arecord")
    let check = try check("Recording") {
      $0.defaults[.capture] = .unable(.busy(cause, holders: [holder]))
    }
    #expect(check.finding == "\"default\" is in use by arecord (process 4711)")
  }

  @Test(
    "The exit code says what would fail: the device before the disk",
    arguments: [
      (true, true, ExitCode.device), (true, false, .device), (false, true, .outputRefused),
    ])
  func exitCode(deviceFails: Bool, diskFails: Bool, expected: ExitCode) {
    let checks = checks {
      if deviceFails { $0.defaults[.playback] = .unable(Self.missing("default")) }
      if diskFails { $0.usedDirectories[0].freeBytes = 0 }
    }
    #expect(DoctorReport(checks: checks, isBrief: false).exitCode == expected)
  }

  @Test("The report fits 80 columns, and the brief one has only the problems")
  func layout() {
    let checks = checks {
      $0.cards = nil
      $0.defaults[.capture] = .unable(Self.missing("default"))
    }
    let report = DoctorReport(checks: checks, isBrief: true).text(.plain)
    #expect(report.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(report.hasPrefix("problem  Recording     no device \"default\""))
    #expect(checks.allSatisfy { $0.subject.count <= 12 }, "a subject is wider than its column")
    #expect(!report.contains("ok  "))
    #expect(report.hasSuffix("\nSound does not work here yet: see Recording.\n"))
  }

  @Test("The kernel's list of cards is read by its first lines")
  func cards() {
    let text = """
       0 [PCH            ]: HDA-Intel - HDA Intel PCH
                            HDA Intel PCH at 0xf7d10000 irq 30
       1 [Loopback       ]: Loopback - Loopback - One
                            Loopback 1

      """
    #expect(Machine.cardNames(text) == ["HDA Intel PCH", "Loopback - One"])
    #expect(Machine.cardNames("--- no soundcards ---\n") == [])
  }
}
