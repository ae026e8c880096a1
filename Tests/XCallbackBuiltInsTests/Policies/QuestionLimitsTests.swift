import Testing
import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackRouter
import XCallbackURL

/// The memory of questions that were not approved.
struct QuestionLimitsTests {
    private let limits = QuestionLimits()

    private func action(_ userID: UInt32, _ route: UInt64 = 1) -> QuestionLimits.Action {
        .init(userID: userID, origin: .desktop, route: route)
    }

    private func decline(_ action: QuestionLimits.Action, of owner: Owner, at now: Duration = .zero) throws {
        try limits.begin(action, at: now) {}
        limits.end(action, isNo: true, of: owner, at: now)
    }

    private func rests(_ action: QuestionLimits.Action, at now: Duration = .zero) -> Bool {
        do {
            try limits.begin(action, at: now) {}
            limits.end(action, isNo: false, of: .unlistedUsers, at: now)
            return false
        } catch {
            return true
        }
    }

    @Test func anActionRestsForHalfAMinute() throws {
        try decline(action(1000), of: .user(1000))
        #expect(rests(action(1000), at: .seconds(29.9)))
        #expect(!rests(action(1000, 2)))
        #expect(!rests(action(1001)))
        #expect(!rests(action(1000), at: .seconds(30)))
    }

    @Test func anOpenQuestionIsRemindedOnceInTenSeconds() throws {
        var times: [Int] = []
        try limits.begin(action(1000), at: .zero) { times.append(-1) }
        try limits.begin(action(1000, 2), at: .zero) { times.append(-2) }
        for second in 2...41 {
            #expect(throws: CallbackError.self) {
                try limits.begin(action(1000), at: .seconds(second)) { times.append(second) }
            }
        }
        #expect(times == [2, 12, 22, 32])
    }

    @Test func anAssistantHasOneQuestionAtATime() throws {
        let actions = (1...3).map { QuestionLimits.Action(userID: 1000, origin: .agent, route: $0) }
        for (action, other) in zip(actions, actions.dropFirst()) {
            try limits.begin(action, at: .zero) {}
            #expect(throws: CallbackError.self) { try limits.begin(other, at: .zero) {} }
            limits.end(action, isNo: false, of: .user(1000), at: .zero)
        }
    }

    /// A user namespace has thousands of user IDs.
    @Test func usersOfAnotherOwnerChangeNothing() throws {
        try decline(action(1000), of: .user(1000))
        for userID in 200_000..<201_000 as Range<UInt32> {
            try decline(action(userID), of: .user(1001), at: .milliseconds(userID - 200_000))
        }
        #expect(rests(action(1000), at: .seconds(1)))
        #expect(!rests(action(1002), at: .seconds(1)))
        let resting = (200_000..<201_000 as Range<UInt32>).filter { rests(action($0), at: .seconds(1)) }
        #expect(resting == Array(200_936..<201_000))
    }
}
