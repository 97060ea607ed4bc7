internal import CPipeWire
internal import JSON
internal import Linux

/// The graph of a connection, kept up to date.
package final class Registry: Sendable {
  private let connection: Connection
  private let follower: Follower

  /// Reads the whole graph, and then keeps it up to date.
  ///
  /// - Parameters:
  ///   - withDetails: whether the delays and the cards of devices are also read.
  ///   - withClients: whether all clients are followed, not only those that play sound. If so, the
  ///     texts of a metadata object are read only after a call of `follow(metadata:)`.
  package init(
    _ connection: Connection, withDetails: Bool = false, withClients: Bool = false
  ) throws(ConnectionFailure) {
    // Until the callbacks are registered, no event may be handled: it would be lost.
    connection.lock()
    guard let pointer = unsafe pipewire_registry(connection.core) else {
      connection.unlock()
      throw .ended
    }
    self.connection = connection
    follower = unsafe Follower(
      pointer, connection.news, withDetails: withDetails, withClients: withClients)
    connection.unlock()
    try connection.roundTrip()
    // Now the server also sends the details of the objects that were found.
    try connection.roundTrip()
  }

  deinit { connection.locked { follower.end() } }

  /// The current graph.
  package var graph: Graph { connection.locked { follower.state } }

  /// Removes a link of any program, by its number.
  package func remove(link: UInt32) { connection.locked { follower.remove(link: link) } }

  /// Creates a link that exists until one of its ports is removed, even if this connection has
  /// ended.
  package func create(_ link: Graph.Link) {
    connection.locked {
      let proxy = unsafe withDictionary([
        ("link.output.port", "\(link.output)"), ("link.input.port", "\(link.input)"),
        ("object.linger", "true"),
      ]) { unsafe pipewire_create_link(connection.core, $0) }
      unsafe proxy.map { unsafe pipeWire.proxy_destroy($0) }
    }
  }

  /// Reads the texts of a metadata object, and keeps them up to date. The object's owner must be
  /// trusted: until it answers, the server handles no further request of this connection.
  package func follow(metadata: UInt32) {
    connection.locked { follower.follow(metadata: metadata) }
  }

  /// Changes a text of a metadata object; nil removes it. A refusal of the server is not reported.
  package func set(_ value: String?, of entry: Graph.Metadata.Entry, in metadata: UInt32) {
    connection.locked { follower.set(value, of: entry, in: metadata) }
  }

  /// The descriptor that is readable after a change of the graph and after the end of the
  /// connection, until `takeChange` is called.
  package var number: Int32 { connection.news.changed.descriptor.number }

  /// Makes `number` unreadable until the next change. Call it before `graph` is read.
  package func takeChange() { connection.news.changed.clear() }

  /// The reason why the connection ended, or nil while it exists.
  package var failure: ConnectionFailure? { connection.failure }

  /// Calls `body` with the current graph, and again after each change, on the connection's thread.
  /// `follow(nil)` ends these calls.
  package func follow(_ body: ((Graph) -> Void)?) {
    connection.locked {
      follower.onChange = body
      body?(follower.state)
    }
  }
}

/// The object that the callbacks of a registry get. It does not own the connection: the thread of
/// the connection may release this object last, and must not release the connection.
///
/// SAFETY: its state is used only by the thread of the connection, or while the loop is locked.
@safe private final class Follower: @unchecked Sendable {
  private let news: Connection.News
  private let pointer: UnsafeMutableRawPointer
  private let listener: Listener<pipewire_registry_events>
  private(set) var state = Graph()
  /// The nodes, ports, clients and metadata that are followed in detail, by their numbers.
  private var followed: [UInt32: Followed] = [:]
  /// The clients that have had a node.
  private var users: Set<UInt32> = []
  var onChange: ((Graph) -> Void)?
  private let withDetails: Bool
  private let withClients: Bool

  @safe private struct Followed {
    let proxy: UnsafeMutableRawPointer
    let listener: Hook
    /// The object that the callbacks get, or nil if it is the follower.
    let owner: AnyObject?

