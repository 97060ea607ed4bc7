/// Every command that there is.
package struct CommandTable: Sendable {
  package let commands: [Command]

  package init(_ commands: [Command]) { self.commands = commands }

  /// The commands of this release; a new one is a file in Commands and a word here.
  package static var standard: CommandTable {
    CommandTable([
      InfoCommand.command,
      DevicesCommand.command,
      DoctorCommand.command,
      HelpCommand.command,
    ])
  }

  /// The command of exactly these words.
  func command(_ words: [String]) -> Command? {
    commands.first { $0.words == words }
  }

  /// The commands whose names begin with these words: all of `sound …`.
  func family(of words: [String]) -> [Command] {
    commands.filter { $0.words.starts(with: words) }
  }

  /// The names of commands that somebody who typed these words may have meant.
  func nearest(to words: [String]) -> [String] {
    let lastWords = commands.filter { $0.words.count > 1 && $0.words.last == words.last }
    let nearest = nearestNames(to: words.joined(separator: " "), among: commands.map(\.name))
    return nearest.isEmpty ? lastWords.map(\.name) : nearest
  }
}
