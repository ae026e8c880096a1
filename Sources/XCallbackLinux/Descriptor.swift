import CLinux

/// A file descriptor that is closed with its owner.
package struct Descriptor: ~Copyable, Sendable {
    /// The number.
    package let number: Int32

    /// Takes ownership of a descriptor.
    package init(_ number: Int32) {
        self.number = number
    }

    /// Gives up ownership, so that another owner can close it.
    package consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    deinit {
        // EINTR must not be retried: Linux has closed the descriptor anyway.
        _ = xcb_close(number)
    }
}
