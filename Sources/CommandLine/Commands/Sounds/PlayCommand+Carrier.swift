internal import Audio
internal import Control
internal import JSON
internal import Linux
internal import Store

extension PlayCommand: Carrier {
  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    if arguments[detach] {
      try LifeInBackground.require(
        for: "the sound", remedy: "\"recorder play\" without --detach stays with it")
    }
    let spool = try spool(arguments)
    // The player opens the file that this process holds open.
    defer { withExtendedLifetime(spool) {} }
    var order = try order(arguments, spooled: spool?.path)
    let link = try PlayerLink.started(opening: order.device)
    if spool != nil { try requireSharedProcesses() }
    order.environment = try PlayerSurroundings.environment()
    let answer = try ask(for: order, link)
    guard let result = PlayResult(json: .object(answer)) else {
      throw Failure(.failed, Message("the player is of another version of recorder"))
    }
    let report = PlayReport(result: result)
    for line in report.remarks(on: order) { console.note(Message(line)) }
    return report
  }

  /// Sends the order to the player and waits for its end.
  private static func ask(
    for order: PlayOrder, _ link: consuming PlayerLink
  ) throws(Failure) -> JSONObject {
    do throws(Failure) {
      let suspension = order.waits ? PlaySuspension.watch(for: order) : nil
      return try link.ask(
        "play", order.json.object ?? [:], waitingUpTo: nil, serving: suspension)
    } catch {
      let isBare = order.sounds.contains { $0.name == "-" && $0.raw == nil }
      guard isBare, error.code == .notASound else { throw error }
      let advice = "if these are raw samples, add --rate, --channels and --bits"
      throw Failure(
        error.code, Message(error.message.fact, advice: error.message.advice + [advice]))
    }
  }

  /// Throws if the player cannot open files through this process.
  private static func requireSharedProcesses() throws(Failure) {
    guard let record = try PlayerLink.paths().record,
      !record.host.sharesProcesses(with: .current)
    else { return }
    throw Failure(
      .failed,
      Message(
        "the player runs in another container (\(quoted(record.host.name))), and cannot read "
          + "what comes from stdin", advice: "write it to a file in the home, and play that"))
  }

  /// Makes the order from the arguments; opens nothing.
  static func order(
    _ arguments: Arguments, spooled: String?
  ) throws(Failure) -> PlayOrder {
    let raw = try raw(arguments)
    if arguments[loop], arguments[times] != nil {
      throw Failure(
        .usage,
        Message("--loop plays for ever and --times a number of times", advice: "remove one of them")
      )
    }
    var wanted: [WantedSound] = []
    for name in arguments[sounds].map(\.value) { wanted.append(try sound(name, spooled, raw)) }
    if raw != nil, wanted.contains(where: { $0.path == nil }) {
      throw Failure(
        .usage, Message("raw samples come from - or a file, not from a name of the library"))
    }
    var order = PlayOrder(wanted, on: arguments[device]?.value ?? "default")
    order.ifPlaying = arguments[ifPlaying] ?? .restart
    order.times = arguments[times]?.value ?? 1
    order.loops = arguments[loop]
    order.waits = !arguments[detach]
    order.volume = arguments[volume]?.factor
    order.fade = arguments[fade] ?? .zero
    order.leadIn = arguments[leadIn] ?? .zero
    order.cooldown = arguments[cooldown] ?? .zero
    return order
  }

  private static func sound(
    _ name: String, _ spooled: String?, _ raw: StreamFormat?
  ) throws(Failure) -> WantedSound {
    if name == "-" { return WantedSound(name, path: spooled, raw: raw) }
    let name = try SoundTarget.name(name)
    return WantedSound(name, path: name.begins(with: "/") ? name : nil, raw: raw)
  }

  private static func raw(_ arguments: Arguments) throws(Failure) -> StreamFormat? {
    let (rate, channels, bits) = (arguments[rate], arguments[channels], arguments[bits])
    if rate == nil && channels == nil && bits == nil { return nil }
    guard let rate, let channels, let bits else {
      throw Failure(
        .usage, Message("raw samples need all of --rate, --channels and --bits"))
    }
    return StreamFormat(rate: rate, channels: channels, sample: bits.sample)
  }

  /// Reads all of stdin if `-` is to be played; else nil.
  private static func spool(_ arguments: Arguments) throws(Failure) -> Spool? {
    let count = arguments[sounds].filter { $0.value == "-" }.count
    guard count > 0 else { return nil }
    guard count == 1 else { throw Failure(.usage, Message("stdin can be played once")) }
    return try Spool(stdin: try PlayerLink.paths())
  }
}