    func end() {
      listener.end()
      unsafe pipeWire.proxy_destroy(proxy)
    }
  }

  init(
    _ pointer: UnsafeMutableRawPointer, _ news: Connection.News, withDetails: Bool,
    withClients: Bool
  ) {
    self.news = news
    state.server = news.server
    (self.withDetails, self.withClients) = (withDetails, withClients)
    unsafe self.pointer = pointer
    listener = Listener(Self.events)
    unsafe listener.listen(to: pointer, for: self)
  }

  /// Ends all callbacks.
  func end() {
    for object in followed.values { object.end() }
    listener.end()
    unsafe pipeWire.proxy_destroy(pointer)
  }

  func remove(link: UInt32) { _ = unsafe pipewire_remove(pointer, link) }

  func set(_ value: String?, of entry: Graph.Metadata.Entry, in metadata: UInt32) {
    guard let object = followed[metadata] else { return }
    _ = unsafe pipewire_set_value(object.proxy, entry.subject, entry.key.text, value)
  }

  /// Changes the graph, and signals the change.
  ///
  /// - Parameter isMinor: whether no decision depends on the change. If so, it is not signalled.
  private func change(isMinor: Bool = false, _ body: (inout Graph) -> Void) {
    body(&state)
    onChange?(state)
    if !isMinor { news.changed.signal() }
  }

  private static var events: pipewire_registry_events {
    var events = pipewire_registry_events()
    unsafe events.global = { data, id, _, type, _, properties in
      guard let follower = unsafe object(Follower.self, data), let type = unsafe type else {
        return
      }
      unsafe follower.add(id, String(cString: type), Properties(properties))
    }
    unsafe events.global_remove = { data, id in
      unsafe object(Follower.self, data)?.remove(id)
    }
    return events
  }

  private func remove(_ id: UInt32) {
    followed.removeValue(forKey: id)?.end()
    let hadNode = users.remove(id) != nil
    let isMinor = state.clients[id].map { !hadNode && state.claims(like: $0) == 1 } ?? false
    change(isMinor: isMinor) {
      $0.nodes[id] = nil
      $0.ports[id] = nil
      $0.links[id] = nil
      $0.clients[id] = nil
      $0.metadata[id] = nil
    }
  }

  private func add(_ id: UInt32, _ type: String, _ properties: Properties) {
    switch type {
    case Self.interface + "Node": addNode(id, properties)
    case Self.interface + "Port":
      guard let port = Graph.Port(properties) else { return }
      change { $0.ports[id] = port }
      let node = state.nodes[port.node]
      if withDetails, node?.isSink == true || node?.isSource == true { followPort(id) }
    case Self.interface + "Link":
      guard let link = Graph.Link(properties) else { return }
      change { $0.links[id] = link }
    case Self.interface + "Client":
      if withClients, followed[id] == nil { followClient(id, properties["object.serial"] ?? "") }
    case Self.interface + "Metadata": addMetadata(id, properties)
    default: break
    }
  }

  private static let interface = "PipeWire:Interface:"

  private func addNode(_ id: UInt32, _ properties: Properties) {
    var node = Graph.Node(properties)
    node.awaitsDetails = withDetails && node.isSource
    // The client is followed, because its details contain the executable.
    if !withClients, node.isPlayback, let client = node.client, followed[client] == nil {
      followClient(client, "")
    }
    if let client = node.client { users.insert(client) }
    change { $0.nodes[id] = node }
    if node.awaitsDetails || (withClients && node.isCapture), followed[id] == nil { followNode(id) }
  }

  private func followNode(_ id: UInt32) {
    var events = pipewire_node_events()
    unsafe events.info = { data, info in
      guard let follower = unsafe object(Follower.self, data), let info = unsafe info,
        unsafe info.pointee.changes & UInt64(pipewire_node_has_new_properties) != 0
      else { return }
      let id = unsafe info.pointee.id
      guard var node = follower.state.nodes[id] else { return }
      unsafe node.describe(Properties(info.pointee.properties))
      if node != follower.state.nodes[id] { follower.change { $0.nodes[id] = node } }
    }
    bind(id, "Node", events)
  }

