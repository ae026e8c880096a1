import XCallbackPipeline

/// How many answers were given, by their outcome.
struct AnswerCounts: Hashable, Sendable {
    /// All of them.
    private(set) var all = 0
    /// Those that are errors.
    private(set) var errors = 0
    /// Those that are cancels.
    private(set) var cancels = 0
    /// Those that name another URL.
    private(set) var redirects = 0

    /// Those that are successes.
    var successes: Int { all - errors - cancels - redirects }

    /// Counts an answer.
    mutating func add(_ response: borrowing Response) {
        all += 1
        switch response {
        case .success: break
        case .error: errors += 1
        case .cancel: cancels += 1
        case .redirect: redirects += 1
        }
    }
}
