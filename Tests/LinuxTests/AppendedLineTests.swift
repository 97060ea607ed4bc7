import Linux
import Support
import Testing

@Suite("An appended line")
struct AppendedLineTests {
  @Test(
    "Stands alone, even after a line that a full disk cut short",
    arguments: ["": "new\n", "old\n": "old\nnew\n", "ol": "ol\nnew\n"])
  func append(before: String, after: String) throws {
    let scratch = try ScratchDirectory()
    try scratch.write(before, to: "list")
    let file = try Descriptor(opening: scratch.path("list"), [.readWrite, .append])
    try file.append(line: "new")
    #expect(try String(decoding: scratch.read("list"), as: UTF8.self) == after)
  }
}
