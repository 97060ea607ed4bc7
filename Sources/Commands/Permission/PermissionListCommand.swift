internal import Control
internal import Devices
internal import Guard
internal import JSON
internal import Linux
internal import Permission

/// The command `permission list`, which lists the programs that record through PipeWire.
enum PermissionListCommand: RunnableCommand {
  static var words: [String] { ["permission", "list"] }

  static var command: Command {
    Command(
      words, section: .permission,
      summary: "List programs with their decisions and last uses",
      details: [
        "Lists every program that has asked to record or has a decision, the last used one first. "
          + "recorder guard sees the programs that record through PipeWire, and enforces the decisions.",
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
    let programs = try mapError(
      { MicrophoneAccess.failure($0, of: "read the permission log") },
      authority.programs(recording: recording))
    if let fault = authority.portal.fault, programs.contains(where: { $0.client.portalID != nil }) {
      console.note(fault.words)
    }
    return PermissionListReport(programs: programs)
  }

  /// The programs that are recording now.
  private static var recording: Set<Client> {
    var clients: Set<Client> = []
    if let status = try? GuardCommands.runningStatus() {
      clients.formUnion(status.uses.compactMap(\.program).compactMap(Client.init(program:)))
    } else if DeviceUse.hasPipeWire, let uses = try? DeviceUse.throughPipeWire() {
      clients.formUnion(uses.map { Client($0.program.identity) })
    }
    clients.formUnion(DeviceUse.throughKernel().map { Client($0.program.identity) })
    // recorder has a permission of its own.
    let own = (try? ExecutablePath.current()).flatMap(Client.init(path:))
    return clients.filter { $0.isIdentified && $0 != own }
  }
}

/// The report of the known programs.
struct PermissionListReport: Report {
  let programs: [KnownProgram]

  func text(_ style: Style) -> String {
    guard !programs.isEmpty else {
      return "No program has asked to record, and none has a decision.\n"
    }
    var times = LocalTimes()
    let hasTimes = programs.contains { $0.lastUse != nil }
    let width = hasTimes ? "2026-03-01 09:00:00".utf8.count : "Last use".utf8.count
    let columns = Service.allCases.indices.map(column)
    let titles = padded("Last use", to: width + 2) + columns.map(\.title).joined() + "Program\n"
    var text = style.heading(titles)
    for program in programs {
      let time = program.lastUse.map { times.text(of: $0.sinceEpoch) } ?? "never"
      text += padded(program.isRecording ? "now" : time, to: width + 2)
      for (column, status) in zip(columns, program.statuses) { text += column.cells[status] ?? "" }
      text += printable(program.client.shown)
      text += "\n"
    }
    return text
  }

  /// Returns the title and the possible cells of the column with the statuses of a service. Each
  /// cell is made once, because there may be thousands of programs.
  private func column(
    _ index: Int
  ) -> (title: String, cells: [AuthorizationStatus: String]) {
    let statuses = Set(programs.map { $0.statuses[index] })
    let title = Service.allCases[index].title
    let width = 2 + statuses.reduce(title.utf8.count) { max($0, $1.words.utf8.count) }
    let cells = statuses.map { ($0, padded($0.words, to: width)) }
    return (padded(title, to: width), Dictionary(uniqueKeysWithValues: cells))
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
