package import CLinux
import Glibc

/// Starts a program, which blocks and ignores no signals.
///
/// - Parameters:
///   - arguments: The program and its arguments; a program without a slash is looked up in `PATH`.
///   - environment: The variables, as `NAME=value`; nil for those of this process.
///   - prepare: Sets up the descriptors of the program.
/// - Returns: The process ID.
/// - Throws: ``SystemError`` if the program cannot be started.
package func spawn(
    _ arguments: [String], environment: [String]? = nil,
    _ prepare: (inout posix_spawn_file_actions_t) -> Void
) throws(SystemError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    prepare(&actions)
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var id: pid_t = 0
    let code = withPointers(to: arguments.map { Array($0.utf8) }) { words in
        withPointers(to: (environment ?? inheritedVariables()).map { Array($0.utf8) }) { variables in
            guard let program = words[0] else { return EINVAL }
            return posix_spawnp(&id, program, &actions, &attributes, words, variables)
        }
    }
    guard code == 0 else { throw SystemError("posix_spawn", code: code) }
    return id
}

/// Creates a pipe that child processes do not inherit.
package func makePipe() throws(SystemError) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    // Not in two steps, between which another thread could start a program.
    _ = try SystemError.check("pipe") { xcb_pipe_for_child(&ends) }
    return (ends[0], ends[1])
}

/// Calls a function with C strings: each ends with a NUL, and the array with a null pointer.
package func withPointers<Result>(
    to texts: [[UInt8]], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    // A single allocation for all strings.
    var bytes: [CChar] = []
    bytes.reserveCapacity(texts.reduce(0) { $0 + $1.count + 1 })
    for text in texts {
        text.withUnsafeBytes { bytes.append(contentsOf: $0.bindMemory(to: CChar.self)) }
        bytes.append(0)
    }
    return bytes.withUnsafeMutableBufferPointer { buffer in
        var pointers: [UnsafeMutablePointer<CChar>?] = []
        pointers.reserveCapacity(texts.count + 1)
        var start = 0
        for text in texts {
            pointers.append(buffer.baseAddress.map { $0 + start })
            start += text.count + 1
        }
        pointers.append(nil)
        return body(pointers)
    }
}
