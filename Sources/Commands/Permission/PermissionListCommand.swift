internal import Control
internal import Devices
internal import Guard
internal import JSON
internal import Linux
internal import Permission

/// The command `permission list`, which lists the known programs with their decisions.
enum PermissionListCommand: RunnableCommand {
  static var words: [String] { ["permission", "list"] }

  static var command: Command {
    Command(
      words, section: .permission,
      summary: "List programs with their decisions and last uses",
      details: [
        "Lists every program that has asked to record or has a decision, the most recently used first. "
          + "recorder guard sees the programs that record through PipeWire, and enforces the decisions. "
          + "recorder itself is not listed: see \"recorder permission\".",
        "Also lists the programs that are recording now; their last use is \"now\".",
        "The last uses come from the permission log, which keeps about 5 MiB.",
      ],
      examples: [
        Example("recorder permission list", "List the programs"),
        Example("recorder permission list --json", "List them as JSON"),
      ],
      ends: [.permissionUnusable])
  }

  static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    var authority = try MicrophoneAccess.authority()
    authority.portal = PortalStore.read()
    let programs = try MicrophoneAccess.explaining(
      authority.programs(recording: recording), of: "read the permission log")
    if let fault = authority.portal.fault, programs.contains(where: { $0.client.portalID != nil }) {
      console.note(fault.words)
    }
    return PermissionListReport(programs: programs)
  }

  /// The programs that are recording now.
  private static var recording: Set<Client> {
    // If a guard is running, its status has the programs that use PipeWire, and the guard answers
    // sooner than PipeWire.
    let status = try? RunningGuard.status()
    let guarded = (status?.uses ?? []).compactMap(\.program).compactMap(Client.init(program:))
    let others = DeviceUse.current(withPipeWire: status == nil && DeviceUse.hasPipeWire).uses
    let clients = Set(guarded + others.map { Client($0.program.identity) })
    // recorder itself is not listed, because it has its own permission.
    let own = (try? ExecutablePath.current()).flatMap(Client.init(path:))
    return clients.filter { $0.isIdentified && $0 != own }
  }
}

/// The report of the known programs.
struct PermissionListReport: Report {
  let programs: [KnownProgram]

  func text(_ style: Style) -> String {
    guard !programs.isEmpty else {
      return "No other program has asked to record, and none has a decision.\n"
        + "For recorder itself: recorder permission\n"
    }
    var times = LocalTimes()
    let hasTimes = programs.contains { $0.lastUse != nil }
    let width = 2 + (hasTimes ? "2026-03-01 09:00:00".utf8.count : "Last use".utf8.count)
    let columns = Service.allCases.indices.map(column)
    let titles = padded("Last use", to: width) + columns.map(\.title).joined() + "Program\n"
    let now = Array(padded("now", to: width).utf8)
    let never = Array(padded("never", to: width).utf8)
    var text = Array(style.heading(titles).utf8)
    text.reserveCapacity(programs.count * 100)
    for program in programs {
      if program.isRecording {
        text += now
      } else if let time = program.lastUse {
        times.append(time.sinceEpoch, 0..<19, to: &text)
        text += [UInt8(ascii: " "), UInt8(ascii: " ")]
      } else {
        text += never
      }
      for (column, status) in zip(columns, program.statuses) {
        text += column.cells[status.rawValue]
      }
      text += printable(program.client.shown).utf8
      text.append(UInt8(ascii: "\n"))
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the column of a service: its title and its cells. The raw value of a status is the
  /// index of its cell. Each cell is made once, because there may be thousands of programs.
  private func column(_ index: Int) -> (title: String, cells: [[UInt8]]) {
    let statuses = AuthorizationStatus.allCases.filter { status in
      programs.contains { $0.statuses[index] == status }
    }
    let title = Service.allCases[index].title
    let width = 2 + statuses.reduce(title.utf8.count) { max($0, $1.words.utf8.count) }
    let cells = AuthorizationStatus.allCases.map { Array(padded($0.words, to: width).utf8) }
    return (padded(title, to: width), cells)
  }

  var json: JSONObject { ["programs": .array(programs.map { .object($0.json) })] }
}

extension KnownProgram {
  fileprivate var json: JSONObject {
    var object: JSONObject = ["client": client.name.json]
    for (service, status) in zip(Service.allCases, statuses) {
      object.set(service.rawValue, status.word)
    }
    object.set("lastUse", lastUse?.rfc3339)
    if isRecording { object.set("recording", true) }
    return object
  }
}
