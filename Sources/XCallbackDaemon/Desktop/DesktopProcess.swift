import Glibc
import Logging
import Synchronization
import XCallbackEventLoop
import XCallbackSystemd

/// The daemon's third mode: the session's message bus starts it so that the desktop can pass URLs to it.
enum DesktopProcess {
    /// Handles URLs until no request arrives for a while.
    ///
    /// - Returns: The exit status.
    static func run() -> DaemonExitStatus {
        let output = StandardErrorLogHandler.makeOutput()
        // The process has nothing else to do.
        output.waitsForRoom = true
        let logger = Logger(label: "xcallbackd-desktop") { _ in StandardErrorLogHandler(output: output) }
        do {
            // One thread starts the command.
            try ThreadShortage.check(for: 1)
            let isLost = Atomic(false)
            let loop = try EventLoop(label: "xcallbackd-desktop")
            loop.expectWork()
            try loop.sync { loop in
                let bus = try DesktopBus(handlingBy: commandPath, logger) { isLost.store(true, ordering: .relaxed) }
                loop.run(bus) {}
                try loop.watchSignals([SIGTERM, SIGINT, SIGHUP])
                try bus.begin(on: loop)
            }
            loop.workHere()
            return isLost.load(ordering: .relaxed) ? .unavailable : .success
        } catch {
            logger.error("cannot receive URLs from the desktop", metadata: ["error": "\(error)"])
            return .system
        }
    }

    /// The path of the command, which is next to this program.
    private static var commandPath: String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        let program = String(decoding: path.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return program[...(program.lastIndex(of: "/") ?? program.startIndex)] + "xcallback"
    }
}
