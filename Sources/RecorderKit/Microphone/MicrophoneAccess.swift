internal import Control
internal import Devices
internal import Linux
internal import Permission
internal import Takes

extension Microphone {
  /// Returns the current status, without asking the user, writing anything or opening a capture
  /// device.
  ///
  /// ```swift
  /// switch Microphone.authorization() {
  /// case .authorized: try await Recorder().record(to: "memo.wav")
  /// case .notDetermined: await Microphone.requestAccess()
  /// case .denied:
  ///   print("“recorder permission grant --as \(Microphone.Client.current)” allows it again.")
  /// case .restricted: print("The administrator forbids it.")
  /// }
  /// ```
  public static func authorization(
    for device: Device = .defaultMicrophone, client: Client = .current
  ) -> Authorization {
    guard let authority = try? Authority.current() else { return .denied }
    return Authorization(authority.decide(query(for: device, client: client, by: authority)).status)
  }

  /// Returns the query for a decision, with the restrictions from the environment variables.
  static func query(for device: Device, client: Client, by authority: Authority) -> AccessQuery {
    // To find the card of a device name, the card's control device must be opened. So the card is
    // looked up only if a policy names a card, which is rare.
    let namesCards = authority.directories.load().nameDevices
    var query = AccessQuery(
      [Service(recording: device.id)], client: client.permissionClient,
      device: namesCards ? RequestedDevice(resolving: device.id) : .unresolved,
      restrictions: restrictions)
    query.deviceName = device.id
    return query
  }

  /// The restrictions from the environment variables. An invalid value refuses access, because the
  /// user meant to restrict it.
  private static var restrictions: CallRestrictions {
    let refused = CallRestrictions(refusal: .variable, forbidsPrompt: true)
    let variables = ["RECORDER_PERMISSION", "RECORDER_NO_PROMPT"].map { Environment.value(of: $0) }
    return
      (try? CallRestrictions(deny: false, permission: variables[0], noPrompt: variables[1]))
      ?? refused
  }

  /// Prepares a capture. Throws if the environment variables refuse the microphone to this program.
  static func checkCall() throws(RecorderError) {
    holdStandardStreams()
    if restrictions.refusal != nil { throw .notAuthorized(.denied) }
  }
}

extension Microphone.Authorization {
  init(_ status: AuthorizationStatus) {
    self = Self(rawValue: status.rawValue) ?? .denied
  }
}

extension Microphone {
  /// Returns the access status and its changes, beginning with the current status.
  public static func changes(
    for device: Device = .defaultMicrophone, client: Client = .current
  ) -> Changes {
    Changes(device: device, client: client)
  }

  /// The access status and its changes. The sequence ends when its task is cancelled, or if changes
  /// cannot be watched.
  public struct Changes: AsyncSequence, Sendable {
    public typealias Failure = Never
    let device: Device
    let client: Client

    /// Starts to watch the status.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(device, client) }

    /// One iteration.
    public struct AsyncIterator: AsyncIteratorProtocol {
      private var news: Updates<Authorization>.AsyncIterator
      private let watch: AccessWatch

      fileprivate init(_ device: Device, _ client: Client) {
        let sender = Broadcast<Authorization>(keeping: 16)
        news = sender.updates.makeAsyncIterator()
        watch = AccessWatch(device, client, telling: sender)
      }

      /// Returns the next status, or nil after the end and in a cancelled task.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> Authorization? {
        await news.next(isolation: actor)
      }
    }
  }
}

/// Watches the decisions, on a thread that ends with this object.
private final class AccessWatch: Sendable {
  private let over = try? Awaited<Void>()

  init(
    _ device: Device, _ client: Microphone.Client, telling news: Broadcast<Microphone.Authorization>
  ) {
    let isStarted =
      over.map { over in
        (try? Thread("permission") { Self.run(news, device, client, until: over) }) != nil
      } ?? false
    if !isStarted { news.end() }
  }

  deinit { over?.set(()) }

  private static func run(
    _ news: Broadcast<Microphone.Authorization>, _ device: Device, _ client: Microphone.Client,
    until over: Awaited<Void>
  ) {
    defer { news.end() }
    guard let authority = try? Authority.current(), var watch = try? DecisionWatch(authority)
    else {
      news.send(Microphone.authorization(for: device, client: client))
      return
    }
    var told: Microphone.Authorization?
    var poll = Poll(capacity: 3)
    let end = poll.add(over.isSet.descriptor.number)
    watch.enlist(in: &poll)
    repeat {
      _ = watch.noticesChange(poll)
      // The decision is read after each wait. This call only sets the time of the next check.
      _ = watch.isCheckDue()
      let decision = authority.decide(Microphone.query(for: device, client: client, by: authority))
      let status = Microphone.Authorization(decision.status)
      if status != told { news.send(status) }
      told = status
      // A change may come without a notification, and a wait does not include the time while the
      // machine sleeps.
      let check = watch.nextCheck - KernelClock.monotonic.now
      let left = max(.milliseconds(10), min(check, decision.remaining ?? check))
      guard (try? poll.wait(upTo: left)) != nil else { return }
    } while poll[end].isEmpty
  }
}
