import ArgumentParser
import AttackPlan
import CMeasure
import Foundation
import Glibc

/// Uses as much of a daemon as it can get, optionally as another user.
@main
struct AttackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attack",
        abstract: "Keeps a daemon busy until standard input ends.",
        discussion: "Writes 'ready' once all connections were tried, and at its end a line of JSON with what it did."
    )

    @Option(help: "The socket of the daemon.")
    var socket: String

    @Option(help: "The user to become before anything is sent; needs root.")
    var user: UInt32?

    @Option(help: "The number of groups of the user; needs root.")
    var groups = 0

    @Option(help: "The number of users as which connections are opened in turn, from 4000000000 on; needs root.")
    var users = 0

    @Argument(help: "A file with the crowds, in JSON.")
    var plan: String

    /// Runs the attack.
    func run() throws {
        let crowds = try JSONDecoder().decode([Crowd].self, from: Data(contentsOf: URL(fileURLWithPath: plan)))
        measure_raise_descriptor_limit()
        // The other user cannot traverse the directories above the socket's, and need not when already inside.
        let socket = URL(fileURLWithPath: socket)
        try check("chdir", chdir(socket.deletingLastPathComponent().path))
        if let user { try become(user) }
        var attack = try Attack(on: socket.lastPathComponent, by: crowds, users: users)
        try attack.run {
            print("ready")
            fflush(nil)
        }
        print(String(decoding: try JSONEncoder().encode(attack.summary), as: UTF8.self))
    }

    private func become(_ user: UInt32) throws {
        try check("setgroups", setgroups(groups, (0..<groups).map { gid_t(5_000_000 + $0) }))
        try check("setgid", setgid(user))
        try check("setuid", setuid(user))
    }
}

/// A failed system call.
struct SystemFailure: Error, CustomStringConvertible {
    let description: String
}

/// Returns the result of a system call.
///
/// - Throws: ``SystemFailure`` if it is negative.
@discardableResult
func check(_ call: String, _ result: Int32) throws -> Int32 {
    guard result >= 0 else { throw SystemFailure(description: "\(call): \(String(cString: strerror(errno)))") }
    return result
}
