import Dispatch

/// What takes long with many routes: it is found out on a queue of its own, one thing at a time, so that requests are
/// answered meanwhile.
enum Inspection {
    private static let queue = DispatchQueue(label: "xcallbackd.inspection", qos: .utility)

    /// Finds a value out.
    static func value<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { @Sendable in continuation.resume(returning: body()) }
        }
    }
}
