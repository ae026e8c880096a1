import Glibc
import XCallbackTesting

/// A program that runs the daemon and counts its operations.
enum CountingTool {
    /// Counts heap allocations.
    case allocations
    /// Counts instructions outside the kernel.
    case instructions
    /// Counts system calls.
    case systemCalls

    /// The client's dialect.
    enum Dialect {
        /// URLs, one per line.
        case lines
        /// Calls of `Open`.
        case calls
    }

    /// Counts the operations of the release daemon for standard requests, including those of its start.
    ///
    /// - Parameters:
    ///   - requestCount: The number of requests.
    ///   - dialect: The client's dialect.
    ///   - batch: The number of requests that the client sends before it reads the answers.
    /// - Returns: The number.
    /// - Throws: ``TestFailure`` if the tool or the release daemon is missing, or an answer is wrong.
    func count(_ requestCount: Int, _ dialect: Dialect, batch: Int) throws -> Int {
        try count(serving: StandardService.configuration) { daemon in
            switch dialect {
            case .lines:
                let client = try daemon.connect()
                for _ in 0..<requestCount / batch { try Self.ask(batch, on: client) }
            case .calls:
                let client = try RouterClient(daemon.socket)
                for _ in 0..<requestCount / batch { try Self.call(batch, on: client) }
            }
        }
    }

    /// Counts the operations of the release daemon from its start to its end.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - ask: Sends requests before the daemon is stopped.
    /// - Returns: The number.
    /// - Throws: ``TestFailure`` if the tool or the release daemon is missing, or the daemon fails.
    func count(serving configuration: String, _ ask: (RunningDaemon) throws -> Void) throws -> Int {
        let directory = try TemporaryDirectory()
        let report = directory.path(of: "report")
        let daemon = try RunningDaemon(
            starting: configuration, in: directory, program: ReleaseBuild.program("xcallbackd"),
            under: words(report: report))
        try daemon.waitUntilReady()
        do {
            // A tracer does not pass signals on, and the daemon outlives it.
            let id = try daemon.facts.children.first ?? daemon.process.id
            defer { kill(id, SIGTERM) }
            try ask(daemon)
        }
        guard try daemon.process.wait() == 0 else { throw TestFailure("the daemon has failed: \(try daemon.log)") }
        return try total(in: directory.text(of: "report"))
    }

    /// Counts the operations of a program until it succeeds.
    ///
    /// - Parameters:
    ///   - words: The program and its arguments.
    ///   - directory: The folder of its output.
    ///   - environment: Its environment, as `NAME=value`.
    /// - Returns: The number.
    /// - Throws: ``TestFailure`` if the tool is missing, or the program fails.
    func count(
        running words: [String], in directory: TemporaryDirectory, environment: [String] = []
    ) throws -> Int {
        let (report, output) = (directory.path(of: "report"), directory.path(of: "output"))
        let program = try ChildProcess(
            self.words(report: report) + words, environment: environment, output: output, error: output)
        guard try program.wait(within: .seconds(600)) == 0 else {
            throw TestFailure("\(words) has failed: \(try directory.text(of: "output"))")
        }
        return try total(in: directory.text(of: "report"))
    }

    private static func ask(_ batch: Int, on client: LineClient) throws {
        try client.send(String(repeating: StandardService.request + "\n", count: batch))
        for _ in 0..<batch {
            let answer = try client.readLine()
            guard answer == StandardService.answer else { throw TestFailure("the answer is \(answer ?? "nothing")") }
        }
    }

    private static func call(_ batch: Int, on client: RouterClient) throws {
        let message = #"{"method":"org.xcallback.Router.Open","parameters":{"url":"\#(StandardService.request)"}}"#
        try client.send(text: Array(repeating: message, count: batch).joined(separator: "\0"))
        for _ in 0..<batch {
            let reply = try client.replyText() ?? "nothing"
            guard reply.contains(#""answer":"\#(StandardService.answer)""#) else {
                throw TestFailure("the reply is \(reply)")
            }
        }
    }

    private func words(report: String) throws -> [String] {
        switch self {
        case .allocations:
            [try Self.path(of: "valgrind"), "--leak-check=no", "--undef-value-errors=no", "--log-file=\(report)"]
        case .instructions:
            [try Self.path(of: "valgrind"), "--tool=callgrind", "--callgrind-out-file=\(report)"]
        case .systemCalls:
            [try Self.path(of: "strace"), "-f", "-c", "-U", "calls,name", "-o", report]
        }
    }

    private static func path(of tool: String) throws -> String {
        let path = "/usr/bin/\(tool)"
        guard access(path, X_OK) == 0 else {
            throw TestFailure("there is no \(path): install the package '\(tool)', or say 'make test', which does it")
        }
        return path
    }

    /// Returns the number in a report.
    private func total(in report: String) throws -> Int {
        for line in report.split(separator: "\n") {
            let words = line.split(separator: " ")
            let number: Substring? =
                switch self {
                // ==1==   total heap usage: 9,994 allocs, 9,945 frees, 977,338 bytes allocated
                case .allocations: words.dropFirst().starts(with: ["total", "heap", "usage:"]) ? words[4] : nil
                // totals: 81234567
                case .instructions: words.first == "totals:" ? words.last : nil
                // 6049 total
                case .systemCalls: words.last == "total" ? words.first : nil
                }
            if let number, let total = Int(number.filter { $0 != "," }) { return total }
        }
        throw TestFailure("this report has no total:\n\(report)")
    }
}
