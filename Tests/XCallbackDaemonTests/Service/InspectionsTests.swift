import Dispatch
import Testing
import XCallbackDaemon
import XCallbackEventLoop
import XCallbackTesting
import XCallbackWire

/// One after the other, as those that run hold threads that all inspections share.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct InspectionsTests {
    /// Inspections that run until the test lets them end.
    private final class Line: Sendable {
        let loop: EventLoop
        /// Lives on the loop.
        nonisolated(unsafe) private let inspections = Inspections()
        let events = EventLog()
        private let gates: [String: DispatchSemaphore]

        /// Creates the inspections.
        ///
        /// - Parameter names: All that there will be.
        /// - Throws: ``SystemError`` if the system is out of descriptors.
        init(_ names: [String]) throws {
            loop = try EventLoop(label: "test")
            loop.start()
            gates = Dictionary(uniqueKeysWithValues: names.map { ($0, DispatchSemaphore(value: 0)) })
        }

        deinit {
            for gate in gates.values { gate.signal() }
            let loop = loop
            Task { await loop.stop() }
        }

        /// Asks for an inspection; its name tells the user and which of theirs it is, as `a1`.
        func add(_ name: String) async {
            let (events, gate) = (events, gates[name])
            await loop.perform { [self] loop in
                inspections.add(for: Self.connection(name), of: .user(UInt32(name.utf8.first ?? 0)), on: loop) {
                    events.add("\(name) begins")
                    return {
                        gate?.wait()
                        return [0]
                    }
                } reply: { result in
                    events.add("\(name): \(result == .success([0]) ? "done" : "\(result)")")
                }
            }
        }

        func wait(for event: String) async throws { try await events.wait(for: event) }

        func end(_ name: String) { gates[name]?.signal() }

        func cancel(_ name: String) async {
            await loop.perform { _ in inspections.cancel(Self.connection(name)) }
        }

        /// `o` is the user of the daemon.
        private static func connection(_ name: String) -> ConnectionID {
            ConnectionID(rawValue: name.utf8.reduce(0) { $0 << 8 | UInt64($1) })
        }
    }

    @Test func usersTakeTurns() async throws {
        let line = try Line(["a1", "a2", "a3", "b1", "b2", "c1"])
        for name in ["a1", "a2", "a3", "b1", "b2", "c1"] { await line.add(name) }
        try #require(line.events.all == ["a1 begins", "b1 begins"])
        line.end("a1")
        try await line.wait(for: "c1 begins")
        line.end("c1")
        try await line.wait(for: "a2 begins")
        line.end("b1")
        try await line.wait(for: "b2 begins")
        for name in ["a2", "b2", "a3"] { line.end(name) }
        try await line.wait(for: "a3: done")
        #expect(line.events.all.filter { $0.hasSuffix("begins") }.count == 6)
    }

    @Test func oneThatIsCancelledRepliesToNobodyAndMakesRoom() async throws {
        let line = try Line(["a1", "a2", "a3", "b1"])
        for name in ["a1", "a2", "a3", "b1"] { await line.add(name) }
        await line.cancel("a1")
        await line.cancel("a2")
        // The one that runs makes room only when it has ended.
        #expect(line.events.all == ["a1 begins", "b1 begins"])
        line.end("a1")
        try await line.wait(for: "a3 begins")
        for name in ["a3", "b1"] { line.end(name) }
        try await line.wait(for: "a3: done")
        #expect(!line.events.all.contains { $0.hasPrefix("a1:") || $0.hasPrefix("a2") })
    }
}

extension EventLoop {
    /// Calls a function on the loop.
    fileprivate func perform<Result: Sendable>(
        _ body: @Sendable (isolated EventLoop) -> Result
    ) -> Result {
        body(self)
    }
}
