import Foundation
import Support
import Testing

@Suite("The list of programs that record")
struct ListenersTests {
  @Test(
    "names programs by their executables, recordings by their names, and their devices",
    .requires("RECORDER_PACED_CARD"), .requires(tool: "parecord"),
    .requires(tool: "pipewire-pulse"), .timeLimit(.minutes(2)))
  func programs() throws {
    let lines = try runBesideCard(
      """
      record() { setpriv --pdeathsig KILL "$@" >/dev/null 2>&1 & }
      record pipewire-pulse; pulse=$!
      await [ -S "$XDG_RUNTIME_DIR/pulse/native" ]
      record parecord a.wav; first=$!
      record pw-record --target speaker -P '{ stream.capture.sink = true }' b.wav; second=$!
      record arecord -q -D pipewire -f cd c.wav; third=$!
      "$recorder" start --name talk d.wav >/dev/null
      has() { [ "$("$recorder" listeners --json | grep -o '"device"' | wc -l)" = "$1" ]; }
      await has 4
      for tool in parecord pw-record arecord; do realpath "$(command -v $tool)"; done
      realpath "$recorder"
      "$recorder" listeners --json; "$recorder" listeners; echo "code $?"
      "$recorder" stop talk >/dev/null; kill $first $second $third
      await has 0; kill $pulse; "$recorder" listeners
      """)
    let list = try parsed(try #require(lines.first { $0.hasPrefix("{") }, "\(lines)"))
    let listeners = try #require(list["listeners"] as? [[String: Any]])
    #expect(list["message"] == nil)
    let found = listeners.map { listener in
      ["identity", "device", "service", "through", "name"].map { listener[$0] as? String ?? "-" }
    }
    let microphone = ["pipewire:NODE=microphone", "microphone", "pipewire"]
    let wanted = [
      ["path:\(lines[0])"] + microphone + ["-"],
      ["path:\(lines[1])", "output:speaker", "systemAudio", "pipewire", "-"],
      ["path:\(lines[2])"] + microphone + ["-"], ["path:\(lines[3])"] + microphone + ["talk"],
    ]
    #expect(Set(found) == Set(wanted), "\(lines)")
    #expect(listeners.allSatisfy { $0["user"] as? Int == Int(geteuid()) && $0["pid"] != nil })
    // Long names wrap the lines.
    let text = lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
    #expect(text.contains("path:\(lines[0]) microphone, through PipeWire; process "), "\(text)")
    #expect(text.contains("recording \"talk\", since ") && text.contains(" code 0 "), "\(text)")
    #expect(lines.last == "No program is recording.")
  }

  @Test("says that the programs of PipeWire are not known if it does not run")
  func withoutServer() throws {
    let scratch = try ScratchDirectory()
    let environment = scratch.asHome.merging([
      "XDG_RUNTIME_DIR": scratch.path, "PIPEWIRE_REMOTE": nil, "PIPEWIRE_RUNTIME_DIR": nil,
    ]) { $1 }
    let outcome = try sh("$recorder listeners", environment: environment)
    #expect(outcome.code == 0 && outcome.errors == "", "\(outcome)")
    #expect(outcome.output.contains("Programs that use PipeWire are not listed: "), "\(outcome)")
    let json = try parsed(sh("$recorder listeners --json", environment: environment).output)
    #expect((json["message"] as? String)?.contains("PipeWire") == true, "\(json)")
  }
}
