internal import Linux

/// A program that uses a device of a kernel driver.
package struct DeviceHolder: Hashable, Sendable {
  /// The process number, or 0 if this system cannot see the process.
  package let process: Int32
  /// The program's name as truncated by the kernel, or empty if unknown.
  package let program: String
}

extension DeviceHolder: CustomStringConvertible {
  /// A description such as `arecord (process 4711)`.
  package var description: String {
    program.isEmpty ? "process \(process)" : "\(program) (process \(process))"
  }
}

extension DeviceHolder {
  /// Returns the programs that use a device that matches the PCM name `name`, each program once.
  ///
  /// - Parameter processes: the directory of the kernel's files about processes and cards.
  package static func holders(
    of name: String, _ direction: Direction, processes: String = "/proc"
  ) -> [DeviceHolder] {
    CardStreams(direction, processes: processes).holders(of: name)
  }
}

/// The streams of all cards in one direction, and the holder of each stream, at one moment.
struct CardStreams {
  let direction: Direction
  private let streams: [KernelFiles.Stream]

  init(_ direction: Direction, processes: String = "/proc") {
    self.direction = direction
    streams = KernelFiles(root: processes).streams(direction)
  }

  /// Returns the programs that use a device that matches the PCM name `name`, each program once.
  func holders(of name: String) -> [DeviceHolder] {
    let address = CardAddress(pcm: name)
    var holders: [DeviceHolder] = []
    for stream in streams where address.includes(stream) {
      if let holder = stream.holder, !holders.contains(holder) { holders.append(holder) }
    }
    return holders
  }
}

extension CardStreams {
  /// The streams in use, each with the name and the description of its device.
  var uses: [(device: String, title: String, holder: DeviceHolder)] {
    streams.compactMap { stream in
      guard let holder = stream.holder else { return nil }
      let name = KernelFiles.field("name", of: KernelFiles.text("\(stream.path)/info")) ?? ""
      return (
        "hw:CARD=\(stream.id),DEV=\(stream.device)", name.isEmpty ? stream.id : name, holder
      )
    }
  }
}

/// The card and the device in a PCM name, as far as the name contains them.
struct CardAddress: Hashable {
  /// The card's number or identifier, or nil if the name has neither, as in `default`.
  let card: String?
  let device: Int?

  /// Reads `hw:CARD=Loopback,DEV=0`, `plughw:1,0` and similar names.
  init(pcm name: String) {
    let arguments = name.split(separator: ":", maxSplits: 1).dropFirst().first ?? ""
    var named: [String: String] = [:]
    for (index, argument) in arguments.split(separator: ",").enumerated() {
      let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
      let key = parts.count == 2 ? parts[0] : index == 0 ? "CARD" : index == 1 ? "DEV" : "SUBDEV"
      named[key] = parts.last
    }
    card = named["CARD"]
    device = named["DEV"].flatMap { Int($0) }
  }

  /// Whether the device of the stream matches the name. A name without a card matches every card.
  fileprivate func includes(_ stream: KernelFiles.Stream) -> Bool {
    (card == nil || card == "\(stream.card)" || card == stream.id)
      && [nil, stream.device].contains(device)
  }
}

/// The kernel's files about its sound cards, under /proc/asound.
private struct KernelFiles {
  let root: String

  /// One stream of a device, and the program that uses the stream.
  struct Stream: Hashable {
    let card: Int
    let id: String
    let device: Int
    /// The directory of the device's files.
    let path: String
    let holder: DeviceHolder?
  }

  /// Returns every stream of every card, or none if the kernel has no sound support.
  func streams(_ direction: Direction) -> [Stream] {
    numbered("\(root)/asound", prefix: "card").flatMap { card in
      let folder = "\(root)/asound/card\(card)"
      let id = Self.text("\(folder)/id").trimmed
      return devices(in: folder, direction).flatMap { device, path in
        numbered(path, prefix: "sub").map { stream in
          Stream(
            card: card, id: id, device: device, path: path,
            holder: holder(Self.text("\(path)/sub\(stream)/status")))
        }
      }
    }
  }

  private func devices(in folder: String, _ direction: Direction) -> [(Int, String)] {
    let suffix = direction == .capture ? "c" : "p"
    return names(in: folder).filter { $0.begins(with: "pcm") && $0.ends(with: suffix) }.sorted()
      .compactMap { name in
        Int(name.dropFirst(3).dropLast()).map { ($0, "\(folder)/\(name)") }
      }
  }

  /// Returns the process that uses a stream. The kernel reports the thread that opened the stream,
  /// so the process of this thread is looked up.
  private func holder(_ status: String) -> DeviceHolder? {
    guard let thread = Self.field("owner_pid", of: status).flatMap({ Int32($0) }) else {
      return nil
    }
    let process = Self.field("Tgid", of: Self.text("\(root)/\(thread)/status"))
      .flatMap { Int32($0) }
    let program = Self.text("\(root)/\(process ?? thread)/comm").trimmed
    return DeviceHolder(process: process ?? thread, program: program)
  }

  static func field(_ name: String, of text: String) -> String? {
    let line = text.split(separator: "\n").first { $0.begins(with: name) }
    return line?.split(separator: ":", maxSplits: 1).last.map { String($0).trimmed }
  }

  private func numbered(_ folder: String, prefix: String) -> [Int] {
    names(in: folder).filter { $0.begins(with: prefix) }
      .compactMap { Int($0.dropFirst(prefix.count)) }.sorted()
  }

  private func names(in folder: String) -> [String] {
    (try? Directory(folder).names()) ?? []
  }

  static func text(_ path: String) -> String {
    let bytes = try? Descriptor(opening: path).readAll(upTo: 65_536)
    return String(decoding: bytes ?? [], as: UTF8.self)
  }
}

extension String {
  fileprivate var trimmed: String {
    let kept = drop(while: \.isWhitespace)
    return String(kept.reversed().drop(while: \.isWhitespace).reversed())
  }
}
