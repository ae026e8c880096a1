import Testing
import XCallbackRouter

/// How an id is written and read.
struct RequestIDTests {
    @Test func anIDIsWrittenAndReadBack() throws {
        for start in [0, 1, 31, 32, 0xFF_FFFF_FFFF, 0xFF_FFFF_FFFF + 1, .max] as [UInt128] {
            let id = RequestID(ofStart: start).next.next
            #expect(RequestID(id.description) == id)
            #expect(RequestID(id.description.uppercased()) == id)
            #expect(id.description.utf8.count == 10)
            #expect(id.description.hasSuffix("-2"))
        }
        #expect(RequestID(ofStart: 32).next.description == "01000000-1")
        #expect(RequestID("zzzzzzzz-18446744073709551615")?.number == .max)
    }

    @Test(arguments: [
        "", "-", "7h3kq2vd", "7h3kq2vd-", "7h3kq2vd-0", "7h3kq2vd--1", "7h3kq2vd-1-2", "7h3kq2v-1", "7h3kq2vdd-1",
        "7h3kq2vi-1", "7h3kq2vu-1", "7h3kq2vd-+1", "7h3kq2vd- 1", "7h3kq2vd-18446744073709551616", "é3kq2vd-1",
    ])
    func whatIsNoIDIsRefused(text: String) { #expect(RequestID(text) == nil) }
}
