import Testing
import XCallbackConfiguration

struct UserNamespaceTests {
    static let maps: [(String, Bool)] = [
        ("         0          0 4294967295\n", false),
        ("      1000       1000          1\n", true),
        ("      1000       1000          1\n         0     100000      65536\n", false),
        ("", false),
    ]

    @Test(arguments: maps)
    func rootIsHiddenWhereItHasNoNumber(map: String, isHidden: Bool) {
        #expect(UserNamespace.hidesRoot(inMap: map) == isHidden)
    }

    @Test func rootIsRoot() {
        #expect(UserNamespace.mayBeRoot(0))
        #expect(!UserNamespace.mayBeRoot(1000))
    }
}
