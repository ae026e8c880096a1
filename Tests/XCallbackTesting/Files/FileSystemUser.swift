import Glibc

/// Calls a function without root's permission to open any file, so that files of mode 0 are inaccessible.
///
/// Other users' processes have no such permission anyway. Only the thread gives it up, so the function must not wait for
/// another thread.
package func withoutRootsAccess<Result>(_ body: () throws -> Result) throws -> Result {
    guard geteuid() == 0 else { return try body() }
    typealias Change = @convention(c) (uid_t) -> CInt
    // The module does not export it.
    guard let symbol = dlsym(nil, "setfsuid") else { throw TestFailure("there is no setfsuid") }
    let setfsuid = unsafeBitCast(symbol, to: Change.self)
    let nobody: uid_t = 65_534
    _ = setfsuid(nobody)
    defer { _ = setfsuid(0) }
    return try body()
}
