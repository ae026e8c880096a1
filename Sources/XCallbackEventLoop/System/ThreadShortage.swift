import Glibc

/// The system allows this process fewer threads than it needs.
package struct ThreadShortage: Error, CustomStringConvertible {
    /// The reason and the remedy.
    package var description: String {
        "the system allows no more threads: raise TasksMax= of the unit or slice, or the user's process limit (ulimit -u)"
    }

    /// Checks that the system allows more threads, by starting them.
    ///
    /// Dispatch blocks its caller while there is no free thread, so call this before the first use of Dispatch.
    ///
    /// - Parameter count: The number of threads needed at the same time, in addition to this one.
    /// - Throws: ``ThreadShortage`` if there are fewer.
    package static func check(for count: Int) throws(ThreadShortage) {
        var gate = pthread_mutex_t()
        pthread_mutex_init(&gate, nil)
        defer { pthread_mutex_destroy(&gate) }
        let isAllowed = withUnsafeMutablePointer(to: &gate) { gate in
            // The threads wait here until the last one has started.
            pthread_mutex_lock(gate)
            var threads: [pthread_t] = []
            for _ in 0..<count {
                var thread = pthread_t()
                guard pthread_create(&thread, nil, passGate, gate) == 0 else { break }
                threads.append(thread)
            }
            pthread_mutex_unlock(gate)
            for thread in threads { pthread_join(thread, nil) }
            return threads.count == count
        }
        if !isAllowed { throw ThreadShortage() }
    }
}

/// Each thread of the check runs this function.
private func passGate(_ gate: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let gate = gate?.assumingMemoryBound(to: pthread_mutex_t.self) else { return nil }
    pthread_mutex_lock(gate)
    pthread_mutex_unlock(gate)
    return nil
}
