package import Permission
internal import PipeWire

/// A program that records now although it has no permission.
package struct UnallowedUse: Sendable {
  /// The program, its device, and the question that a guard would ask.
  package let question: GuardQuestion
  /// The status of its access, which is never `authorized`.
  package let status: AuthorizationStatus

  /// Whether the user can be asked: nothing is decided, and the decision can be stored.
  package var isOpen: Bool { status == .notDetermined && question.program.client.isIdentified }

  /// Lists these programs, each once for a service. Throws if the sound server cannot be used.
  package static func current(by authority: Authority) throws -> [UnallowedUse] {
    var server = try GuardedServer()
    if case .unguarded(let failure)? = server.connect() { throw failure }
    server.read()
    var found: [UnallowedUse] = []
    let uses = server.uses().sorted { ($0.key.source, $0.key.node) < ($1.key.source, $1.key.node) }
    for (use, links) in uses {
      let program = server.program(of: use.client)
      let isListed = found.contains {
        $0.question.program == program && $0.question.use.service == use.service
      }
      let question = GuardQuestion(
        number: found.count + 1, program: program, use: use, device: links.device, deadline: .zero)
      let status = authority.decide(question.query).status
      if isListed || status == .authorized { continue }
      found.append(UnallowedUse(question: question, status: status))
    }
    return found
  }
}
