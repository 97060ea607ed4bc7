internal import Control
internal import Devices
internal import Linux
internal import Permission
internal import Takes

extension Microphone {
  /// The status that holds now; asks nobody, writes nothing and opens no device.
  ///
  /// ```swift
  /// switch Microphone.authorization() {
  /// case .authorized: try await Recorder().record(to: "memo.wav")
  /// case .notDetermined: await Microphone.requestAccess()
  /// case .denied: print("“recorder permission grant” allows it again.")
  /// case .restricted: print("The administrator forbids it.")
  /// }
  /// ```
  public static func authorization(
    for device: Device = .defaultMicrophone, as client: Client = .current
  ) -> Authorization {
    guard let authority = try? Authority.current() else { return .denied }
    return Authorization(authority.decide(query(for: device, as: client, by: authority)).status)
  }

  /// The query for the decision, with the refusals of the environment.
  static func query(
    for device: Device, as client: Client, by authority: Authority
  ) -> AccessQuery {
    // To know the card behind a name its control device is opened, and few policies name cards.
    let namesCards = authority.directories.load().nameDevices
    var query = AccessQuery(
      client: client.floor,
      device: namesCards ? RequestedDevice(resolving: device.name) : .unresolved,
      restrictions: restrictions)
    query.deviceName = device.name
    return query
  }

  /// The refusals of the environment; a value without a meaning refuses, since the user meant to.
  private static var restrictions: CallRestrictions {
    let refused = CallRestrictions(refusal: .variable, forbidsPrompt: true)
    let variables = ["RECORDER_PERMISSION", "RECORDER_NO_PROMPT"].map { Environment.value(of: $0) }
    return
      (try? CallRestrictions(deny: false, permission: variables[0], noPrompt: variables[1]))
      ?? refused
  }

  /// Throws where the environment refuses the microphone to this program.
  static func checkCall() throws(RecorderError) {
    if restrictions.refusal != nil { throw .notAuthorized(.denied) }
  }
}

extension Microphone.Authorization {
  init(_ status: AuthorizationStatus) {
    switch status {
    case .notDetermined: self = .notDetermined
    case .restricted: self = .restricted
    case .denied: self = .denied
    case .authorized: self = .authorized
    }
  }
}

extension Device {
  /// The microphone of whoever names none: the one in the variable `RECORDER_CAPTURE_DEVICE`, else
  /// ALSA's `default`.
  public static var defaultMicrophone: Device { Device(CapturePlan.usualDevice) }

  /// The microphones of this machine: the cards first, then the names of ALSA's configuration. Built-in devices for tests
  /// are not among them.
  public static var microphones: [Device] {
    DeviceList.all(.capture).filter { $0.origin != .builtIn }.map { Device($0.name) }
  }
}

extension Microphone {
  /// The status of the access as it changes, beginning with the one that holds now.
  public static func changes(
    for device: Device = .defaultMicrophone, as client: Client = .current
  ) -> Changes {
    Changes(device: device, client: client)
  }

  /// The status of the access as it changes; it ends with the task that listens.
  public struct Changes: AsyncSequence, Sendable {
    public typealias Failure = Never
    let device: Device
    let client: Client

    /// Begins to watch.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(device, client) }

    /// One listener.
    public struct AsyncIterator: AsyncIteratorProtocol {
      private var news: Updates<Authorization>.AsyncIterator
      private let watch: AccessWatch

      fileprivate init(_ device: Device, _ client: Client) {
        let sender = Broadcast<Authorization>(keeping: 16)
        news = sender.updates.makeAsyncIterator()
        watch = AccessWatch(device, client, telling: sender)
      }

      /// The next status; nil in a cancelled task.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> Authorization? {
        await news.next(isolation: actor)
      }
    }
  }
}

/// A watch over the decisions, on a thread that ends with it.
private final class AccessWatch: Sendable {
  private let over: Over?

  private final class Over: Sendable {
    let event: Event
    init() throws(SystemError) { event = try Event() }
  }

  init(
    _ device: Device, _ client: Microphone.Client, telling news: Broadcast<Microphone.Authorization>
  ) {
    let over = try? Over()
    self.over = over
    let isStarted =
      over.map { over in
        (try? Thread("permission") { Self.run(news, device, client, until: over) }) != nil
      } ?? false
    if !isStarted { news.end() }
  }

  deinit { over?.event.signal() }

  private static func run(
    _ news: Broadcast<Microphone.Authorization>, _ device: Device, _ client: Microphone.Client,
    until over: Over
  ) {
    defer { news.end() }
    guard let authority = try? Authority.current(), var watch = try? DecisionWatch(authority)
    else {
      news.send(Microphone.authorization(for: device, as: client))
      return
    }
    var told: Microphone.Authorization?
    var poll = Poll(capacity: 3)
    let end = poll.add(over.event.descriptor.number)
    watch.enlist(in: &poll)
    repeat {
      _ = watch.noticesChange(poll)
      let decision = authority.decide(Microphone.query(for: device, as: client, by: authority))
      let status = Microphone.Authorization(decision.status)
      if status != told { news.send(status) }
      told = status
      let left = decision.remaining.map { max(.milliseconds(10), $0) }
      guard (try? poll.wait(upTo: left)) != nil else { return }
    } while poll[end].isEmpty
  }
}
