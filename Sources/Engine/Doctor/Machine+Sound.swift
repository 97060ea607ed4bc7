internal import CommandLine
internal import Devices
internal import Linux
internal import Permission

extension Machine {
  /// Reads PipeWire, the mixers and the processes that hold a card.
  mutating func readSound() {
    let isServed = servers.contains { $0.name == "PipeWire" && $0.isRunning }
    if isServed { pipeWire = Self.pipeWireState() }
    silenced = Direction.allCases.flatMap { silencedCards($0) + silencedNodes($0) }
    held = Direction.allCases.flatMap(DeviceList.all).filter { !$0.holders.isEmpty }
  }

  private func silencedCards(_ direction: Direction) -> [Silenced] {
    var names: [Int: String] = [:]
    for case .kernel(let card) in DeviceList.all(direction).map(\.origin) {
      names[card.number] = card.name
    }
    return names.sorted { $0.key < $1.key }.flatMap { number, name in
      MixerControl.controls(of: "hw:\(number)", direction).silencing.map { control in
        let opening = direction == .capture ? "cap" : "unmute"
        return Silenced(
          place: name, control: control,
          advice: "amixer -c \(number) sset '\(printable(control.name))' 70% \(opening)")
      }
    }
  }

  /// Read from the server itself: its mixer for ALSA shows 0 % for a source that it has no route
  /// for.
  private func silencedNodes(_ direction: Direction) -> [Silenced] {
    guard case .answers(let graph) = pipeWire else { return [] }
    let ours = graph.nodes(direction).filter { $0.defaults.contains(direction) }
    return ours.compactMap { node in
      let control = MixerControl(
        name: node.title, direction: direction, isMuted: node.isMuted, volume: node.volume)
      let target = direction == .capture ? "@DEFAULT_AUDIO_SOURCE@" : "@DEFAULT_AUDIO_SINK@"
      let change = node.isMuted ? "set-mute \(target) 0" : "set-volume \(target) 70%"
      return control.isSilent
        ? Silenced(place: "PipeWire", control: control, advice: "wpctl \(change)") : nil
    }
  }

  private static func pipeWireState() -> PipeWireState {
    do throws(PipeWire.Silence) {
      return .answers(try PipeWire.graph())
    } catch {
      return .silent(error)
    }
  }

  /// The decision for a recording now, without a prompt; nil where the store cannot be read.
  static func permission() -> PermissionFinding? {
    let authority: Authority
    do throws(DirectoryRefusal) {
      authority = try Authority.current()
    } catch {
      return nil
    }
    let decision = authority.decide(AccessQuery(client: .everyone))
    let phrasing = MicrophoneAccess.phrasing
    return PermissionFinding(
      status: decision.status,
      code: decision.exitCode,
      cause: phrasing.cause(decision, of: authority.account),
      advice: phrasing.advice(in: authority.situation(AccessQuery(client: .everyone))))
  }
}
