internal import Linux
internal import Sounds
internal import Synchronization

/// The thread of a hosted player. It starts when there is work and ends when there is none.
final class HostedThread: Sendable {
  typealias Order = @Sendable (HostedLoop) -> Void

  private struct State {
    var orders: [Order] = []
    var isRunning = false
  }

  private let wakeup: Wakeup
  private let loop: HostedLoop
  private let state = Mutex(State())

  init(_ wakeup: Wakeup, _ loop: HostedLoop) {
    self.wakeup = wakeup
    self.loop = loop
  }

  /// Queues an order for the thread, and starts the thread if it is not running.
  func post(_ order: @escaping Order) {
    let starts = state.withLock { state in
      state.orders.append(order)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if starts { start() } else { wakeup.signal() }
  }

  /// Queues an order if the thread is running; otherwise drops the order.
  func postIfRunning(_ order: @escaping Order) {
    state.withLock { if $0.isRunning { $0.orders.append(order) } }
    wakeup.signal()
  }

  private func start() {
    do throws(SystemError) {
      _ = try Thread("hosted player") { [self] in run() }
    } catch {
      // The thread could not be started, so all orders fail here, on the calling thread.
      loop.refusal = .system(.playing, error)
      repeat {
        for order in takeOrders() { order(loop) }
        loop.advance()
      } while !mayLeave()
    }
  }

  private func run() {
    loop.refusal = nil
    while true {
      wakeup.clear()
      for order in takeOrders() { order(loop) }
      loop.advance()
      if mayLeave() { return }
      loop.wait()
    }
  }

  private func takeOrders() -> [Order] {
    state.withLock { state in
      defer { state.orders = [] }
      return state.orders
    }
  }

  /// Returns whether no work is left. If so, the thread ends, and the next order starts another
  /// one.
  private func mayLeave() -> Bool {
    let isIdle = loop.isIdle
    return state.withLock { state in
      guard isIdle, state.orders.isEmpty else { return false }
      state.isRunning = false
      return true
    }
  }
}
