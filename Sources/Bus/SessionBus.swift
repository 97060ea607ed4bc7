internal import CSystemd
package import Linux

/// A signal of another program on the bus.
package struct BusSignal: Hashable, Sendable {
  /// The interface, such as `org.freedesktop.Notifications`.
  package let interface: String
  /// The name of the signal.
  package let member: String
  /// The bus name of the sender's connection, such as `:1.42`.
  package let sender: String
  /// The arguments.
  package let values: [BusValue]
}

/// A message that has arrived.
package enum BusEvent: Sendable {
  case signal(BusSignal)
  /// The answer to a request of `send`: the number of the request, the bus name of the connection
  /// that answered, and the results or the failure.
  case answer(to: UInt64, from: String, Result<[BusValue], BusFailure>)
}

/// A method of an object of another program.
package struct BusMethod: Hashable, Sendable {
  let destination: String
  let path: String
  let interface: String
  let name: String

  /// Creates the description of a method.
  package init(_ name: String, of interface: String, at path: String, _ destination: String) {
    (self.name, self.interface, self.path) = (name, interface, path)
    self.destination = destination
  }
}

/// A connection to the session bus of the user. Only one thread may use it.
@safe package struct SessionBus: ~Copyable {
  private let connection: OpaquePointer

  /// Connects to the bus.
  package init() throws(BusFailure) {
    guard Library.loaded.isComplete else { throw .noLibrary }
    var connection: OpaquePointer?
    guard unsafe bus.open_user(&connection) >= 0, let connection = unsafe connection else {
      throw .noBus
    }
    unsafe self.connection = connection
  }

  // Closes the connection without a flush, because a flush would wait for a bus that hangs.
  deinit { _ = unsafe bus.close_unref(connection) }

  /// The default time limit for an answer.
  package static let patience = Duration.seconds(2)

  /// Calls a method and returns its results. Throws if no answer comes in time. Discards all other
  /// messages that arrive meanwhile.
  package func call(
    _ method: BusMethod, _ arguments: [BusValue], upTo limit: Duration = SessionBus.patience
  ) throws(BusFailure) -> [BusValue] {
    let request = try send(method, arguments)
    let deadline = KernelClock.monotonic.now + limit
    while true {
      for event in try events() {
        if case .answer(to: let answered, from: _, let result) = event, answered == request {
          return try result.get()
        }
      }
      guard try wait(until: deadline) else { throw .ended(.timedOut) }
    }
  }

  /// Waits for messages until `deadline`, on the monotonic clock. Returns false if the deadline has
  /// passed. If the bus has not accepted the connection yet, the wait also ends when the next step
  /// of connecting is possible.
  package func wait(until deadline: Duration) throws(BusFailure) -> Bool {
    let left = deadline - KernelClock.monotonic.now
    guard left > .zero else { return false }
    var poll = Poll(capacity: 1)
    enlist(in: &poll)
    do throws(SystemError) {
      return try poll.wait(upTo: left) > 0
    } catch {
      throw .ended(error.errno)
    }
  }

  /// Calls a method without waiting for the answer. Returns the number of the request.
  package func send(
    _ method: BusMethod, _ arguments: [BusValue]
  ) throws(BusFailure) -> UInt64 {
    let message = try message(method, arguments)
    var number: UInt64 = 0
    try check(unsafe bus.send(connection, message.pointer, &number))
    return number
  }

  private func message(
    _ method: BusMethod, _ arguments: [BusValue]
  ) throws(BusFailure) -> BusMessage {
    var pointer: OpaquePointer?
    try check(
      unsafe bus.message_new_method_call(
        connection, &pointer, method.destination, method.path, method.interface, method.name))
    guard let pointer = unsafe pointer else { throw .ended(.invalid) }
    let message = unsafe BusMessage(pointer)
    for argument in arguments { try message.append(argument) }
    return message
  }

  /// Requests the signals of an interface, but only from the program whose name on the bus is the
  /// name of the interface. Does not wait for the bus. Signals of other programs can still arrive
  /// if they are addressed to this connection.
  package func watch(_ interface: String) throws(BusFailure) {
    let rule = "type='signal',sender='\(interface)',interface='\(interface)'"
    let name = "org.freedesktop.DBus"
    let method = BusMethod("AddMatch", of: name, at: "/org/freedesktop/DBus", name)
    _ = try send(method, [.string(rule)])
  }

  /// Returns the messages that have arrived. Throws if the connection has ended.
  package func events() throws(BusFailure) -> [BusEvent] {
    var events: [BusEvent] = []
    while true {
      var pointer: OpaquePointer?
      guard try check(unsafe bus.process(connection, &pointer)) > 0 else { return events }
      guard let pointer = unsafe pointer else { continue }
      if let event = unsafe BusEvent(BusMessage(pointer)) { events.append(event) }
    }
  }

  /// Adds the connection to a poll. If the descriptor is ready, call `events`.
  package func enlist(in poll: inout Poll) {
    poll.add(
      unsafe bus.get_fd(connection),
      for: Poll.Readiness(rawValue: Int16(truncatingIfNeeded: unsafe bus.get_events(connection))))
  }
}

extension BusEvent {
  /// Creates an event from a message. Returns nil for a request of another program, because this
  /// program serves no requests.
  fileprivate init?(_ message: consuming BusMessage) {
    if message.isSignal {
      self = .signal(
        BusSignal(
          interface: message.interface, member: message.member, sender: message.sender,
          values: (try? message.values()) ?? []))
      return
    }
    guard let request = message.answered else { return nil }
    do throws(BusFailure) {
      try message.requireSuccess()
      self = .answer(to: request, from: message.sender, .success(try message.values()))
    } catch {
      self = .answer(to: request, from: message.sender, .failure(error))
    }
  }
}
