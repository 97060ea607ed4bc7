extension DeviceHolder {
  /// Finds the programs that hold the devices named by a PCM's name, each once.
  ///
  /// - Parameter processes: the directory of the kernel's files on processes and cards.
  package static func holders(
    of name: String, _ direction: Direction, processes: String = "/proc"
  ) -> [DeviceHolder] {
    let address = CardAddress(pcm: name)
    let found = KernelFiles(root: processes).streams(direction).filter {
      address.includes(card: $0.card, id: $0.id, device: $0.device)
    }
    var holders: [DeviceHolder] = []
    for case let holder? in found.map(\.holder) where !holders.contains(holder) {
      holders.append(holder)
    }
    return holders
  }
}
