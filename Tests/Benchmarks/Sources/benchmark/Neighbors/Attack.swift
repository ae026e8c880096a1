/// An attack on a daemon, and the other clients.
struct Attack {
    /// The attacker.
    enum Attacker {
        /// A user other than that of the clients.
        case otherUser
        /// Another process of the same user.
        case sameUser
        /// A number of users that no database lists, from 4,000,000,000 on, as which connections are opened in turn.
        case manyUsers(Int)
    }

    /// The name in tables.
    var name: String
    var attacker = Attacker.otherUser
    /// The number of groups of the attacking user.
    var groups = 0
    var crowds: [Crowd]
    /// The number of clients beside the attack, which share the requests.
    var clients = 1
    /// The clients' request.
    var question = LoneQuestion.ping

    /// All attacks, in table order.
    static let all = ofOtherUsers + [mixture] + ofSameUser

    /// Attacks of one kind each.
    private static let ofOtherUsers = [
        Attack(name: "`respond`, 200 connections", crowds: [.asking("ping", 200)]),
        Attack(name: "`respond`, 1,000 connections (512 are accepted)", crowds: [.asking("ping", 1000)]),
        Attack(name: "7 redirects, 200 connections", crowds: [.asking("hop/1", 200)]),
        Attack(name: "404 with `log`, 512 connections", crowds: [.asking("no/such/action", 512)]),
        Attack(name: "`Explain`, 100 connections", crowds: [.explaining(100)]),
        // A user may have 256 streams.
        Attack(name: "256 times `Monitor`", crowds: [.monitoring(256), .asking("ping", 8)]),
        Attack(name: "10 KiB to 256 deaf subscribers", crowds: [.subscribing(256), .publishing(8)]),
        Attack(name: "512 unfinished messages of 1 MiB", crowds: [.unfinished(448), .tooLong(64)]),
        // More connections than may wait: the rejected ones replace those that have waited.
        Attack(name: "`exec` of `sleep`, 64 connections", crowds: [.startingSlowPrograms(64)]),
        Attack(name: "`exec` of `sleep`, 200 connections", crowds: [.startingSlowPrograms(200)]),
        Attack(name: "`exec` with `detach`, 64 connections", crowds: [.asking("detached", 64)]),
        Attack(name: "`exec` of `yes`, 8 connections", crowds: [.asking("lines", 8)]),
        Attack(name: "connecting and closing", crowds: [.leaving(64)]),
        Attack(name: "`group`, with 65,536 groups", groups: 65_536, crowds: [.asking("group", 200)]),
        Attack(
            name: "65,536 uids on routes with a `rate`", attacker: .manyUsers(65_536),
            crowds: [.leavingRated(64)]),
    ]

    /// As many of each kind as a user may have connections.
    private static let mixture = Attack(
        name: "all of these at once",
        crowds: [
            .asking("ping", 50), .asking("hop/1", 100), .asking("no/such/action", 50), .explaining(25),
            .monitoring(80), .subscribing(80), .publishing(4), .unfinished(40), .tooLong(10),
            .startingSlowPrograms(40), .asking("detached", 8), .leaving(16),
        ])

    private static let ofSameUser = [
        Attack(
            name: "same user: redirects, 1 connection; 50 clients", attacker: .sameUser,
            crowds: [.asking("hop/1", 1)], clients: 50),
        Attack(
            name: "same user: redirects, 200; client of the desktop", attacker: .sameUser,
            crowds: [.asking("hop/1", 200)], question: .pingOfDesktop),
        Attack(
            name: "same user: progress of `yes`, 8 connections, and 8 deaf ones", attacker: .sameUser,
            crowds: [.following(8), .following(8, .neverReads)]),
        Attack(
            name: "same user: an assistant's redirects, 200; 8 clients", attacker: .sameUser,
            crowds: [.askingAsAssistant("hop/1", 200)], clients: 8),
    ]
}

/// A number of connections that all load a daemon in the same way, for as long as the daemon allows.
struct Crowd {
    /// How a connection treats the daemon's output.
    enum Manner {
        case reads
        case neverReads
        /// Closes the connection without reading once the opening is sent.
        case leaves
    }

