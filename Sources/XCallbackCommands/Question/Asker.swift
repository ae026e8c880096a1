import Glibc
import XCallbackJSON
import XCallbackLinux
import XCallbackPrograms

/// Where a request comes from, as far as the program knows that asks about it.
package struct Asker {
    /// How much of a request is read from standard input, and how long that may take.
    private static let (inputLimit, patience) = (4_194_304, Duration.seconds(1))

    /// The way it came; nil if there is no request.
    let origin: String?
    /// The name that the sender gives itself.
    let source: String?
    /// The route that answers it.
    let route: String?
    /// The user who sent it, if that is another one.
    let otherUserID: UInt32?
    /// The process that sent it.
    let process: ProcessState?

    /// Creates what is known of a request.
    ///
    /// - Parameters:
    ///   - environment: Looks a variable of the environment up.
    ///   - input: Reads the request as a program gets it.
    package init(environment: (String) -> String?, input: () -> [UInt8]) {
        origin = environment("XCALLBACK_ORIGIN")
        source = environment("XCALLBACK_SOURCE")
        route = environment("XCALLBACK_ROUTE")
        otherUserID = environment("XCALLBACK_UID").flatMap { UInt32($0) }.flatMap { $0 == geteuid() ? nil : $0 }
        guard origin == "socket" else {
            process = nil
            return
        }
        let bytes = input()
        let request = try? JSONValue(parsing: bytes.span, maximumSize: bytes.count)
        process = request?["peer"]?["pid"]?.integer.flatMap { Int32(exactly: $0) }.flatMap { ProcessState(of: $0) }
    }

    /// What the process that asks has been given.
    static var current: Asker { Asker(environment: variable, input: readInput) }

    /// The lines that tell the user of it, without a claim that is not known to be true.
    package var lines: [String] {
        var sentences: [(words: String, values: [String])] = []
        let user = otherUserID.map { " of user \($0)" } ?? ""
        switch origin {
        case "desktop": sentences.append(("A link or a web page asks for this.", []))
        // It does not know where the request came from before that.
        case "internal":
            sentences.append(("A redirect leads to this, perhaps from a web page.", []))
        case "socket":
            // A process that has started after this one has only got the number of the one that has sent the request.
            let sender = process.flatMap { $0.startTime <= ProcessState.own?.startTime ?? 0 ? $0 : nil }
            guard let sender, let program = sender.program else {
                sentences.append(("A program\(user) asks for this.", []))
                break
            }
            sentences.append(("The program {}\(user) asks for this (process \(sender.id)).", [program]))
        default: return []
        }
        if let source { sentences.append(("The sender calls itself {}.", [source])) }
        return sentences.flatMap { (try? Question($0.words, $0.values).lines) ?? [] }
    }

    /// The first line of standard input, which is the request if nobody has read it yet.
    private static func readInput() -> [UInt8] {
        if isatty(STDIN_FILENO) == 1 { return [] }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        let deadline = ContinuousClock.now + patience
        while bytes.count < inputLimit, isReadable(STDIN_FILENO, until: deadline) {
            let count = read(STDIN_FILENO, &part, part.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { break }
            bytes += part[..<count]
            if part[..<count].contains(UInt8(ascii: "\n")) { break }
        }
        return Array(bytes.prefix { $0 != UInt8(ascii: "\n") })
    }

    private static func isReadable(_ descriptor: Int32, until deadline: ContinuousClock.Instant) -> Bool {
        let rest = max(ContinuousClock.now.duration(to: deadline), .zero)
        var member = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&member, 1, Int32(rest / .milliseconds(1))) > 0
    }
}
