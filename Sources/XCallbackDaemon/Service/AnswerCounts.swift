import XCallbackPipeline

/// The numbers of answers by outcome.
struct AnswerCounts: Hashable, Sendable {
    /// All answers.
    private(set) var all = 0
    /// Answers that are errors.
    private(set) var errors = 0
    /// Answers with the outcome `cancel`.
    private(set) var cancels = 0
    /// Answers that redirect to another URL.
    private(set) var redirects = 0

    /// Answers that are successes.
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
