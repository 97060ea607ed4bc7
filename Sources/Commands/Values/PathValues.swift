internal import Audio
internal import Exports
internal import Linux
package import Store

/// The path of a file. `-` is a valid value too; the command interprets it.
package struct FilePath: ArgumentValue, Hashable {
  /// The path, never empty.
  package let text: String

  /// The placeholder for a path in the help.
  package static let placeholder = "FILE"
  /// The accepted values, for the help and for error messages.
  package static let expectation = "the path of a file"
  /// Completion with file names.
  package static let completion = Completion.files

  /// Reads any path. Throws for an empty text. A `~/` that the shell has not replaced, as in
  /// `--output=~/a.wav`, stands for the home directory.
  package init(argument: String) throws(ValueError) {
    guard !argument.isEmpty else { throw .malformed }
    text = Self.expanded(argument)
  }

  /// Returns the path with `~/` replaced by the home directory.
  static func expanded(_ path: String) -> String {
    let home = path.begins(with: "~/") ? try? BaseDirectories(.current()).home : nil
    return home.map { $0.path(of: path.trimmingBytes(first: 2)) } ?? path
  }
}

/// The path of a file to write. `-` is a valid value too; the command interprets it.
///
/// A path that begins with `@` is not valid, because commands that read files would take the path
/// as a reference to a take. With `./` in front, the path is valid.
package struct OutputPath: ArgumentValue, Hashable {
  /// The path, never empty.
  package let text: String

  /// The placeholder for a path in the help.
  package static let placeholder = FilePath.placeholder
  /// The accepted values, for the help and for error messages.
  package static let expectation = "the path of the file to write"
  /// Completion with file names.
  package static let completion = FilePath.completion

  /// Reads any path. Throws for an empty text and for a reference to a take.
  package init(argument: String) throws(ValueError) {
    if TakeReference.isMeant(by: argument) { throw .malformed }
    text = try FilePath(argument: argument).text
  }

  /// Returns the advice for a text that looks like a reference.
  package static func advice(on text: String) -> String? {
    guard TakeReference.isMeant(by: text) else { return nil }
    return "@ begins the name of a take; for a file of that name, write \(quoted("./" + text))"
  }
}

extension String {
  /// Whether the name has the extension of a sound file that recorder can write.
  var hasSoundEnding: Bool {
    FileFormat(suffix: suffix, among: FileFormat.allCases + FileFormat.exported) != nil
  }

  /// The extension of the name without its dot, or nil if there is none. A number or a time after a
  /// dot is not an extension.
  var formatSuffix: String? {
    let isSuffix =
      suffix.allSatisfy { $0.isLetter || $0.isNumber } && suffix.contains(where: \.isLetter)
    return isSuffix ? suffix : nil
  }

  /// Returns the path with the usual extension of the format, if its name has no extension. The
  /// path of a hidden file or of an existing directory is returned unchanged.
  func named(for format: FileFormat) -> String {
    let name = pathParts.name
    guard !ends(with: "/"), !name.begins(with: "."), name.formatSuffix == nil,
      let suffix = format.suffixes.first,
      (try? FileStatus(of: self, following: true))?.kind != .directory
    else { return self }
    return self + (name.ends(with: ".") ? suffix : "." + suffix)
  }
}

/// A program of the user. The command finds the program, and another process runs it later. The
/// text is a path if it contains a slash, else a name in PATH.
struct ProgramPath: TextValue, Hashable {
  /// The text as typed. A `~/` stands for the home directory.
  let text: String

  static let placeholder = "PROGRAM"
  static let expectation = "the path of a program, or its name"
  static let completion = Completion.files

  /// Returns the absolute path of the program, or nil if there is no such executable file. A
  /// relative path starts in `directory`.
  func resolved(in directory: String) -> String? {
    guard text.utf8.contains(UInt8(ascii: "/")) else { return ExecutablePath.find(text) }
    let expanded = FilePath.expanded(text)
    let names = expanded.pathNames.filter { $0 != "." }
    let path =
      expanded.begins(with: "/") ? expanded : names.reduce(directory) { $0.path(of: $1) }
    return FileSystem.mayExecute(path) ? path : nil
  }

  /// The reason why the program cannot be executed, and advice or nil.
  var obstacle: (reason: String, advice: String?) {
    guard text.utf8.contains(UInt8(ascii: "/")) else {
      let isHere = (try? FileStatus(of: text))?.kind == .regular
      return (
        "it is not in PATH",
        isHere ? "for the file of that name: \(shellArgument("./" + text))" : argumentAdvice
      )
    }
    let path = FilePath.expanded(text)
    do throws(SystemError) {
      guard try FileStatus(of: path).kind == .regular else { return (otherKind(of: path), nil) }
      return ("it is not executable", "to change that: chmod +x \(shellArgument(path))")
    } catch {
      return ("\(error.errno)", argumentAdvice)
    }
  }

