import Glibc

/// Runs something without root's right to open everything, as if files of mode 0 were nobody's.
///
/// A process that is not root's has no such right anyhow. It is the thread that gives it up, so the body must not wait
/// for another one.
package func withoutRootsAccess<Result>(_ body: () throws -> Result) throws -> Result {
    guard geteuid() == 0 else { return try body() }
    typealias Change = @convention(c) (uid_t) -> CInt
    // The module does not show it.
    guard let symbol = dlsym(nil, "setfsuid") else { throw TestFailure("there is no setfsuid") }
    let setfsuid = unsafeBitCast(symbol, to: Change.self)
    let nobody: uid_t = 65_534
    _ = setfsuid(nobody)
    defer { _ = setfsuid(0) }
    return try body()
}
