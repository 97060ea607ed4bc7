internal import JSON

extension OverviewPage {
  var json: JSONObject {
    let commands = table.commands.map { command -> JSONValue in
      ["name": .string(command.name), "summary": .string(command.summary)]
    }
    return ["commands": .array(commands)]
  }
}

extension CommandPage {
  var json: JSONObject {
    [
      "name": .string(command.name), "summary": .string(command.summary),
      "operands": .array(command.operands.map(\.json)),
      "options": .array(command.allOptions.map(\.json)),
      "exitCodes": .array(exitCodes.map(\.json)),
    ]
  }
}

extension ExitCodePage {
  var json: JSONObject { ["exitCodes": .array(ExitCode.allCases.map(\.json))] }
}

extension OperandEntry {
  fileprivate var json: JSONValue {
    ["name": .string(synopsis), "summary": .string(summary)]
  }
}

extension OptionEntry {
  fileprivate var json: JSONValue {
    var object: JSONObject = ["name": .string(spelling)]
    object.set("short", short.map { "-\($0)" })
    object.set("value", value?.placeholder)
    object.set("summary", summary)
    return .object(object)
  }
}

extension ExitCode {
  fileprivate var json: JSONValue {
    ["code": rawValue.json, "meaning": .string(meaning)]
  }
}
