import Testing
import XCallbackTesting
import XCallbackWire

/// `org.varlink.certification`, against the implementations of others and our own.
@Suite(.timeLimit(.minutes(10)))
struct CertificationTests {
    private static let isPossible: ConditionTrait = .enabled(
        if: PythonPackages.arePresent, "'make python-packages' fetches the Python packages")

    @Test(isPossible)
    func theClientOfVarlinkIsContentWithTheServer() throws {
        let directory = try TemporaryDirectory()
        let server = try CertificationServer(directory.path(of: "socket"))
        let client = try PythonPackages.run(
            ["-m", "varlink.tests.test_certification", "--client", "--varlink=unix:\(directory.path(of: "socket"))"],
            in: directory)
        withExtendedLifetime(server) {}
        #expect(client.status == 0)
        #expect(client.output.hasSuffix("Certification passed\n"), "\(client.output)")
    }

    @Test(isPossible)
    func theClientOfAsyncvarlinkIsContentWithTheServer() throws {
        let directory = try TemporaryDirectory()
        let server = try CertificationServer(directory.path(of: "socket"))
        let client = try PythonPackages.run(
            [PythonPackages.asyncCertification, "--client", "--socket", directory.path(of: "socket")], in: directory)
        withExtendedLifetime(server) {}
        #expect(client.status == 0)
        #expect(client.output == "Certification passed\n")
    }

    @Test(isPossible)
    func theServerOfVarlinkIsContentWithTheClient() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "socket")
        let server = try PythonServer(
            ["-m", "varlink.tests.test_certification", "--varlink=unix:\(path)"], in: directory)
        #expect(try CertificationClient(path).run())
        withExtendedLifetime(server) {}
    }

    @Test func whatTheServerRepliesIsDeclared() throws {
        let interface = try VarlinkInterface(parsing: CertificationInterface.description)
        for (method, reply) in zip(CertificationInterface.tests, CertificationInterface.replies) {
            #expect(interface.mismatch(of: reply, to: method) == nil)
            #expect(interface.mismatch(of: reply.adding("more", .bool(true)), to: method) == "more")
        }
        #expect(interface.mismatch(of: [:], to: "Test01") == "bool")
        #expect(interface.mismatch(of: [:], to: "ClientIdError") == "")
    }

    @Test func clientAndServerAreContentWithEachOther() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "socket")
        let server = try CertificationServer(path)
        let client = try CertificationClient(path)
        #expect(try client.run())
        withExtendedLifetime(server) {}
    }

    @Test func whoCallsInAnotherOrderIsTold() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "socket")
        let server = try CertificationServer(path)
        let client = try CertificationClient(path)
        let name = try client.call("Start", [:])["client_id"] ?? .null
        let error = #expect(throws: VarlinkError.self) {
            try client.call("Test02", ["client_id": name, "bool": .bool(true)])
        }
        #expect(error?.name == "org.varlink.certification.CertificationError")
        let stranger = #expect(throws: VarlinkError.self) { try client.call("End", ["client_id": .string("x")]) }
        #expect(stranger?.name == "org.varlink.certification.ClientIdError")
        withExtendedLifetime(server) {}
    }
}
