internal import Linux

/// A foreign word in a message: escaped, and in quotation marks.
package func quoted(_ foreign: String) -> String { "\"\(printable(foreign))\"" }

/// Foreign text, escaped so that it cannot control a terminal.
package func printable(_ foreign: String) -> String { PrintableText.escape(foreign) }
