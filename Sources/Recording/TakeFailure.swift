/// The file, or the change of rate before it, failed; nothing more was written.
struct TakeFailure: Error, Hashable, CustomStringConvertible {
  let description: String

  static let stuckConverter = TakeFailure(description: "the rate converter takes no frames")

  private init(description: String) { self.description = description }

  init(_ error: some Error & CustomStringConvertible) { description = error.description }
}
