/// Measures the code that runs for each sample: `swift run -c release bench-realtime`.
@main
enum Main {
  static func main() {
    Conversions.run()
    Levels.run()
    Mixing.run()
    Ring.run()
  }
}
