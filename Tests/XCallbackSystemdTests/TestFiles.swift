import Glibc
import XCallbackTesting

func withTemporaryDirectory(_ body: (String) throws -> Void) throws {
    let directory = try TemporaryDirectory()
    try withExtendedLifetime(directory) { try body(directory.path) }
}

func contents(ofFile path: String) throws -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw TestFailure("cannot open \(path)") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = read(descriptor, &part, part.count)
        guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
        bytes += part.prefix(count)
    }
}

func write(_ text: String, toFile path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw TestFailure("cannot create \(path)") }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard write(descriptor, bytes, bytes.count) == bytes.count else { throw TestFailure("cannot write \(path)") }
}

/// Runs a program found in `$PATH` with both outputs in a file; its status, or `nil` if there is no such program.
func run(_ arguments: [String], output: String) throws -> Int32? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    var pointers = arguments.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var child: pid_t = 0
    let code = posix_spawnp(&child, arguments[0], &actions, nil, &pointers, environ)
    if code == ENOENT { return nil }
    guard code == 0 else { throw TestFailure("cannot run \(arguments[0]): \(String(cString: strerror(code)))") }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 {
        guard errno == EINTR else { throw TestFailure("cannot wait for \(arguments[0])") }
    }
    return status
}
