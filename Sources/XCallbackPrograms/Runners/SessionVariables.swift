import Glibc
import XCallbackEventLoop
import XCallbackLinux

/// The variables that the user's service manager gives to programs at present; lives on the event loop.
///
/// The session can be newer than the daemon: its display is known once the user has logged in.
package final class SessionVariables {
    /// How long an answer of the manager is kept, and how long one without a display: the user may be about to give it one.
    private static let (lifetime, lifetimeWithoutDisplay) = (Duration.seconds(10), Duration.seconds(1))
    /// How long the manager may take to answer.
    private static let patience = Duration.seconds(2)
    /// Whether a service manager has started this process itself (systemd.exec(5)).
    private static let hasStartedProcess = getenv("SYSTEMD_EXEC_PID").map { String(cString: $0) } == "\(getpid())"

    private var variables: [[UInt8]]?
    private var end = Duration.zero

    /// Returns the variables as `NAME=value`; nil if no service manager has started the daemon, or if it does not answer.
    func current(on loop: isolated EventLoop) async -> [[UInt8]]? {
        guard Self.hasStartedProcess else { return nil }
        if loop.now < end { return variables }
        let command = ChildCommand.keepingOutput(["systemctl", "--user", "show-environment"])
        let question = Task.immediate(executorPreference: loop.executor) { try? await loop.run(command) }
        let timer = loop.call(after: Self.patience) { question.cancel() }
        let result = await question.value
        loop.cancel(timer)
        variables = result.flatMap { $0.ending == .exited(status: 0) ? Self.variables(in: $0.output) : nil }
        let isWaited = variables.map { !Self.nameDisplay($0) } ?? false
        end = loop.now + (isWaited ? Self.lifetimeWithoutDisplay : Self.lifetime)
        return variables
    }

    /// Whether variables name a display.
    static func nameDisplay(_ variables: [[UInt8]]) -> Bool {
        variables.contains { $0.starts(with: "DISPLAY=".utf8) || $0.starts(with: "WAYLAND_DISPLAY=".utf8) }
    }

    /// Reads the output of `systemctl show-environment`: lines of `NAME=value`, or `NAME=$'value'` with escapes as in a shell.
    package static func variables(in output: [UInt8]) -> [[UInt8]] {
        output.split(separator: UInt8(ascii: "\n")).compactMap { line in
            guard let sign = line.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let value = line[line.index(after: sign)...]
            let isQuoted = value.count > 2 && value.starts(with: "$'".utf8) && value.last == UInt8(ascii: "'")
            guard isQuoted else { return Array(line) }
            return line[...sign] + unescaped(value.dropFirst(2).dropLast())
        }
    }

    private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var rest = text
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let letter = rest.popFirst() else {
                bytes.append(byte)
                continue
            }
            switch letter {
            case UInt8(ascii: "n"): bytes.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "t"): bytes.append(UInt8(ascii: "\t"))
            case UInt8(ascii: "0")...UInt8(ascii: "7"):
                let digits = [letter] + rest.prefix(2)
                rest = rest.dropFirst(2)
                bytes.append(UInt8(String(decoding: digits, as: UTF8.self), radix: 8) ?? UInt8(ascii: "?"))
            default: bytes.append(letter)
            }
        }
        return bytes
    }
}
