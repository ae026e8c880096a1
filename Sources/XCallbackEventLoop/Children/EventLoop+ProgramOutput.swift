import CLinux
import Glibc
import XCallbackLinux

// The output of programs.
extension EventLoop {
    /// The maximum number of reads from a pipe after its program has ended: more than any pipe holds.
    private static let leftoverReads = 32

    /// Reads the remaining data in the pipes of an ended child, but not to the end: other processes may keep the pipes open.
    func readLeftovers(of child: Child, _ buffer: inout [UInt8]) {
        for _ in 0..<Self.leftoverReads { if !readOutput(of: child, &buffer) { break } }
        for _ in 0..<Self.leftoverReads { if !readErrors(of: child, &buffer) { break } }
    }

    /// Reads once; returns false if there is no more data for now.
    @discardableResult
    func readOutput(of child: Child, _ buffer: inout [UInt8]) -> Bool {
        guard let number = child.output.pipe?.number, let count = readOnce(number, &buffer) else { return false }
        let isWanted = count > 0 && child.output.keep(buffer[..<count])
        if isWanted { return true }
        // A program that still writes gets SIGPIPE.
        unwatch(number)
        child.output.pipe = nil
        if count > 0 { terminate(child.id) }
        return false
    }

    /// Reads once; returns false if there is no more data for now.
    @discardableResult
    func readErrors(of child: Child, _ buffer: inout [UInt8]) -> Bool {
        guard let number = child.output.errorPipe?.number, let count = readOnce(number, &buffer) else { return false }
        if count == 0 {
            unwatch(number)
            child.output.errorPipe = nil
            return false
        }
        child.output.keepErrors(buffer[..<count])
        return true
    }
}

/// Reads the available data; 0 at the end, nil if there is no data now.
private func readOnce(_ descriptor: Int32, _ buffer: inout [UInt8]) -> Int? {
    let count = xcb_read(descriptor, &buffer, buffer.count)
    let code = errno
    if count < 0, code == EAGAIN || code == EINTR { return nil }
    return max(count, 0)
}
