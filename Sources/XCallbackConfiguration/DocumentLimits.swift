/// How large a configuration file may be.
package struct DocumentLimits: Hashable, Sendable {
    /// The most bytes of a file.
    package var byteCount = 1_048_576
    /// The most values of a file, where those that an alias repeats count again.
    package var nodeCount = 1_000_000
    /// How deep lists and mappings may stand within one another.
    package var depth = 64

    /// Creates the default limits: 1 MiB, a million values, 64 levels.
    package init() {}
}
