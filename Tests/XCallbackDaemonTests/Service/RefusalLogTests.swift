import Testing
import XCallbackDaemon
import XCallbackEventLoop

struct RefusalLogTests {
    @Test func aLineASecondTellsHowManyThereWere() {
        var log = RefusalLog()
        let counts = [0, 1, 999, 1000, 1500, 1999, 5000].map { log.add(at: .milliseconds($0)) }
        #expect(counts == [1, nil, nil, 3, nil, nil, 3])
    }

    @Test func theRefusalsOfEachAccountAreCountedByThemselves() {
        var logs = RefusalLogs()
        let times = [(1, 0), (1, 10), (1, 20), (2, 30), (2, 500), (2, 1030), (1, 1040)] as [(UInt32, Int)]
        let counts = times.map { logs.add(of: Self.account($0), at: .milliseconds($1)) }
        #expect(counts == [1, nil, nil, 1, nil, 2, 3])
        #expect(logs.add(4, of: Self.account(3), at: .zero) == 4)
    }

    @Test func accountsWithoutLinesAreForgotten() {
        var logs = RefusalLogs()
        for second in 0..<100 {
            for userID in 0..<100 {
                let name = Self.account(UInt32(second * 100 + userID))
                #expect(logs.add(of: name, at: .seconds(second)) == 1)
            }
        }
        #expect(logs.count <= 512)
    }

    private static func account(_ userID: UInt32) -> AccountName { AccountName(owner: .user(userID), kind: .socket) }
}
