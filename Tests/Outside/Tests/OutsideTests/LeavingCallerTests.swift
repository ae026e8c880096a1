import Foundation
import Testing
import XCallback

/// The daemon that the environment names.
private let daemonPath = ProcessInfo.processInfo.environment["XCALLBACKD"]

/// Callers that hang up while they read the answer of a served router.
@Suite(.enabled(if: daemonPath != nil, "XCALLBACKD names no program"), .timeLimit(.minutes(10)))
struct LeavingCallerTests {
    private static let configuration = """
        schemes: [n]
        routes: [{ route: n:/long, deliver: app, wait: 1m, timeout: 20s, input: { v: string } }]

        """
    /// Longer than what a socket takes at once of most answers.
    private static let text = String(repeating: "0123456789", count: 3000)

    /// Sends a request, reads a number of bytes of its answer, and hangs up.
    private static func hangUp(after count: Int, on path: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        guard status == 0 else { throw POSIXError(.ECONNREFUSED) }
        let line = Array("n:/long?v=gone&x-success=n:/done\n".utf8)
        _ = send(descriptor, line, line.count, Int32(MSG_NOSIGNAL))
        // Some leave while their answer is made.
        if count == 0 { usleep(.random(in: 0...2000)) }
        var bytes = [UInt8](repeating: 0, count: max(count, 1))
        var rest = count
        while rest > 0 {
            let part = recv(descriptor, &bytes, rest, 0)
            guard part > 0 else { throw POSIXError(.ECONNRESET) }
            rest -= part
        }
    }

    @Test func thoseWhoStayAreAnswered() async throws {
        let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, path) = (folder.appendingPathComponent("config.yaml"), folder.appendingPathComponent("s").path)
        try Self.configuration.write(to: file, atomically: true, encoding: .utf8)
        let daemon = Process()
        daemon.executableURL = daemonPath.map { URL(fileURLWithPath: $0) }
        daemon.arguments = ["--config", file.path, "--socket", path]
        daemon.standardError = FileHandle.nullDevice
        try daemon.run()
        defer {
            daemon.terminate()
            daemon.waitUntilExit()
        }
        let router = try Router(scheme: "n") { router in
            router.route("/long") { (parameters: [String: String]) in
                // In a cancelled task it throws.
                try await Task.sleep(for: .milliseconds(1))
                return (parameters["v"] ?? "") + Self.text
            }
        }
        let client = Client(socket: path)
        // It waits for the daemon.
        let serving = Task { try await router.serve(as: "app", through: client) }
        while !FileManager.default.fileExists(atPath: path) { await Task.yield() }
        _ = try await client.open("n:/long?v=first")
        try await withThrowingTaskGroup { group in
            for number in 0..<50 {
                let count = number.isMultiple(of: 2) ? 0 : Int.random(in: 1...Self.text.count)
                // A thread of its own may block.
                group.addTask {
                    try await withCheckedThrowingContinuation { continuation in
                        Thread.detachNewThread {
                            continuation.resume(with: Result { try Self.hangUp(after: count, on: path) })
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        for number in 0..<5 {
            let response = try await client.open("n:/long?v=\(number)").response
            try #require(response == .success(["result": "\(number)\(Self.text)"]))
        }
        serving.cancel()
        try await serving.value
    }
}
