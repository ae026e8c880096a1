import Glibc

/// A server that runs, and how it is asked.
struct Server {
    /// How tables call it.
    let name: String
    /// How figures that compare with it call it.
    let shortName: String
    /// The program that loads it.
    let loadProgram: String
    let socket: String
    /// What the load sends and what it expects.
    var question: [String]
    /// The program that was started for it.
    let program: ChildProcess
    /// The processes that work on a request.
    let processes: [pid_t]

    /// Creates a server; unless others are named, the process that works on a request is that of the program.
    init(
        name: String, shortName: String, loadProgram: String = "load", socket: String, question: [String],
        program: ChildProcess, processes: [pid_t]? = nil
    ) {
        self.name = name
        self.shortName = shortName
        self.loadProgram = loadProgram
        self.socket = socket
        self.question = question
        self.program = program
        self.processes = processes ?? [program.identifier]
    }

    /// The options that tell the load where the server is and what it is asked.
    var options: [String] {
        ["--socket", socket] + question + processes.flatMap { ["--process", "\($0)"] }
    }
}

/// The request that all servers are asked, as far as they understand it, and its answer.
enum Question {
    /// What follows the action.
    static let query = "text=hello%20world&x-success=caller%3A%2F%2Fdone%3Fid%3D7&x-source=Caller"
    static let request = "notes://x-callback-url/notes/42/append?\(query)"
    static let reply = "caller://done?id=7&result=ok"
    /// The same in Varlink, where the reply ends with the identifier of the request.
    static let call = [
        "--varlink", "--request", #"{"method":"org.xcallback.Router.Open","parameters":{"url":"\#(request)"}}"#,
        "--reply",
        #"{"parameters":{"outcome":"success","answer":"\#(reply)","items":[{"name":"result","value":"ok"}],"#
            + #""code":null,"message":null,"by":"handler","open":null,"id":""#,
    ]
    static let options = ["--request", request + "\n", "--reply", reply + "\n"]

    /// One request for each of many of the routes, a line each.
    static func requests(forRoutes routes: Int) -> String {
        let paths = RoutePatterns.all(routes).map { RoutePatterns.filled($0) }
        // A prime number of steps reaches all routes before one comes again, in no order that a cache likes.
        return (0..<1000).map { "notes://x-callback-url/\(paths[$0 * 7919 % paths.count])?\(query)\n" }.joined()
    }
}

/// The routes that every server has.
enum RoutePatterns {
    private static let service = [
        "items", "items/:id", "items/:id/append", "items/:id/remove", "open", "open/:doc/page/:num", "create", "search",
        "tags/:tag", "files/:name",
    ]

    /// As many patterns.
    static func all(_ count: Int) -> [String] {
        ["notes/:id/append"]
            + (0..<count - 1).map { "svc\($0 / service.count)/\(service[$0 % service.count])" }
    }

    /// A path that a pattern matches.
    static func filled(_ pattern: String) -> String {
        pattern.split(separator: "/").map { $0.hasPrefix(":") ? "42" : $0 }.joined(separator: "/")
    }
}
