import CLinux
import XCallbackLinux

extension EventLoop {
    /// How long descriptors wait for another attempt to close them.
    private static let closingPause = Duration.seconds(1)

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
        closeHeld(numbers, for: account)
    }

    /// Closes descriptors that their account holds; without a thread, tries again later.
    private func closeHeld(_ numbers: [Int32], for account: Account) {
        // Used on the loop only, where it lives.
        nonisolated(unsafe) let account = account
        Task.immediate(executorPreference: executor) {
            do throws(SystemError) {
                try await account.closer.run { for number in numbers { _ = xcb_close(number) } }
                account.give(.connections, numbers.count)
            } catch {
                _ = call(after: Self.closingPause) { [self] in
                    assumeIsolated { $0.closeHeld(numbers, for: account) }
                }
            }
        }
    }
}
