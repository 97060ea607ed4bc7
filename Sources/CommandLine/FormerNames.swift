/// The former name of `RunnableCommand`.
package typealias Carrier = RunnableCommand

/// The former name of `PlayerContext`.
package typealias PlayerSurroundings = PlayerContext
