import Glibc
import TestSupport
import Testing
import XCallbackDaemon
import XCallbackTesting

struct PassedSocketTests {
    // What the environment says is a process of its own, because it is shared by all of a process. That sockets are
    // taken is tested with the daemon: here, another thread may use their numbers.

    @Test(.timeLimit(.minutes(10)))
    func anEnvironmentThatMakesNoSenseIsReported() async {
        await #expect(processExitsWith: .success) {
            setenv("LISTEN_PID", "\(getpid())", 1)
            setenv("LISTEN_FDS", "many", 1)
            let error = try #require(throws: PassedSocketError.self) { try PassedSocket.takeAll() }
            #expect(
                "\(error)" == "LISTEN_FDS and LISTEN_PID are invalid: Invalid argument")
            for name in ["LISTEN_PID", "LISTEN_FDS"] { #expect(getenv(name) == nil) }
            let rest = try PassedSocket.takeAll()
            #expect(rest.isEmpty)
        }
    }

    static let refusals: [([String], String)] = [
        (
            ["other"],
            "a socket named 'other' was passed, expected 'a.socket': set FileDescriptorName=a.socket in the socket "
                + "unit, or call systemd-socket-activate with --fdname=a.socket"
        ),
        (
            ["a.socket", "a.socket"],
            "2 sockets named 'a.socket' were passed, expected one: keep one ListenStream= in the socket unit"
        ),
        (
            ["a.socket"],
            "the socket 'a.socket' that was passed is not a listening Unix stream socket: set ListenStream= to a path, "
                + "and Accept=no, in the socket unit"
        ),
    ]

    @Test(arguments: refusals)
    func whatCannotBeUsedIsNamed(names: [String], message: String) throws {
        let sockets = names.map { PassedSocket(descriptor: STDERR_FILENO, name: $0) }
        let error = try #require(throws: PassedSocketError.self) {
            try PassedSocket.byName(sockets, among: ["a.socket", "c.socket"])
        }
        #expect("\(error)" == message)
    }

    @Test func aSocketThatDoesNotListenIsRefused() throws {
        let descriptor = try makeSocket(SOCK_STREAM)
        defer { close(descriptor) }
        #expect(throws: PassedSocketError.self) {
            try PassedSocket.byName([PassedSocket(descriptor: descriptor, name: "a.socket")], among: ["a.socket"])
        }
    }

    @Test(arguments: TestAddress.allCases)
    func aSocketThatListensIsUsedAndItsPathIsFound(kind: TestAddress) throws {
        let address = kind.make()
        let listening = try ListeningSocket(address)
        let passed = PassedSocket(descriptor: listening.descriptor, name: "a.socket")
        expect(try PassedSocket.byName([passed], among: ["a.socket"]), equals: ["a.socket": passed])
        #expect(passed.path == address)
        let nameless = PassedSocket(descriptor: listening.descriptor, name: "unknown")
        expect(try PassedSocket.byName([nameless], among: ["a.socket", "c.socket"]), equals: ["a.socket": passed])
        #expect(throws: PassedSocketError.self) { try PassedSocket.byName([nameless, passed], among: ["a.socket"]) }
        #expect(
            "\(PassedSocketError.unwanted(passed, option: "--socket", path: "/other"))"
                == "the socket 'a.socket' at '\(address)' was passed, and --socket names '/other': leave one of them "
                + "out")
    }
}
