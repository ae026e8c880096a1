import XCallbackPipeline
import XCallbackURL

/// The results of the requests of a route.
struct RouteCounts {
    /// The maximum number of error codes with separate counts; a handler can return any code.
    static let codeLimit = 16

    /// The number of errors with a code.
    struct CodeCount {
        let code: Int
        fileprivate(set) var count = 1
    }

    /// The number of answers.
    private(set) var all = 0
    /// The number of errors.
    private(set) var errors = 0
    /// The number of cancels.
    private(set) var cancels = 0
    /// The number of redirects.
    private(set) var redirects = 0
    /// The errors by code, without codes beyond the limit.
    private(set) var codes: [CodeCount] = []
    /// The total duration in nanoseconds; an integer could overflow in a daemon that runs for a long time.
    private(set) var time = 0.0
    /// The longest duration in nanoseconds.
    private(set) var longestTime: Int64 = 0
    /// The number of requests of the current batch, whose duration is known at its end.
    private(set) var untimed = 0

    /// The number of successes.
    var successes: Int { all - errors - cancels - redirects }

    /// The number of errors with codes beyond the limit.
    var otherErrors: Int { errors - codes.reduce(0) { $0 + $1.count } }

    /// Counts a request that was answered at once.
    ///
    /// - Returns: Whether it is the first request of the batch.
    mutating func add(_ response: borrowing Response) -> Bool {
        count(response)
        untimed += 1
        return untimed == 1
    }

    /// Counts a request that waited.
    mutating func add(_ response: borrowing Response, after time: Int64) {
        count(response)
        note(time, for: 1)
    }

    /// Records the duration of a batch.
    mutating func endBatch(after time: Int64) {
        note(time, for: untimed)
        untimed = 0
    }

    private mutating func note(_ time: Int64, for count: Int) {
        self.time += Double(time) * Double(count)
        longestTime = max(longestTime, time)
    }

    private mutating func count(_ response: borrowing Response) {
        all += 1
        switch response {
        case .success: break
        case .error(let error):
            errors += 1
            count(error.code.rawValue)
        case .cancel: cancels += 1
        case .redirect: redirects += 1
        }
    }

    private mutating func count(_ code: Int) {
        if let index = codes.firstIndex(where: { $0.code == code }) {
            codes[index].count += 1
        } else if codes.count < Self.codeLimit {
            codes.append(CodeCount(code: code))
        }
    }
}
