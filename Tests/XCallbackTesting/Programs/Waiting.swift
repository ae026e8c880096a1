import Glibc

/// Waits for a state that nothing announces: looks every few milliseconds, for at most a minute.
///
/// - Parameters:
///   - state: The state, as a sentence.
///   - isReached: Whether it is reached.
/// - Throws: ``TestFailure`` if it is not reached in time.
package func waitUntil(_ state: String, _ isReached: () throws -> Bool) throws {
    let end = ContinuousClock.now + .seconds(60)
    while try !isReached() {
        if ContinuousClock.now >= end { throw TestFailure("it did not come to this within a minute: \(state)") }
        usleep(2000)
    }
}

/// Waits for a state as ``waitUntil(_:_:)`` does, without occupying a thread, for at most five minutes.
package func suspendUntil(_ state: String, _ isReached: () async throws -> Bool) async throws {
    // A busy machine may keep tasks waiting for long.
    let end = ContinuousClock.now + .seconds(300)
    while try await !isReached() {
        if ContinuousClock.now >= end { throw TestFailure("it did not come to this within five minutes: \(state)") }
        try await Task.sleep(for: .milliseconds(2))
    }
}