  /// The advice on a text with spaces, which is probably a program with arguments, or nil for any
  /// other text.
  private var argumentAdvice: String? {
    text.utf8.contains(UInt8(ascii: " "))
      ? "PROGRAM is run without arguments; put the command into a script" : nil
  }
}

/// A new name for a file in its directory.
struct NewName: ArgumentValue, Hashable {
  /// The name as typed, with or without the extension.
  let text: String

  static let placeholder = "NAME"
  static let expectation = "a name without a slash that does not begin with a dot"

  /// Returns a valid name without leading dots. If the text begins like a path, this is the last
  /// part of the path. In any other text, a dash replaces each slash.
  static func corrections(of text: String) -> [String] {
    let isPath = text.begins(with: "/") || text.begins(with: ".") || text.begins(with: "~")
    let name = isPath ? text.pathNames.last ?? "" : text.pathNames.joined(separator: "-")
    return [String(Substring(name.utf8.drop { $0 == UInt8(ascii: ".") }))]
  }

  init(argument: String) throws(ValueError) {
    let bytes = argument.utf8
    guard let first = bytes.first, first != UInt8(ascii: "."), !bytes.contains(0),
      !bytes.contains(UInt8(ascii: "/"))
    else { throw .malformed }
    text = argument
  }
}

/// The directory of takes. It does not depend on the working directory.
struct DirectoryPath: ArgumentValue, Hashable {
  /// The text as typed.
  let text: String

  static let placeholder = "DIRECTORY"
  static let expectation = "an absolute path, or one that begins with ~/"
  static let completion = Completion.files

  init(argument: String) throws(ValueError) {
    let isOwn = argument == "~" || argument.begins(with: "~/")
    guard isOwn || argument.begins(with: "/"), !argument.utf8.contains(0) else { throw .malformed }
    text = argument
  }

  /// Returns the absolute path with a slash at its end.
  ///
  /// - Parameter home: the directory that `~` stands for.
  func path(home: String) -> String {
    let whole = text.begins(with: "~") ? home + text.trimmingBytes(first: 1) : text
    return whole.ends(with: "/") ? whole : whole + "/"
  }
}

/// The pattern for the names of new files, without the extension.
struct FileNamePattern: ArgumentValue, Hashable {
  /// The pattern as typed.
  let text: String

  static let placeholder = "PATTERN"
  static let expectation = "a name with the time in it, such as talk-%Y%m%d-%H%M%S"

  init(argument: String) throws(ValueError) {
    guard !argument.isEmpty, !argument.begins(with: "/"), !argument.ends(with: "/"),
      !argument.utf8.contains(0)
    else { throw .malformed }
    // A pattern must contain the time. Without it, every take would have the same name.
    guard unknownConversion(in: argument) == nil, let filled = localTime(argument),
      filled != argument
    else { throw .malformed }
    guard FileFormat(suffix: argument.pathNames.last?.suffix ?? "") == nil else {
      throw .outOfRange("a pattern must not have an extension: the format determines it")
    }
    text = argument
  }
}

/// A file of the user: its path, or a reference to a take.
package struct FileOrTake: ArgumentValue, Hashable {
  /// The text as typed, never empty.
  package let text: String
  /// The reference, or nil for a path.
  package let reference: TakeReference?

  /// The placeholder for a file in the help.
  package static let placeholder = "FILE"
  /// The accepted values, for the help and for error messages.
  package static let expectation =
    "the path of a file, or a take: @1 is the newest, @NAME the newest of that name"
  /// Completion with takes and file names.
  package static let completion = Completion.names(.filesAndTakes)

  /// Reads a path or a reference. Throws for an invalid reference. A file whose name begins with
  /// `@` has to be typed with a slash.
  package init(argument: String) throws(ValueError) {
    guard !argument.isEmpty else { throw .malformed }
    text = FilePath.expanded(argument)
    reference = TakeReference(argument)
    if reference == nil, TakeReference.isMeant(by: argument) { throw .malformed }
  }

  /// Returns the path of a file called `text`, if `text` looks like a reference.
  package static func corrections(of text: String) -> [String] {
    TakeReference.isMeant(by: text) ? ["./" + text] : []
  }
}
