import Foundation
import Support
import Testing

/// The permission store of the desktop's portals, on a private bus.
@Suite(
  "The portals' permission store",
  .enabled(
    if: FileManager.default.fileExists(atPath: "/usr/libexec/xdg-permission-store"),
    "xdg-desktop-portal is not installed"),
  .requires(tool: "gdbus"))
struct PortalTests {
  /// Functions for scripts. `p` prints the exit code of a permission command. `store` calls a
  /// method of the store as another program.
  private static let words = """
    cd "$HOME"; app=flatpak:org.example.App
    p() { "$recorder" permission "$@" >out 2>err; echo $?; }
    store() {
      method=$1; shift
      gdbus call --session --dest org.freedesktop.impl.portal.PermissionStore \
        --object-path /org/freedesktop/impl/portal/PermissionStore \
        --method "org.freedesktop.impl.portal.PermissionStore.$method" devices "$@"
    }

    """

  private func run(_ script: String) throws -> Outcome {
    let scratch = try ScratchDirectory()
    let environment = scratch.asHome.merging(["DBUS_SESSION_BUS_ADDRESS": nil]) { $1 }
    let bus = "exec dbus-run-session -- sh -c \"$functions$script\""
    return try sh(bus, environment: environment.merging(["script": Self.words + script]) { $1 })
  }

  @Test("A decision of recorder is in the store of the portals, and its reset removes it")
  func own() throws {
    let outcome = try run(
      """
      p grant --program $app; head -n 1 out; store Lookup microphone; p status --program $app
      "$recorder" permission status --program $app --json | grep -o '"source":"[a-z]*"' | head -n 1
      p revoke --program $app; store Lookup microphone; p status --program $app
      p status system-audio --program $app
      p reset --program $app; store Lookup microphone; p status --program $app
      """)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    let words = "Microphone access is allowed for the program \"flatpak:org.example.App\" in the"
    #expect(lines.count == 12 && lines[1].hasPrefix(words), "\(outcome)")
    #expect(lines.filter { $0.hasPrefix("(") } == [yes, no, none].map(Self.entries), "\(outcome)")
    #expect(lines.contains("\"source\":\"portal\""), "\(outcome)")
    #expect(lines.suffix(5) == ["21", "21", "0", Self.entries(none), "20"], "\(outcome)")
  }

  @Test("A decision of another program is seen, and ends with its entry")
  func other() throws {
    let outcome = try run(
      """
      id="microphone org.example.App"
      p status --program $app; store SetPermission true $id "['yes']"; p status --program $app
      "$recorder" permission list; store SetPermission true $id "['no']"; p status --program $app
      store SetPermission true $id "['ask']"; p status --program $app
      p revoke --program $app; store SetPermission true $id "['yes']"; p status --program $app
      store DeletePermission $id; p status --program $app
      """)
    let lines = outcome.output.split(separator: "\n").map(String.init).filter { $0 != "()" }
    #expect(lines.count == 9, "\(outcome)")
    #expect(lines.filter { $0.count < 3 } == ["20", "0", "21", "20", "0", "0", "20"], "\(outcome)")
    #expect(lines.contains { $0.hasPrefix("never") && $0.contains("allowed") }, "\(outcome)")
  }

  @Test("A grant that ends is in our file, and replaces the entry in the store")
  func limited() throws {
    let outcome = try run(
      """
      p revoke microphone --program $app; p grant --program $app --for 1h
      store Lookup microphone; p status --program $app
      store SetPermission true microphone org.example.App "['no']"; p status --program $app
      p revoke microphone --program $app; p reset --program $app; p status --program $app
      """)
    let lines = outcome.output.split(separator: "\n").map(String.init).filter { $0 != "()" }
    #expect(lines == ["0", "0", Self.entries(none), "0", "21", "0", "0", "20"], "\(outcome)")
  }

  @Test("A store that cannot be read refuses Flatpak programs, and no others")
  func damaged() throws {
    let outcome = try run(
      """
      mkdir -p .local/share/flatpak/db; echo 'this is no database' >.local/share/flatpak/db/devices
      p grant --program $app; p status --program $app; cat out; cp /bin/true other
      p grant --program ./other; p revoke --program $app; p status --program $app
      """)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(lines.first == "23" && lines.suffix(3) == ["0", "0", "21"], "\(outcome)")
    #expect(
      lines.contains { $0.hasPrefix("The desktop's permission store cannot be read: ") },
      "\(outcome)")
  }

  @Test("Without a bus, our file decides, and the output says so only for Flatpak programs")
  func noBus() throws {
    let scratch = try ScratchDirectory()
    let script = """
      p grant --program $app; cat err; p status --program $app; p revoke --program $app
      p status --program $app; p grant; cat err; p status; cat err; cp /bin/true other
      p grant --program "$PWD/other"; cat err
      """
    let outcome = try sh(Self.words + script, environment: scratch.asHome)
    let note =
      "recorder: the desktop's permission store is not used: no session bus is running here"
    #expect(outcome.output == "0\n\(note)\n0\n0\n21\n0\n0\n0\n", "\(outcome)")
  }

  private let yes = "'org.example.App': ['yes']"
  private let no = "'org.example.App': ['no']"
  private let none = ""

  /// Returns the words of gdbus for the entries of the microphone.
  private static func entries(_ entries: String) -> String {
    entries.isEmpty ? "(@a{sas} {}, <byte 0x00>)" : "({\(entries)}, <byte 0x00>)"
  }
}
