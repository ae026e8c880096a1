import XCallbackConfiguration

/// The limits of a daemon, each under its name in the configuration.
package struct Limits: Hashable, Sendable {
    /// How many bytes a line may have, without its end (`line`).
    package var line = 65_536
    /// How many bytes a message of a program may have (`message`).
    package var message = 1_048_576
    /// How many parameters a request may have (`parameters`).
    package var parameters = 256
    /// How many redirects may follow one another within the router (`redirects`).
    package var redirects = 8
    /// How long the async stages of a route may take together (`handler-time`).
    package var handlerTime = Duration.seconds(30)
    /// How many connections there may be (`connections`).
    package var connections = 4096
    /// How many connections one user may have (`connections-per-user`).
    package var connectionsPerUser = 1024
    /// How many requests of one user may wait for their handlers at a time (`requests-per-user`).
    package var requestsPerUser = 64
    /// How long a client may take to send its first byte (`first-byte`).
    package var firstByte = Duration.seconds(10)
    /// How many bytes of answers are queued on a connection before its next line is looked at (`queued-output`).
    package var queuedOutput = 262_144
    /// How many programs of one route may run at a time (`processes-per-route`).
    package var processesPerRoute = 16
    /// How many programs may run at a time (`processes`).
    package var processes = 64
    /// How many bytes of a program's output are taken (`output`).
    package var output = 1_048_576
    /// How many calls of other applications may wait for their answers (`outgoing-calls`).
    package var outgoingCalls = 1024
    /// How long such a call waits if the caller does not say it (`call-time`).
    package var callTime = Duration.seconds(120)
    /// How long requests that wait may take when the daemon stops (`drain-time`).
    package var drainTime = Duration.seconds(30)

    /// Creates the limits that hold where the configuration says nothing.
    package init() {}

    /// Decodes the limits that a configuration names.
    init(_ reader: MappingReader) {
        self.init()
        let times = Duration.milliseconds(1)...Duration.seconds(86_400)
        line = reader.byteCount("line", in: 256...1_048_576) ?? line
        message = reader.byteCount("message", in: 4096...16_777_216) ?? message
        parameters = reader.integer("parameters", in: 1...65_536) ?? parameters
        redirects = reader.integer("redirects", in: 0...64) ?? redirects
        handlerTime = reader.duration("handler-time", in: times) ?? handlerTime
        connections = reader.integer("connections", in: 1...1_000_000) ?? connections
        connectionsPerUser = reader.integer("connections-per-user", in: 1...1_000_000) ?? connectionsPerUser
        requestsPerUser = reader.integer("requests-per-user", in: 1...1_000_000) ?? requestsPerUser
        firstByte = reader.duration("first-byte", in: times) ?? firstByte
        queuedOutput = reader.byteCount("queued-output", in: 4096...67_108_864) ?? queuedOutput
        processesPerRoute = reader.integer("processes-per-route", in: 1...65_536) ?? processesPerRoute
        processes = reader.integer("processes", in: 1...65_536) ?? processes
        output = reader.byteCount("output", in: 1...67_108_864) ?? output
        outgoingCalls = reader.integer("outgoing-calls", in: 1...65_536) ?? outgoingCalls
        callTime = reader.duration("call-time", in: times) ?? callTime
        drainTime = reader.duration("drain-time", in: times) ?? drainTime
        reader.finish()
    }
}