  private func followClient(_ id: UInt32, _ serial: String) {
    var events = pipewire_client_events()
    unsafe events.info = { data, info in
      guard let owner = unsafe object(Owner.self, data), let info = unsafe info else { return }
      let properties = unsafe Properties(info.pointee.properties)
      let client = Graph.Client(properties, serial: owner.serial)
      owner.follower.set(client, owner.id)
    }
    bind(id, "Client", events, for: Owner(self, id, serial: serial))
  }

  private func set(_ client: Graph.Client, _ id: UInt32) {
    let former = state.clients[id]
    guard client != former else { return }
    // If all clients are followed, nothing depends on their names alone.
    let isRenamed = withClients && former.map { client.isRenamed(since: $0) } ?? false
    change(isMinor: isRenamed) { $0.clients[id] = client }
  }

  /// The owner of callbacks that the library calls without the number of their object.
  private final class Owner {
    unowned let follower: Follower
    let id: UInt32
    let serial: String

    init(_ follower: Follower, _ id: UInt32, serial: String = "") {
      (self.follower, self.id, self.serial) = (follower, id, serial)
    }
  }

  private func followPort(_ id: UInt32) {
    var events = pipewire_port_events()
    unsafe events.param = { data, _, _, _, _, parameter in
      guard let owner = unsafe object(Owner.self, data), let parameter = unsafe parameter
      else { return }
      let size = unsafe parameter.load(as: UInt32.self)
      let bytes = unsafe UnsafeRawBufferPointer(start: parameter, count: Int(size) + 8)
      unsafe owner.follower.setLatency(of: owner.id, bytes.bytes)
    }
    bind(id, "Port", events, for: Owner(self, id))
    guard let port = followed[id] else { return }
    _ = unsafe pipewire_subscribe(port.proxy, UInt32(pipewire_latency))
  }

  private func setLatency(of id: UInt32, _ parameter: RawSpan) {
    // Links do not depend on the latency, so this is not reported as a change of the graph.
    guard let port = state.ports[id],
      let latency = PortLatency(parameter, isOutput: port.isOutput)
    else { return }
    state.ports[id]?.latency = latency
  }

  private func addMetadata(_ id: UInt32, _ properties: Properties) {
    let metadata = Graph.Metadata(properties)
    if state.metadata[id] == nil { change { $0.metadata[id] = metadata } }
    if !withClients, metadata.isDefault { follow(metadata: id) }
  }

  func follow(metadata id: UInt32) {
    guard followed[id] == nil, state.metadata[id] != nil else { return }
    var events = pipewire_metadata_events()
    unsafe events.property = { data, subject, key, _, value in
      guard let owner = unsafe object(Owner.self, data) else { return 0 }
      let key = unsafe key.map { unsafe String(cString: $0) }
      owner.follower.change(owner.id, subject, key, unsafe value.map { unsafe String(cString: $0) })
      return 0
    }
    bind(id, "Metadata", events, for: Owner(self, id))
  }

  private func change(_ metadata: UInt32, _ subject: UInt32, _ key: String?, _ value: String?) {
    if withClients { change { $0.metadata[metadata]?.set(value, of: subject, key) } }
    guard let key, state.metadata[metadata]?.isDefault == true else { return }
    setDefault(key, value)
  }

  /// Reads a value such as `{ "name": "speaker" }`.
  private func setDefault(_ key: String, _ value: String?) {
    let name = value.flatMap { try? JSONValue(decoding: $0)["name"]?.string }
    switch key {
    case "default.audio.source": change { $0.defaultSource = name }
    case "default.audio.sink": change { $0.defaultSink = name }
    default: break
    }
  }

  private func bind<Events>(
    _ id: UInt32, _ type: String, _ events: Events, for owner: AnyObject? = nil
  ) {
    guard let proxy = unsafe pipewire_bind(pointer, id, Self.interface + type) else { return }
    let listener = Listener(events)
    unsafe listener.listen(to: proxy, for: owner ?? self)
    followed[id] = unsafe Followed(proxy: proxy, listener: listener, owner: owner)
  }
}
