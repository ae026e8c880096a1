import XCallbackConfiguration
package import XCallbackEventLoop

/// The limits of a daemon, with their names in the configuration.
package struct Limits: Hashable, Sendable {
    /// The maximum length of a line in bytes, without its end (`line`).
    package var line = 65_536
    /// The maximum size of a program's message in bytes (`message`).
    package var message = 1_048_576
    /// The maximum number of parameters of a request (`parameters`).
    package var parameters = 256
    /// The maximum number of consecutive redirects within the router (`redirects`).
    package var redirects = 8
    /// The total time limit of the async stages of a route (`handler-time`).
    package var handlerTime = Duration.seconds(30)
    /// How much all accounts may hold together (`connections`, `requests`, `processes`, `streams`, `bytes`).
    package var capacity = Capacity()
    /// The number of log lines that an account may cause within 30 seconds (`log-lines`).
    package var logLines = 1000
    /// The timeout for a client's first byte (`first-byte`).
    package var firstByte = Duration.seconds(10)
    /// The timeout for the completion of a message (`message-time`).
    package var messageTime = Duration.seconds(10)
    /// The maximum number of bytes of answers queued on a connection before its next line is read (`queued-output`).
    package var queuedOutput = 262_144
    /// The maximum number of running programs per route (`processes-per-route`).
    package var processesPerRoute = 16
    /// The maximum size of a program's output in bytes (`output`).
    package var output = 1_048_576
    /// The default timeout of an outgoing call (`call-time`).
    package var callTime = Duration.seconds(120)
    /// The time limit for waiting requests when the daemon stops (`drain-time`).
    package var drainTime = Duration.seconds(30)

    /// Creates the default limits.
    package init() {}

    /// Decodes limits from a configuration.
    init(_ reader: MappingReader) {
        self.init()
        let times = Duration.milliseconds(1)...Duration.seconds(86_400)
        line = reader.byteCount("line", in: 256...1_048_576) ?? line
        message = reader.byteCount("message", in: 4096...16_777_216) ?? message
        parameters = reader.integer("parameters", in: 1...65_536) ?? parameters
        redirects = reader.integer("redirects", in: 0...64) ?? redirects
        handlerTime = reader.duration("handler-time", in: times) ?? handlerTime
        for resource in Resource.allCases {
            capacity[resource] =
                Self.capacity(reader, resource.setting, isSize: resource == .bytes) ?? capacity[resource]
        }
        logLines = Self.capacity(reader, "log-lines") ?? logLines
        for setting in ["outgoing-calls", "inspections"] { reader.warn(ofFormerKey: setting) }
        firstByte = reader.duration("first-byte", in: times) ?? firstByte
        messageTime = reader.duration("message-time", in: times) ?? messageTime
        queuedOutput = reader.byteCount("queued-output", in: 4096...67_108_864) ?? queuedOutput
        processesPerRoute = reader.integer("processes-per-route", in: 1...65_536) ?? processesPerRoute
        output = reader.byteCount("output", in: 1...67_108_864) ?? output
        callTime = reader.duration("call-time", in: times) ?? callTime
        drainTime = reader.duration("drain-time", in: times) ?? drainTime
        reader.finish()
    }

    /// Decodes the limit of a resource; nil if the configuration does not set it.
    ///
    /// In earlier versions it could be a mapping.
    private static func capacity(_ reader: MappingReader, _ setting: String, isSize: Bool = false) -> Int? {
        guard let node = reader.node(setting) else { return nil }
        guard case .mapping = node.content else {
            return isSize
                ? node.byteCount(in: 65_536...17_179_869_184, reader.faults)
                : node.integer(in: 1...1_000_000, reader.faults)
        }
        reader.faults.warn(
            "\(setting.quoted) is one number, of which each user has a share; limits for kinds of users have no effect",
            at: node.place)
        return nil
    }
}
