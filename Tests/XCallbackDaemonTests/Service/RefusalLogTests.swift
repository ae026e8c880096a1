import Testing
import XCallbackDaemon

struct RefusalLogTests {
    @Test func aLineASecondTellsHowManyThereWere() {
        var log = RefusalLog()
        let counts = [0, 1, 999, 1000, 1500, 1999, 5000].map { log.add(at: .milliseconds($0)) }
        #expect(counts == [1, nil, nil, 3, nil, nil, 3])
    }
}
