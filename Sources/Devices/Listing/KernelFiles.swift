internal import Linux

/// The kernel's files on its sound cards, under /proc/asound.
struct KernelFiles {
  let root: String

  /// One stream of a device, and its holder.
  struct Stream: Hashable {
    let card: Int
    let id: String
    let device: Int
    let holder: DeviceHolder?
  }

  /// Every stream of every card; none where there is no sound in the kernel.
  func streams(_ direction: Direction) -> [Stream] {
    numbered("\(root)/asound", prefix: "card").flatMap { card in
      let folder = "\(root)/asound/card\(card)"
      let id = text("\(folder)/id").trimmed
      return devices(in: folder, direction).flatMap { device, path in
        numbered(path, prefix: "sub").map { stream in
          Stream(
            card: card, id: id, device: device, holder: holder(text("\(path)/sub\(stream)/status")))
        }
      }
    }
  }

  private func devices(in folder: String, _ direction: Direction) -> [(Int, String)] {
    let suffix = direction == .capture ? "c" : "p"
    return names(in: folder).filter { $0.hasPrefix("pcm") && $0.hasSuffix(suffix) }.sorted()
      .compactMap { name in
        Int(name.dropFirst(3).dropLast()).map { ($0, "\(folder)/\(name)") }
      }
  }

  /// The owner is the thread that opened it; users know its process.
  private func holder(_ status: String) -> DeviceHolder? {
    guard let thread = field("owner_pid", of: status).flatMap({ Int32($0) }) else { return nil }
    let process = field("Tgid", of: text("\(root)/\(thread)/status")).flatMap { Int32($0) }
    let program = text("\(root)/\(process ?? thread)/comm").trimmed
    return DeviceHolder(process: process ?? thread, program: program)
  }

  private func field(_ name: String, of text: String) -> String? {
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    return line?.split(separator: ":").last.map { String($0).trimmed }
  }

  private func numbered(_ folder: String, prefix: String) -> [Int] {
    names(in: folder).filter { $0.hasPrefix(prefix) }
      .compactMap { Int($0.dropFirst(prefix.count)) }.sorted()
  }

  private func names(in folder: String) -> [String] {
    (try? Directory(folder).names()) ?? []
  }

  private func text(_ path: String) -> String {
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
