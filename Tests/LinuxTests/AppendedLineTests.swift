import Linux
import Support
import Testing

@Suite("An appended line")
struct AppendedLineTests {
  @Test(
    "Stands alone, behind whatever a full disk left of the one before",
    arguments: ["": "new\n", "old\n": "old\nnew\n", "ol": "ol\nnew\n"])
  func append(before: String, after: String) throws {
    let scratch = try ScratchDirectory()
    try scratch.write(before, to: "list")
    let file = try Descriptor(opening: scratch.path("list"), [.readWrite, .append])
    try file.append(line: "new")
    #expect(try String(decoding: scratch.read("list"), as: UTF8.self) == after)
  }
}
