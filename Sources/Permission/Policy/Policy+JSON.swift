internal import JSON

extension Policy {
  /// Reads the administrator's file; an unknown key may be a restriction of a newer version, so it
  /// is an error, with its place.
  package init(decoding bytes: [UInt8], file: String) throws(PolicyFlaw) {
    do {
      try self.init(PolicyReader.document(bytes), file: file)
    } catch {
      throw PolicyFlaw(error, in: bytes)
    }
  }

  private init(_ object: JSONObject, file: String) throws(PolicyReader.Misfit) {
    let reader = PolicyReader(object, path: [])
    try reader.requireOnly("version", "rules", "allowPrompt", "auditRequired")
    let version: Int = try reader.value("version")
    guard version == 1 else {
      throw reader.misfit("version", "version \(version) is unknown; this program knows version 1")
    }
    self.init(
      file: file, rules: try reader.elements("rules").map(Rule.init(_:)),
      allowsPrompt: try reader.optional("allowPrompt") ?? true,
      requiresAudit: try reader.optional("auditRequired") ?? false)
  }
}

extension Rule {
  fileprivate init(_ reader: PolicyReader) throws(PolicyReader.Misfit) {
    try reader.requireOnly("service", "match", "status", "reason", "contact")
    let service: Service = try reader.choice("service")
    let match = try reader.member("match")
    try match.requireOnly("users", "groups", "devices")
    self.init(
      service: service, users: try match.names("users"),
      groups: try match.names("groups"), devices: try match.globs("devices"),
      status: try reader.choice("status"), reason: try reader.optional("reason"),
      contact: try reader.optional("contact"))
  }
}

extension PolicyReader {
  fileprivate func names(_ key: String) throws(Misfit) -> [String] {
    let names: [String] = try optional(key) ?? []
    if names.contains("") { throw misfit(key, "\"\(key)\" holds an empty name") }
    return names
  }

  fileprivate func globs(_ key: String) throws(Misfit) -> [Glob] {
    let patterns = try names(key)
    let globs = patterns.compactMap(Glob.init)
    guard globs.count == patterns.count else {
      throw misfit(key, "\"\(key)\" may hold * and ? but no [, ] and \\")
    }
    return globs
  }
}

extension PolicyFlaw {
  /// Finds the place of the misfit in the text.
  fileprivate init(_ misfit: PolicyReader.Misfit, in bytes: [UInt8]) {
    switch misfit {
    case .syntax(.syntax(let line, let column, let words)):
      self.init(words, line: line, column: column)
    case .syntax(let error): self.init(error.description)
    case .shape(let path, let words):
      let place = JSONPlace.find(path, in: bytes)
      self.init(words, line: place.line, column: place.column)
    }
  }
}
