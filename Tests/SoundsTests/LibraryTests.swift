import Foundation
import Linux
import Sounds
import Support
import Testing

/// Directories with sounds. A sound is a file with any bytes.
private final class Shelves {
  let scratch: ScratchDirectory
  var user: String { scratch.path("user") }
  var first: String { scratch.path("first") }
  var second: String { scratch.path("second") }

  init(_ files: [String] = []) throws {
    scratch = try ScratchDirectory()
    for path in [user, first, second] { try Directory.makeAll(path) }
    for file in files { try add(file) }
  }

  func add(_ file: String, _ text: String = "") throws {
    let parent = file.split(separator: "/").dropLast().joined(separator: "/")
    if !parent.isEmpty { try Directory.makeAll(scratch.path(parent)) }
    try scratch.write(text, to: file)
  }

  func add(theme: String, in shelf: String = "first", _ index: String) throws {
    try add("\(shelf)/\(theme)/index.theme", "[Sound Theme]\n" + index)
  }

  func library(
    theme: String = "birch", profile: String = "stereo", locale: String? = nil,
    bundled: BundledSounds? = nil
  ) -> SoundLibrary {
    SoundLibrary(
      user: user, bundled: bundled,
      themes: SoundThemes(
        in: [first, second], theme: theme, profile: profile, locale: locale))
  }

  /// Returns the relative path that a name leads to, or `disabled` if its sound is disabled.
  func find(_ name: String, in library: SoundLibrary) throws -> String {
    switch try library.open(name) {
    case .file(let file): String(file.path.dropFirst(scratch.path.count + 1))
    case .disabled: "disabled"
    }
  }
}

