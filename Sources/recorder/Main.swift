internal import CommandLine
internal import Glibc

@main
enum Main {
  static func main() { exit(Shell.runCommand()) }
}
