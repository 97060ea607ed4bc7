internal import Commands
internal import Glibc

@main
enum Main {
  static func main() { exit(Shell.run()) }
}
