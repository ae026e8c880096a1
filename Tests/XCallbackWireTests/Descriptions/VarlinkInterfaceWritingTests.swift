import Testing
import XCallbackTesting
import XCallbackWire

struct VarlinkInterfaceWritingTests {
    @Test func aDescriptionIsWrittenAsItIsMeantToBeRead() throws {
        let text = """
            # What it is for.
            #
            # And more.
            interface org.example.test

            type Point (x: int, y: ?int)

            # A method.
            method Find(
              # What to look for.
              name: string,
              all: ?bool
            ) -> (points: []Point, map: [string](), any: any)

            type Long (
              first: [string]?[]string,
              second: (one, two, three, four, five, six, seven, eight, nine, ten, eleven),
              third: (
                # Of what is within.
                a: float,
                b: object
              )
            )

            error Failed ()

            """
        #expect(try VarlinkInterface(parsing: text).description == text)
    }

    @Test(arguments: [SampleInterface.text, CertificationInterface.description])
    func whatIsWrittenIsReadBackEqual(text: String) throws {
        let interface = try VarlinkInterface(parsing: text)
        #expect(try VarlinkInterface(parsing: interface.description) == interface)
    }

    @Test func anyInterfaceThatIsWrittenIsReadBackEqual() throws {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<1000 {
            let text =
                "interface a.b\n" + (0..<3).map { "error X\($0) (a: \(Self.type(&random, depth: 4)))\n" }.joined()
            let interface = try VarlinkInterface(parsing: text)
            #expect(try VarlinkInterface(parsing: interface.description) == interface)
        }
    }

    @Test func aDamagedDescriptionIsReadOrRefused() throws {
        var random = SeededGenerator(seed: 4)
        let text = Array(CertificationInterface.description.utf8)
        for _ in 0..<300 {
            var bytes = text
            for _ in 0...random.below(3) {
                bytes[random.below(bytes.count)] = Array("()[]?:,#\n aZ_-.\u{0}")[random.below(16)].utf8.first ?? 0
            }
            do throws(InterfaceError) {
                let interface = try VarlinkInterface(parsing: String(decoding: bytes, as: UTF8.self))
                #expect(try VarlinkInterface(parsing: interface.description) == interface)
            } catch {
                #expect(error.line >= 1 && error.column >= 1)
            }
        }
    }

    private static func type(_ random: inout SeededGenerator, depth: Int) -> String {
        let comment = random.below(4) == 0 ? "\n# c\(random.below(9))\n" : ""
        switch random.below(depth > 0 ? 9 : 3) {
        case 0: return "int"
        case 1: return "string"
        case 2: return "(\(comment)one, two)"
        case 3: return "?[]\(type(&random, depth: depth - 1))"
        case 4: return "[]\(type(&random, depth: depth - 1))"
        case 5: return "[string]\(type(&random, depth: depth - 1))"
        default:
            let fields = (0..<random.below(4)).map { "\(comment)field\($0): \(type(&random, depth: depth - 1))" }
            return "(\(fields.joined(separator: ", ")))"
        }
    }
}
