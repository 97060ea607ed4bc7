internal import Control
internal import Linux

/// The user's systemd, which runs the guard from login to logout.
package struct UserServices: Sendable {
  /// The reason why systemd did not do something.
  package struct Refusal: Error, Hashable, Sendable {
    /// The command that failed.
    package let command: String
    /// The reason that the command printed, or the reason why the command could not run, or nil if
    /// the command printed nothing.
    package let reason: String?
  }

  /// The name of the guard's unit.
  package static let unit = "recorder-guard.service"

  private let tool: String
  /// The time limit for a command; longer than a restart of the sound server takes.
  private static let patience = Duration.seconds(30)

  /// Returns the user's systemd, or nil if `systemctl` is not installed or cannot reach it.
  package static func running() -> UserServices? {
    guard let tool = ExecutablePath.find("systemctl") else { return nil }
    let services = UserServices(tool: tool)
    do throws(Refusal) {
      try services.call(["show", "--property=Version"])
      return services
    } catch {
      return nil
    }
  }

  private init(tool: String) { self.tool = tool }

  /// Starts the guard now and at every login. A running guard is restarted with the current unit.
  package func enable() throws(Refusal) {
    try call(["daemon-reload"])
    try call(["enable", Self.unit])
    try call(["restart", Self.unit])
  }

  /// Ends the guard, and no longer starts it at login.
  package func disable() throws(Refusal) { try call(["disable", "--now", Self.unit]) }

  /// Makes systemd forget a unit whose file was removed.
  package func reload() throws(Refusal) { try call(["daemon-reload"]) }

  /// Restarts the sound server. Everything that plays or records is interrupted.
  package func restartServer() throws(Refusal) { try call(Self.restart) }

  private static let restart = ["restart", "pipewire", "wireplumber"]

  /// The command that restarts the sound server.
  package static var restartCommand: String { command(restart) }

  private static func command(_ words: [String]) -> String {
    "systemctl --user " + words.joined(separator: " ")
  }

  /// The process of the guard that systemd runs, or nil if it runs none.
  package func process() -> Int32? {
    let words = ["show", "--property=MainPID", "--value", Self.unit]
    let result = try? spawn(words).run(reading: 1, atMost: 65_536, within: Self.patience)
    let text = result.map { String(decoding: $0.1, as: UTF8.self).split(separator: "\n") }
    return text?.first.flatMap { Int32($0) }.flatMap { $0 > 0 ? $0 : nil }
  }

  /// Returns a call of systemctl. It finds systemd's socket in the runtime directory of the login,
  /// also under cron, which does not set the variable.
  private func spawn(_ words: [String]) -> Spawn {
    let variable = "XDG_RUNTIME_DIR="
    var spawn = Spawn(tool, ["--user"] + words)
    if let login = (try? BaseDirectories.Facts.current())?.login {
      spawn.environment.removeAll { $0.begins(with: variable) }
      spawn.environment.append(variable + login)
    }
    return spawn
  }

  private func call(_ words: [String]) throws(Refusal) {
    let reason: String?
    do throws(SystemError) {
      let (ending, output) = try spawn(words)
        .run(reading: 2, atMost: 65_536, within: Self.patience)
      if ending == .exited(0) { return }
      let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
      reason = lines.first.map { "\($0)" }
    } catch {
      reason = "\(error.errno)"
    }
    throw Refusal(command: Self.command(words), reason: reason)
  }
}

extension UserServices {
  /// Returns the unit that runs a guard.
  ///
  /// The unit has no options that give the guard its own file system or user. The guard identifies
  /// other programs by /proc/PID/root, which needs the same namespaces.
  ///
  /// - Parameters:
  ///   - program: the path of recorder.
  ///   - state: the value of XDG_STATE_HOME, where the decisions are stored, or nil if it is not
  ///     set. The unit sets this variable, because it may be missing in systemd's environment.
  static func text(_ program: String, _ mode: GuardMode, state: String?) -> String {
    let environment = state.map { "Environment=\(quoted("XDG_STATE_HOME=" + $0))\n" } ?? ""
    return """
      # Written by "recorder guard on". "recorder guard off" removes it.

      [Unit]
      Description=Close the microphone to programs without permission
      Documentation=man:recorder-guard(7)
      After=pipewire.service wireplumber.service
      StartLimitIntervalSec=0

      [Service]
      Type=exec
      \(environment)ExecStart=\(quoted(program)) guard run --mode \(mode.rawValue)
      Restart=always
      RestartSec=1
      NoNewPrivileges=yes
      LockPersonality=yes
      MemoryDenyWriteExecute=yes
      RestrictAddressFamilies=AF_UNIX AF_NETLINK
      RestrictNamespaces=yes
      RestrictSUIDSGID=yes
      SystemCallArchitectures=native
      UMask=0077

      [Install]
      WantedBy=default.target

      """
  }

  /// Quotes a word, and escapes the characters that systemd would replace.
  private static func quoted(_ word: String) -> String {
    var text = ""
    for scalar in word.unicodeScalars {
      switch scalar {
      case "\\", "\"": text += "\\"
      case "%": text += "%"
      case "\n":
        text += "\\n"
        continue
      default: break
      }
      text.unicodeScalars.append(scalar)
    }
    return "\"\(text)\""
  }
}
