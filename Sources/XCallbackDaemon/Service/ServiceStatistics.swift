/// What has happened since the daemon started.
struct ServiceStatistics {
    let startTime: Duration
    private(set) var latencies = Histogram()
    /// The number of answers whose latency is known.
    private var timedAnswerCount = 0
    var connectionCounts = (all: 0, refused: 0)

    init(since startTime: Duration) {
        self.startTime = startTime
    }

    /// Records the latency of a request that has waited, just before its answer.
    mutating func noteLatency(_ time: Duration) {
        timedAnswerCount += 1
        latencies.add(Int64(time / .nanoseconds(1)), count: 1)
    }

    /// Records the latency of the requests that a batch has answered at once.
    ///
    /// - Parameters:
    ///   - answerCount: The number of all answers since the start.
    ///   - time: Returns the duration of the batch in nanoseconds.
    /// - Returns: That duration; nil if no request was answered at once.
    mutating func endBatch(_ answerCount: Int, after time: () -> Int64) -> Int64? {
        let count = answerCount - timedAnswerCount
        guard count > 0 else { return nil }
        timedAnswerCount += count
        let time = time()
        latencies.add(time, count: count)
        return time
    }
}
