import Testing
import XCallbackPrograms

struct SessionVariablesTests {
    @Test func theOutputOfTheServiceManagerIsRead() {
        let output = #"""
            DISPLAY=:0
            EMPTY=
            QUOTED=$'a b\tc\n\'d\' \\ \303\244'
            DOLLAR=$
            no variable

            """#
        let variables = SessionVariables.variables(in: Array(output.utf8)).map { String(decoding: $0, as: UTF8.self) }
        #expect(variables == ["DISPLAY=:0", "EMPTY=", "QUOTED=a b\tc\n'd' \\ ä", "DOLLAR=$"])
    }
}
