internal import CPipeWire
internal import Linux

/// A link that the capture has requested. When this object is freed, the server removes the link if
/// it still exists.
///
/// SAFETY: the pointer never changes, and it is used only while the loop is locked.
@safe final class CreatedLink {
  enum State {
    /// The server has not answered.
    case requested
    /// The two nodes do not exchange samples yet, or not any more.
    case inactive
    case active
    case refused
    /// Another program removed the link or one of its ports.
    case removed
  }

  private(set) var state = State.requested
  /// The server's number for the state. This number increases until the link is active.
  private(set) var step: Int32 = 0
  /// The server's reason for refusing the link, or nil if the link was not refused.
  private(set) var refusal: String?
  /// The node that the sound comes from, or nil if the graph does not contain the output port.
  let origin: Linker.Origin?
  /// The pause after a refusal.
  private(set) var pause: LinkPause
  /// Whether the link does not exist in the server any more.
  private var isRemoved = false
  private unowned let linker: Linker
  private let proxy: UnsafeMutableRawPointer?
  private let states = Listener(CreatedLink.stateEvents)
  private let faults = Listener(CreatedLink.faultEvents)

  /// Requests a link.
  ///
  /// - Parameter pause: the pause after the last refusal of this link.
  init(
    _ link: Graph.Link, from origin: Linker.Origin?, after pause: LinkPause, for linker: Linker
  ) {
    self.linker = linker
    self.origin = origin
    self.pause = pause
    unsafe proxy = withDictionary([
      ("link.output.port", "\(link.output)"), ("link.input.port", "\(link.input)"),
    ]) { unsafe pipewire_create_link(linker.core, $0) }
    guard let proxy = unsafe proxy else {
      state = .refused
      self.pause.begin(at: KernelClock.monotonic.now)
      return
    }
    unsafe states.listen(to: proxy, for: self)
    unsafe faults.listen(toProxy: proxy, for: self)
  }

  deinit {
    guard let proxy = unsafe proxy else { return }
    states.end()
    faults.end()
    unsafe pipeWire.proxy_destroy(proxy)
  }

  /// Removes the link in the server. Does nothing if the link was already removed, because the
  /// server may have given the number of the link to another object.
  func end() {
    guard !isRemoved, let proxy = unsafe proxy else { return }
    _ = unsafe pipewire_destroy(linker.core, proxy)
  }

  /// Whether the link is active or may become active. The link of a paused program is inactive but
  /// may become active.
  var mayPlay: Bool { isAwaited || state == .active }

  /// Whether the link is neither active nor refused nor removed.
  var isAwaited: Bool { state == .requested || state == .inactive }

  /// Whether the link has to be requested again: another program has removed it, or the pause after
  /// a refusal has ended.
  func isEnded(_ hasStarted: Bool, _ now: Duration) -> Bool {
    state == .removed || (state == .refused && hasStarted && pause.end <= now)
  }

  /// The time at which the linker has to check the link again, or nil if no check is needed.
  func nextStep(_ hasStarted: Bool) -> Duration? {
    state == .refused && hasStarted ? pause.end : nil
  }

  private func change(to state: State) {
    // A refused link stays refused until it is requested again.
    if self.state == .refused || self.state == state { return }
    self.state = state
    if state == .active { pause = LinkPause() }
    if state == .refused { pause.begin(at: KernelClock.monotonic.now) }
    linker.update()
  }

  private static var stateEvents: pipewire_link_events {
    var events = pipewire_link_events()
    unsafe events.info = { data, info in
      guard let link = unsafe object(CreatedLink.self, data), let info = unsafe info else { return }
      link.step = unsafe info.pointee.state
      link.change(to: link.step == pipewire_link_active ? .active : .inactive)
    }
    return events
  }

  private static var faultEvents: pipewire_proxy_events {
    var events = pipewire_proxy_events()
    unsafe events.removed = { data in
      guard let link = unsafe object(CreatedLink.self, data) else { return }
      link.isRemoved = true
      link.change(to: .removed)
    }
    unsafe events.error = { data, _, _, message in
      guard let link = unsafe object(CreatedLink.self, data) else { return }
      link.refusal = unsafe message.map { unsafe String(cString: $0) } ?? ""
      link.change(to: .refused)
    }
    return events
  }
}
