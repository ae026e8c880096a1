/// How long clients may take for their input.
package struct InputLimits: Sendable {
    /// How long a client may take to send its first byte.
    package var firstByte = Duration.seconds(10)
    /// How long a client may take to complete a message.
    package var message = Duration.seconds(10)
}
