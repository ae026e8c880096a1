import CLinux

/// A file descriptor that is closed when its owner goes.
package struct Descriptor: ~Copyable, Sendable {
    /// The number.
    package let number: Int32

    /// Takes a descriptor over.
    package init(_ number: Int32) {
        self.number = number
    }

    /// Lets somebody else close it.
    package consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    deinit {
        // EINTR must not be retried: Linux has closed the descriptor all the same.
        _ = xcb_close(number)
    }
}
