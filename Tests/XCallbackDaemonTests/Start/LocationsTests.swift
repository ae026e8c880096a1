import Glibc
import TestSupport
import Testing
import XCallbackConfiguration
import XCallbackDaemon

struct LocationsTests {
    private func locations(
        _ arguments: [String] = [], _ environment: [String: String] = [:], isRoot: Bool = false,
        passed: String? = nil
    ) throws -> Locations {
        Locations(
            try DaemonOptions(arguments), environment: { environment[$0] }, isRoot: isRoot, passedSocket: passed)
    }

    @Test func aUsersPlacesAreInTheirFolders() throws {
        let plain = try locations([], ["HOME": "/home/me", "XDG_CONFIG_HOME": "", "XDG_RUNTIME_DIR": ""])
        #expect(plain.configuration == ConfigurationPlaces(ofUser: "/home/me/.config"))
        #expect(plain.socket == "/run/user/\(geteuid())/xcallbackd/socket")
        #expect(plain.socketMode == 0o600)
        let chosen = try locations([], ["HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_RUNTIME_DIR": "/r"])
        #expect(chosen.configuration == ConfigurationPlaces(ofUser: "/c"))
        #expect(chosen.socket == "/r/xcallbackd/socket")
    }

    @Test func theSystemsPlacesAreFixed() throws {
        let root = try locations([], ["HOME": "/root", "XDG_CONFIG_HOME": "/c"], isRoot: true)
        #expect(root.configuration == ConfigurationPlaces(ofSystemBelow: ""))
        #expect(root.socket == "/run/xcallbackd/socket")
        #expect(root.socketMode == 0o660)
        #expect(root.programServerSocket == "/run/xcallbackd-run.socket")
        #expect(root.isSystem)
        let service = try locations([], ["HOME": "/nonexistent"], passed: "/run/xcallbackd/socket")
        #expect(service.configuration == root.configuration)
        #expect(service.socket == root.socket)
        #expect(service.socketMode == root.socketMode)
        #expect(service.programServerSocket == root.programServerSocket)
        #expect(service.isSystem)
        // One that root starts by hand, with a socket of its own, is root's.
        #expect(try !locations(["--socket", "s"], isRoot: true).isSystem)
    }

    @Test func onlyTheSystemsConfigurationIsReadByWhatRunsItsPrograms() throws {
        expect(try locations(["--config", "/f"], isRoot: true).programServerSocket, equals: nil)
        expect(try locations(["--socket", "/s"], isRoot: true).programServerSocket, equals: nil)
        expect(try locations([], ["HOME": "/h"]).programServerSocket, equals: nil)
    }

    /// Neither another socket nor a folder that a service manager makes.
    @Test func onlyTheSystemsSocketMakesItTheSystems() throws {
        let environment = ["HOME": "/h", "RUNTIME_DIRECTORY": "/run/xcallbackd"]
        for passed in [nil, "/run/user/1000/xcallbackd/socket", "/run/xcallbackd/other", "@/run/xcallbackd/socket"] {
            let places = try locations([], environment, passed: passed)
            #expect(places.configuration == ConfigurationPlaces(ofUser: "/h/.config"))
            #expect(!places.isSystem)
        }
    }

    @Test func aSocketForAssistantsBesideTheOtherIsNoWall() throws {
        let fault = try locations(["--socket", "/a/socket", "--agent-socket", "/a/agent"]).agentSocketFault
        #expect(fault?.contains("must be in a folder of its own") == true)
        expect(
            try locations(["--socket", "/a/socket", "--agent-socket", "/a/agent/socket"]).agentSocketFault, equals: nil)
    }

    @Test(arguments: [false, true])
    func theCommandLineWins(isRoot: Bool) throws {
        let places = try locations(["--config", "c.yaml", "--socket", "s"], ["HOME": "/h"], isRoot: isRoot)
        #expect(places.configuration == ConfigurationPlaces(file: "c.yaml"))
        #expect(places.socket == "s")
        #expect(places.socketMode == 0o600)
    }
}
