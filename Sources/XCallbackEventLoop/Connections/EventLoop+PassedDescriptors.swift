import CLinux

extension EventLoop {
    /// Closes descriptors outside the loop.
    ///
    /// A client can pass descriptors over a Unix socket. If the daemon has the last descriptor of a file, closing it can block
    /// for as long as the client wants: for example a TCP socket with `SO_LINGER`, or a file of a FUSE file system.
    ///
    /// - Parameters:
    ///   - numbers: The descriptors, or the connections that contain some.
    ///   - account: The account of the client; until they are closed they count as its connections.
    func closeBeside(_ numbers: [Int32], for account: Account) {
        account.hold(.connections, numbers.count)
        Task.immediate(executorPreference: executor) {
            await withCheckedContinuation { continuation in
                account.closer.async {
                    for number in numbers { _ = xcb_close(number) }
                    continuation.resume()
                }
            }
            account.give(.connections, numbers.count)
        }
    }
}