    /// The number of concurrent connections; each connection that the daemon closes is reopened.
    let connections: Int
    /// The bytes that each connection sends once.
    let opening: [UInt8]
    /// The bytes that each connection then sends repeatedly, as fast as the daemon reads: many whole requests, so that one
    /// call sends a lot.
    let repeated: [UInt8]
    let manner: Manner

    /// Creates a crowd; a number of letters follows the opening.
    init(connections: Int, opening: String = "", padding: Int = 0, repeated: String = "", manner: Manner = .reads) {
        self.connections = connections
        self.opening = Array(opening.utf8) + Array(repeating: UInt8(ascii: "a"), count: padding)
        let copies = repeated.isEmpty ? 0 : max(1, (64 << 10) / repeated.utf8.count)
        self.repeated = Array(String(repeating: repeated, count: copies).utf8)
        self.manner = manner
    }

    /// Requests an action without waiting for answers.
    static func asking(_ action: String, _ connections: Int) -> Self {
        Self(connections: connections, repeated: "near:/\(action)\n")
    }

    /// Requests an action as assistants do.
    static func askingAsAssistant(_ action: String, _ connections: Int) -> Self {
        Self(connections: connections, repeated: call("Open", #"{"url":"near:/\#(action)","origin":"agent"}"#))
    }

    /// Requests an explanation of the most expensive URL.
    static func explaining(_ connections: Int) -> Self {
        Self(connections: connections, repeated: call("Explain", #"{"url":"near:/hop/1"}"#))
    }

    /// Monitors its own requests.
    static func monitoring(_ connections: Int) -> Self {
        Self(connections: connections, opening: call("Monitor", #"{"values":true}"#, more: true))
    }

    /// Subscribes without reading.
    static func subscribing(_ connections: Int) -> Self {
        let opening = call("Subscribe", #"{"topics":["near"]}"#, more: true)
        return Self(connections: connections, opening: opening, manner: .neverReads)
    }

    /// Publishes events of 10 KiB.
    static func publishing(_ connections: Int) -> Self {
        let value = String(repeating: "a", count: 10 << 10)
        let parameters = #"{"topic":"near","items":[{"name":"text","value":"\#(value)"}]}"#
        return Self(connections: connections, repeated: call("Publish", parameters))
    }

    /// Sends most of a message of 1 MiB, the maximum, and never its end.
    static func unfinished(_ connections: Int) -> Self {
        Self(connections: connections, opening: #"{"method":""#, padding: 1 << 20 - 64)
    }

    /// Sends a message that is too long, is disconnected, and repeats it.
    static func tooLong(_ connections: Int) -> Self {
        Self(connections: connections, opening: #"{"method":""#, padding: 1 << 20)
    }

    /// Follows the progress of a program that writes without end.
    static func following(_ connections: Int, _ manner: Manner = .reads) -> Self {
        let request = call("Open", #"{"url":"near:/lines"}"#, more: true)
        return Self(connections: connections, repeated: request, manner: manner)
    }

    /// Starts slow programs, of as many routes as it takes to reach the limit of all programs.
    static func startingSlowPrograms(_ connections: Int) -> Self {
        let requests = (0..<Neighborhood.slowRoutes).map { "near:/slow\($0)\n" }
        return Self(connections: connections, repeated: requests.joined())
    }

    /// Connects, sends a request, and leaves before the answer.
    static func leaving(_ connections: Int) -> Self {
        Self(connections: connections, opening: "near:/ping\n", manner: .leaves)
    }

    /// Connects, sends a request to each route with a rate, and leaves before the answers.
    static func leavingRated(_ connections: Int) -> Self {
        let requests = (0..<Neighborhood.ratedRoutes).map { "near:/rated\($0)\n" }
        return Self(connections: connections, opening: requests.joined(), manner: .leaves)
    }

    private static func call(_ method: String, _ parameters: String, more: Bool = false) -> String {
        #"{"method":"org.xcallback.Router.\#(method)","parameters":\#(parameters)\#(more ? #","more":true"# : "")}"#
            + "\0"
    }
}
