internal import Linux
package import JSON

extension Decision {
  /// The decision as programs read it: every key is present, with null for no value.
  package var json: JSONObject {
    [
      "status": .string(status.description),
      "rawValue": status.rawValue.json,
      "reason": reason?.rawValue.json ?? .null,
      "source": .string(source.name),
      "file": source.file?.json ?? .null,
      "client": .string(client.name),
      "since": since?.rfc3339.json ?? .null,
      "expiresAt": expiresAt?.rfc3339.json ?? .null,
      "remaining": remaining?.json ?? .null,
      "mayPrompt": .bool(noPrompt == nil),
      "notes": notes.map(\.name).json,
      "enforcement": .string(Self.enforcement),
    ]
  }
}

extension Decision.Source {
  /// The source in one word, for JSON and the audit.
  var name: String {
    switch self {
    case .nothing: "nothing"
    case .policy, .policyFault: "policy"
    case .wish(.option): "option"
    case .wish(.variable): "environment"
    case .record(_, let origin): origin.rawValue
    case .marker: "marker"
    case .storeFault: "store"
    }
  }

  /// The administrator's file; nil if no policy decided.
  fileprivate var file: String? {
    if case .policy(let source) = self { source.file } else { nil }
  }
}

extension Decision.Note {
  fileprivate var name: String {
    switch self {
    case .foreignGrant: "foreignGrant"
    case .noMachine: "noMachine"
    case .someDevices: "someDevices"
    }
  }
}
