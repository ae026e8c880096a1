import Glibc

/// A configuration of the measured daemon.
struct DaemonConfiguration {
    /// The stages before every handler.
    enum Chain: String {
        case none, usual, long

        /// The configuration lines.
        var text: String {
            switch self {
            case .none: ""
            case .usual:
                """
                middleware: [log]
                policies: [{ user: self }, { rate: 1000000000/s }]

                """
            case .long:
                """
                middleware: [log]
                policies:
                  - user: self
                  - rate: 1000000000/s
                  - require: [text]
                  - require: { text: ["hello world"] }
                  - rate: { limit: 1000000000/m, per: route }
                  - require: { text: ["hello", "hello world"] }
                  - rate: 1000000000/h
                  - user: [\(getuid())]

                """
            }
        }
    }

    var routes = 100
    var chain = Chain.usual
    /// The program of the route `notes:/script`, which gets the parameter `text` as its argument.
    var script: String?

    private static func route(running script: String) -> String {
        """
          - route: notes:/script
            input: { text: string }
            exec: ["\(script)", "{text}"]

        """
    }

    /// The text of the file.
    var text: String {
        let routes = RoutePatterns.all(routes).map { "  - route: notes:/\($0)\n    respond: { result: ok }\n" }
        return """
            schemes: [notes]
            # A load leaves programs that still run, and the next one has its own beside them.
            limits: { connections: 20000, requests: 20000, processes-per-route: 64 }
            \(chain.text)routes:
              - route: notes:/program
                exec: [/bin/true]
                output: none
              - route: notes:/delivered
                deliver: peer

            """ + (script.map(Self.route(running:)) ?? "") + routes.joined()
    }
}
