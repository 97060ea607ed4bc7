package import Control

extension TakenName {
  /// The refusal to record to a path that is taken.
  package func failure(_ path: String) -> Failure {
    Failure(
      .outputRefused,
      Message("cannot record to", on: path, why: words, advice: advice))
  }

  private var words: String {
    switch self {
    case .file: "the file exists"
    case .directory: "it is a directory"
    case .symbolicLink: "it is a symbolic link"
    case .other: "it is not a file"
    }
  }

  private var advice: String {
    "give another name" + (self == .file ? ", or --force to replace it" : "")
  }
}
