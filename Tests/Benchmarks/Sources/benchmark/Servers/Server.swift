import Glibc

/// A running server, and its requests.
struct Server {
    /// The name in tables.
    let name: String
    /// The name in figures that compare with it.
    let shortName: String
    /// The program that loads it.
    let loadProgram: String
    let socket: String
    /// The request and the expected reply, as options of the load.
    var question: [String]
    /// The program that was started for it.
    let program: ChildProcess
    /// The processes that handle requests.
    let processes: [pid_t]

    /// Creates a server; by default, the process of the program handles requests.
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

    /// The options of the load for the server's socket and question.
    var options: [String] {
        ["--socket", socket] + question + processes.flatMap { ["--process", "\($0)"] }
    }
}

/// The request to all servers, as far as they support it, and its answer.
enum Question {
    /// The part after the action.
    static let query = "text=hello%20world&x-success=caller%3A%2F%2Fdone%3Fid%3D7&x-source=Caller"
    static let request = "notes://x-callback-url/notes/42/append?\(query)"
    static let reply = "caller://done?id=7&result=ok"
    /// The same in Varlink, where the reply ends with the request's ID.
    static let call = [
        "--varlink", "--request", #"{"method":"org.xcallback.Router.Open","parameters":{"url":"\#(request)"}}"#,
        "--reply",
        #"{"parameters":{"outcome":"success","answer":"\#(reply)","items":[{"name":"result","value":"ok"}],"#
            + #""code":null,"message":null,"by":"handler","open":null,"id":""#,
    ]
    static let options = ["--request", request + "\n", "--reply", reply + "\n"]
}

/// The routes of every server.
enum RoutePatterns {
    private static let service = [
        "items", "items/:id", "items/:id/append", "items/:id/remove", "open", "open/:doc/page/:num", "create", "search",
        "tags/:tag", "files/:name",
    ]

    /// Returns a number of patterns.
    static func all(_ count: Int) -> [String] {
        ["notes/:id/append"]
            + (0..<count - 1).map { "svc\($0 / service.count)/\(service[$0 % service.count])" }
    }
}

/// A configuration of the measured daemon.
struct DaemonConfiguration {
    var routes = 100

    /// The text of the file.
    var text: String {
        let routes = RoutePatterns.all(routes).map { "  - route: notes:/\($0)\n    respond: { result: ok }\n" }
        return """
            schemes: [notes]
            limits: { connections: 20000, requests: 20000 }
            middleware: [log]
            policies: [{ user: self }, { rate: 1000000000/s }]
            routes:

            """ + routes.joined()
    }
}
