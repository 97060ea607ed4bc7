/// The count with its noun, in the plural except for 1: `1 mark`, `2 marks`.
package func counted(_ count: Int, _ noun: String) -> String {
  "\(count) \(noun)\(count == 1 ? "" : "s")"
}
