internal import Linux

/// A foreign word as a message shows it: printable, and in quotation marks.
package func quoted(_ foreign: String) -> String { "\"\(printable(foreign))\"" }

/// Foreign text that can do nothing to a terminal.
package func printable(_ foreign: String) -> String { PrintableText.escape(foreign) }
