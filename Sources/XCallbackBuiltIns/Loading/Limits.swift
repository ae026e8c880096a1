import XCallbackConfiguration
package import XCallbackEventLoop

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
    /// How much accounts may hold (`connections`, `requests`, `processes`, `outgoing-calls`, `streams`, `inspections`,
    /// `bytes`, `log-lines`): a number for all together, which the others have their shares of, or one for each.
    package var accounts = Allowances()
    /// How long a client may take to send its first byte (`first-byte`).
    package var firstByte = Duration.seconds(10)
    /// How long a client may take to complete a message that it has begun (`message-time`).
    package var messageTime = Duration.seconds(10)
    /// How many bytes of answers are queued on a connection before its next line is looked at (`queued-output`).
    package var queuedOutput = 262_144
    /// How many programs of one route may run at a time (`processes-per-route`).
    package var processesPerRoute = 16
    /// How many bytes of a program's output are taken (`output`).
    package var output = 1_048_576
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
        for resource in Resource.allCases {
            accounts[resource] = Allowance(reader, of: resource) ?? accounts[resource]
        }
        firstByte = reader.duration("first-byte", in: times) ?? firstByte
        messageTime = reader.duration("message-time", in: times) ?? messageTime
        queuedOutput = reader.byteCount("queued-output", in: 4096...67_108_864) ?? queuedOutput
        processesPerRoute = reader.integer("processes-per-route", in: 1...65_536) ?? processesPerRoute
        output = reader.byteCount("output", in: 1...67_108_864) ?? output
        callTime = reader.duration("call-time", in: times) ?? callTime
        drainTime = reader.duration("drain-time", in: times) ?? drainTime
        reader.finish()
    }
}

extension Allowance {
    /// Decodes how much of a resource accounts may hold; nil if the configuration does not say it.
    fileprivate init?(_ reader: MappingReader, of resource: Resource) {
        let usual = Allowances()[resource]
        guard let node = reader.node(named: resource.setting), case .mapping = node.content else {
            guard let all = Self.number(reader, resource.setting, of: resource) else { return nil }
            self = usual.scaled(to: all)
            return
        }
        guard let shares = MappingReader(node, of: "'\(resource.setting)'", faults: reader.faults) else { return nil }
        self = Self.number(shares, Share.all.rawValue, of: resource).map(usual.scaled) ?? usual
        for share in Share.allCases {
            self[share] = Self.number(shares, share.rawValue, of: resource, atMost: self[.all]) ?? self[share]
        }
        shares.finish()
    }

    private static func number(
        _ reader: MappingReader, _ key: String, of resource: Resource, atMost limit: Int = .max
    ) -> Int? {
        guard let node = reader.node(named: key) else { return nil }
        return resource == .bytes
            ? node.byteCount(in: 65_536...max(min(17_179_869_184, limit), 65_536), reader.faults)
            : node.integer(in: 1...min(1_000_000, limit), reader.faults)
    }
}
