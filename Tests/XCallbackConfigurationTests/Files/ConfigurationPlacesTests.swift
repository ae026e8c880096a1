import Testing
import XCallbackConfiguration

struct ConfigurationPlacesTests {
    @Test func aUsersDirectoryCountsMost() {
        let places = ConfigurationPlaces(isSystem: false) { ["HOME": "/home/me"][$0] }
        #expect(
            places.candidates == [
                "/home/me/.config/xcallbackd/config.yaml", "/etc/xcallbackd/user/config.yaml",
                "/usr/lib/xcallbackd/user/config.yaml",
            ])
    }

    @Test func theSystemsPlacesAreFixed() {
        let places = ConfigurationPlaces(isSystem: true) { ["HOME": "/root", "XDG_CONFIG_HOME": "/c"][$0] }
        #expect(places.candidates == ["/etc/xcallbackd/config.yaml", "/usr/lib/xcallbackd/config.yaml"])
    }

    static let homes: [([String: String], String)] = [
        (["HOME": "/h", "XDG_CONFIG_HOME": "/c"], "/c"), (["HOME": "/h", "XDG_CONFIG_HOME": ""], "/h/.config"),
        (["HOME": "/h", "XDG_CONFIG_HOME": "c"], "/h/.config"), (["HOME": ""], "/.config"), ([:], "/.config"),
    ]

    @Test(arguments: homes)
    func theDirectoryOfAUserIsFoundByTheEnvironment(environment: [String: String], home: String) {
        let places = ConfigurationPlaces(isSystem: false) { environment[$0] }
        #expect(places == ConfigurationPlaces(ofUser: home))
    }

    static let names = [("c.yaml", "", "c.yaml"), ("/c.yaml", "/", "c.yaml"), ("a/b/c.yaml", "a/b", "c.yaml")]

    @Test(arguments: names)
    func aNamedFileHasOnePlace(path: String, directory: String, name: String) {
        let places = ConfigurationPlaces(file: path)
        #expect(places.directories == [directory])
        #expect(places.fileName == name)
        #expect(places.candidates == [path])
    }
}
