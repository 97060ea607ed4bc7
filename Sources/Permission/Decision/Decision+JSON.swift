internal import Linux
package import JSON

extension Decision {
  /// The status for programs; what has no value is left out.
  package var json: JSONObject {
    var object: JSONObject = ["status": .string(status.description)]
    object.set("value", status.rawValue)
    object.set("reason", reason?.rawValue)
    object.set("source", source.name)
    object.set("file", source.file)
    object.set("client", client.name)
    object.set("since", since?.rfc3339)
    object.set("expiresAt", expiresAt?.rfc3339)
    object.set("remaining", remaining)
    object.set("mayPrompt", noPrompt == nil)
    object.set("notes", notes.map(\.name))
    object.set("enforcement", Self.enforcement)
    return object
  }
}

extension Decision.Source {
  /// One word for it.
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

  /// The administrator's file, where one decided.
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
