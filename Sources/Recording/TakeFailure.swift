/// The file, or the change of rate before it, failed; nothing more was written.
struct TakeFailure: Error, Hashable, CustomStringConvertible {
  let description: String

  init(_ error: some Error & CustomStringConvertible) { description = error.description }
}
