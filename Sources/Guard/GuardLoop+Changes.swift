internal import Control
internal import Linux
internal import Permission

extension GuardLoop {
  /// Makes the waiting changes of the permission store in their order. Stops if another process
  /// holds the lock of the store.
  func makeChanges() {
    for (change, failure) in changes.make(at: KernelClock.monotonic.now, store) {
      finish(change, failure)
    }
  }

  private func store(_ change: GuardChange) -> StoreFailure? {
    do throws(StoreFailure) {
      switch change {
      case .consume(let query, let session, _): _ = try authority.consume(for: session, query)
      case .end(let session): try authority.end(session, of: .program)
      case .answer(let question, let answer, _): try store(answer, to: question)
      case .keep(let program, let isAllowed, let reason): try keep(isAllowed, program, reason)
      }
      return nil
    } catch {
      return error
    }
  }

  private func store(_ answer: GuardAnswer, to question: GuardQuestion) throws(StoreFailure) {
    let query = question.query
    decisions.forget()
    // The session is stored, so that the grant is removed when the connection ends, even if the
    // program has never used the grant.
    if answer == .once, let session = query.session { sessions.insert(session) }
    let own = authority.acting(for: question.program.process)
    let portal = try own.perform(.request(answer.atPrompt), query).after.portal
    if portal != own.portal {
      desktop.store(portal.decisions[query.client], about: question.program)
      followPortal()
    }
  }

  private func keep(
    _ isAllowed: Bool, _ program: GuardedProgram, _ reason: String
  ) throws(StoreFailure) {
    var own = authority.acting(for: program.process)
    own.portal = PortalRecords(fault: .absent(reason))
    decisions.forget()
    let query = AccessQuery([.microphone], client: program.client, device: .unresolved)
    _ = try own.perform(.request(isAllowed ? .always : .never), query)
  }

  private func finish(_ change: GuardChange, _ failure: StoreFailure?) {
    switch change {
    case .consume(_, _, let program), .keep(let program, _, _):
      if let failure { host.show(.unstored(program, failure)) }
    case .end:
      // A failure is not reported, because no other connection can use the grant that remains.
      break
    case .answer(let question, let answer, let ticket):
      // If the answer is not stored, the user is asked about the program again.
      _ = rules.take(question.number, isRefused: failure == nil && answer == .never)
      desktop.withdraw(question.number)
      let error = failure.map { GuardError.unstored(question.program, $0) }
      if let failure { host.show(.unstored(question.program, failure)) }
      let reply = error.map { Reply.refused(host.refusal($0)) } ?? .done
      if let ticket { socket.server.answer(ticket, reply) }
    }
  }
}

extension GuardAnswer {
  fileprivate var atPrompt: PromptAnswer {
    switch self {
    case .once: .onlyThisTime
    case .always: .always
    case .never: .never
    }
  }
}
