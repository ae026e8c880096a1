import XCallbackPipeline
import XCallbackURL

/// What has become of the requests of a route.
struct RouteCounts {
    /// How many error codes are counted one by one; a handler can make up as many as it likes.
    static let codeLimit = 16

    /// How often requests have ended in an error with a code.
    struct CodeCount {
        let code: Int
        fileprivate(set) var count = 1
    }

    /// How many were answered.
    private(set) var all = 0
    /// Those that ended in errors.
    private(set) var errors = 0
    /// Those that ended in cancels.
    private(set) var cancels = 0
    /// Those that ended in redirects.
    private(set) var redirects = 0
    /// The errors by their code, without those of codes for which there was no room.
    private(set) var codes: [CodeCount] = []
    /// How long they took together, in nanoseconds; a whole number could be too small in a daemon that runs for long.
    private(set) var time = 0.0
    /// How long the one took that took longest, in nanoseconds.
    private(set) var longestTime: Int64 = 0
    /// Those that the current batch of events has brought, and whose time is known at its end.
    private(set) var untimed = 0

    /// Those that ended in successes.
    var successes: Int { all - errors - cancels - redirects }

    /// The errors with codes for which there was no room.
    var otherErrors: Int { errors - codes.reduce(0) { $0 + $1.count } }

    /// Counts a request that was answered at once.
    ///
    /// - Returns: Whether it is the first one of the batch.
    mutating func add(_ response: borrowing Response) -> Bool {
        count(response)
        untimed += 1
        return untimed == 1
    }

    /// Counts a request that has waited.
    mutating func add(_ response: borrowing Response, after time: Int64) {
        count(response)
        note(time, for: 1)
    }

    /// Notes how long a batch has taken.
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