private let resources = URL(filePath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Resources").path

private func isRefused(_ name: String) -> Bool {
  do {
    _ = try SoundName(name)
    return false
  } catch {
    return true
  }
}

@Suite("The library of sounds")
struct LibraryTests {
  @Test(
    "An invalid name is refused before any directory is read",
    arguments: [
      "", "../x", "/etc/passwd", "a/../../b", "a\0b", "-rf", "..", ".", ".hidden", "a..b", "a\nb",
      "\u{1B}[2J", String(repeating: "a", count: 4_096), "/\u{301}",
    ])
  func names(name: String) throws {
    #expect(isRefused(name))
    let library = try Shelves().library()
    #expect(throws: SoundLibraryError.self) { _ = try library.open(name) }
  }

  @Test("Unusual names are valid", arguments: ["con", "%2e", "été", "a b", "x.y"])
  func strange(name: String) throws {
    let shelves = try Shelves(["user/\(name).wav"])
    #expect(try shelves.find(name, in: shelves.library()) == "user/\(name).wav")
  }

  @Test("Only regular files beneath the directory are opened")
  func beneath() throws {
    let shelves = try Shelves(["outside.wav", "user/inside.wav"])
    for (name, target) in [("out", "../outside.wav"), ("in", "inside.wav"), ("abs", "/etc/passwd")]
    {
      symlink(target, shelves.scratch.path("user/\(name).wav"))
    }
    mkfifo(shelves.scratch.path("user/pipe.wav"), 0o600)
    try Directory.makeAll(shelves.scratch.path("user/folder.wav"))
    let library = shelves.library()
    #expect(try shelves.find("in", in: library) == "user/in.wav")
    for name in ["out", "abs", "pipe", "folder"] {
      #expect(throws: SoundLibraryError.self, "\(name)") { _ = try library.open(name) }
    }
  }

  @Test("The user's sounds have priority over bundled ones, and these over those of themes")
  func order() throws {
    let bundled = try BundledSounds(in: resources)
    let shelves = try Shelves(["first/freedesktop/stereo/bell.oga"])
    try shelves.add(theme: "freedesktop", "Directories=stereo\n[stereo]\nOutputProfile=stereo\n")
    #expect(try shelves.find("bell", in: shelves.library()) == "first/freedesktop/stereo/bell.oga")
    let library = shelves.library(bundled: bundled)
    func source(_ name: String) throws -> (String, SoundSource) {
      switch try library.open(name) {
      case .file(let file): (file.name, file.source)
      case .disabled(let name, let source): (name, source)
      }
    }
    #expect(try source("bell") == ("bell", .bundled))
    #expect(try source("dialog-error") == ("error", .bundled))
    #expect(try source("message-new-email") == ("message", .bundled))
    try shelves.add("user/bell.flac")
    #expect(try source("bell") == ("bell", .user))
    try shelves.add("user/dialog-error.disabled")
    #expect(try source("dialog-error") == ("dialog-error", .user))
  }

  @Test("Every bundled sound and alias opens")
  func bundled() throws {
    let bundled = try BundledSounds(in: resources)
    #expect(bundled.entries.count >= 27)
    let library = try Shelves().library(bundled: bundled)
    for entry in bundled.entries {
      for name in [entry.name] + entry.aliases {
        guard case .file(let file) = try library.open(name) else {
          Issue.record("\(name) does not open")
          continue
        }
        #expect(file.path.hasSuffix("/Sounds/\(entry.name).wav"))
      }
    }
  }

  @Test("The exact name is searched everywhere before it is shortened at a dash")
  func shortening() throws {
    let shelves = try Shelves([
      "user/message.wav", "user/message-new.wav", "second/freedesktop/message-new-email.oga",
    ])
    try shelves.add(theme: "freedesktop", in: "second", "Directories=.\n[.]\n")
    let library = shelves.library()
    #expect(
      try shelves.find("message-new-email", in: library)
        == "second/freedesktop/message-new-email.oga")
    #expect(try shelves.find("message-new-instant", in: library) == "user/message-new.wav")
    #expect(try shelves.find("message-sent", in: library) == "user/message.wav")
  }

  @Test("Disabled has priority over oga, ogg and wav, in this order")
  func endings() throws {
    let shelves = try Shelves()
    try shelves.add(theme: "birch", "Directories=stereo\n[stereo]\nOutputProfile=stereo\n")
    for (ending, found) in [
      ("wav", "first/birch/stereo/a.wav"), ("ogg", "first/birch/stereo/a.ogg"),
      ("oga", "first/birch/stereo/a.oga"), ("disabled", "disabled"),
    ] {
      try shelves.add("first/birch/stereo/a.\(ending)")
      #expect(try shelves.find("a", in: shelves.library()) == found)
    }
    try shelves.add("first/birch/stereo/b.mp3")
    #expect(throws: SoundLibraryError.self) { _ = try shelves.library().open("b") }
  }

  @Test("Parents are searched depth first, freedesktop last, then sounds without a theme")
  func inheritance() throws {
    let shelves = try Shelves()
    let folders = "Directories=.\n[.]\n"
    try shelves.add(theme: "birch", "Inherits=wood, freedesktop,metal\n" + folders)
    try shelves.add(theme: "wood", in: "second", "Inherits=oak,birch\n" + folders)
    try shelves.add(theme: "oak", folders)
    try shelves.add(theme: "metal", folders)
    try shelves.add(theme: "freedesktop", folders)
    let order = [
      "first/birch", "second/birch", "second/wood", "first/oak", "first/metal",
      "first/freedesktop", "second/freedesktop", "first", "second",
    ]
    for place in order.reversed() {
      try shelves.add("\(place)/a.wav")
      #expect(try shelves.find("a", in: shelves.library()) == "\(place)/a.wav")
    }
  }

  @Test("The requested profile comes first, then stereo, then sounds for all profiles")
  func profiles() throws {
    let shelves = try Shelves()
    try shelves.add(
      theme: "birch",
      "Directories=stereo 5.1 all\n[stereo]\nOutputProfile=stereo\n[5.1]\nOutputProfile=5.1\n[all]\n"
    )
    for folder in ["all", "stereo", "5.1"] {
      try shelves.add("first/birch/\(folder)/a.oga")
      let library = shelves.library(profile: "5.1")
      #expect(try shelves.find("a", in: library) == "first/birch/\(folder)/a.oga")
    }
    #expect(try shelves.find("a", in: shelves.library()) == "first/birch/stereo/a.oga")
  }

  @Test(
    "A locale is shortened step by step, then C, then no locale; one with a slash counts as none")
  func locales() throws {
    let shelves = try Shelves()
    try shelves.add(theme: "birch", "Directories=stereo\n[stereo]\nOutputProfile=stereo\n")
    let folders = ["", "/C", "/de", "/de_AT", "/de_AT.UTF-8", "/de_AT.UTF-8@euro"]
    for folder in folders {
      try shelves.add("first/birch/stereo\(folder)/a.oga")
      let library = shelves.library(locale: "de_AT.UTF-8@euro")
      #expect(try shelves.find("a", in: library) == "first/birch/stereo\(folder)/a.oga")
    }
    for locale in ["../stereo/de", "fr_FR.UTF-8", "", "C", "POSIX"] {
      let library = shelves.library(locale: locale)
      #expect(try shelves.find("a", in: library) == "first/birch/stereo/C/a.oga")
    }
  }

  @Test("A theme cannot refer to files outside of its directory")
  func escapingTheme() throws {
    let shelves = try Shelves(["first/a.wav", "a.wav"])
    try shelves.add(theme: "birch", "Inherits=../..\nDirectories=..,../..,/\n")
    symlink("../../a.wav", shelves.scratch.path("first/birch/b.wav"))
    #expect(try shelves.find("a", in: shelves.library()) == "first/a.wav")
    #expect(throws: SoundLibraryError.self) { _ = try shelves.library().open("b") }
  }

  @Test("An unknown name fails with the nearest ones")
  func nearest() throws {
    let shelves = try Shelves(["user/tada.wav"])
    let library = shelves.library(bundled: try BundledSounds(in: resources))
    for (typed, nearest) in [("tad", ["tada"]), ("umbrela", ["umbrella"]), ("xyzzyx", [])] {
      #expect(throws: SoundLibraryError.unknown(typed, nearest: nearest)) {
        _ = try library.open(typed)
      }
    }
  }

  @Test("A list has each name once, with its source and its meaning")
  func list() throws {
    let shelves = try Shelves([
      "user/bell.wav", "user/zebra.disabled", "user/notes.txt", "first/freedesktop/okapi.oga",
    ])
    try shelves.add(theme: "freedesktop", "Directories=.\n[.]\n")
    let library = shelves.library(bundled: try BundledSounds(in: resources))
    let all = library.list()
    #expect(Set(all.map(\.name)).count == all.count)
    #expect(all.map(\.name) == all.map(\.name).sorted())
    #expect(all.first { $0.name == "bell" }?.source == .user)
    #expect(all.first { $0.name == "okapi" }?.source == .theme("freedesktop"))
    #expect(all.first { $0.name == "zebra" }?.isDisabled == true)
    #expect(!all.contains { $0.name == "notes" })
    #expect(library.list("DIALOG-ERR").map(\.name) == ["error"])
  }

  @Test("Every listed name and alias plays the listed sound")
  func listedIsPlayed() throws {
    let shelves = try Shelves(["user/bell-terminal.wav", "first/freedesktop/dialog-error.oga"])
    try shelves.add(theme: "freedesktop", "Directories=.\n[.]\n")
    let library = shelves.library(bundled: try BundledSounds(in: resources))
    let all = library.list()
    for entry in all {
      for name in [entry.name] + entry.aliases {
        guard let found = try library.open(exactly: name) else {
          Issue.record("\(name) is listed and cannot be opened")
          continue
        }
        #expect(library.entry(of: found) == entry, "\(name)")
      }
    }
    #expect(!all.contains { $0.name == "dialog-error" })
    #expect(all.first { $0.name == "bell" }?.aliases.contains("bell-terminal") == false)
    if try library.open(exactly: "bell-terminal-loud") != nil {
      Issue.record("a name was shortened")
    }
  }

  @Test(
    "Every event of Debian's freedesktop theme resolves",
    .enabled(
      if: FileManager.default.fileExists(atPath: "/usr/share/sounds/freedesktop/index.theme"),
      "sound-theme-freedesktop is not installed"))
  func debian() throws {
    let themes = SoundThemes(in: ["/usr/local/share/sounds", "/usr/share/sounds"])
    let shelves = try Shelves()
    let alone = SoundLibrary(user: shelves.user, bundled: nil, themes: themes)
    let all = SoundLibrary(
      user: shelves.user, bundled: try BundledSounds(in: resources), themes: themes)
    let files = try FileManager.default.contentsOfDirectory(
      atPath: "/usr/share/sounds/freedesktop/stereo")
    #expect(files.count > 30)
    for file in files {
      let name = String(file.prefix { $0 != "." })
      guard case .file(let found) = try alone.open(name), case .file = try all.open(name) else {
        Issue.record("\(name) does not resolve")
        continue
      }
      #expect(found.path == "/usr/share/sounds/freedesktop/stereo/\(file)")
      #expect(found.name == name)
    }
    guard case .file(let message) = try alone.open("message-new-email") else { return }
    #expect(message.name == "message")
  }
}
