internal import CommandLine
internal import Engine
internal import Glibc

@main
enum Main {
  static func main() { exit(Shell.run(soundCommands, hidden: hiddenCommands)) }
}
