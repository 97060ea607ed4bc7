import Foundation

/// The Swift compiler, for code that must not compile.
public enum Compiler {
  /// Type-checks a file that may import the libraries, without compiling it.
  public static func check(_ source: URL) throws -> Command.End {
    let modules = URL(fileURLWithPath: Probe.path).deletingLastPathComponent()
      .appending(path: "Modules")
    let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }
    let maps = try FileManager.default
      .contentsOfDirectory(atPath: root.appending(path: "Sources").path)
      .map { root.appending(path: "Sources/\($0)/module.modulemap").path }
      .filter { FileManager.default.fileExists(atPath: $0) }
    return try Command.run(
      Command.path(of: "swiftc") ?? "swiftc",
      ["-typecheck", source.path, "-I", modules.path]
        + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] })
  }
}
