/// The former name of `RunnableCommand`.
package typealias Carrier = RunnableCommand
