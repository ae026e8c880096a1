import Glibc
import TestSupport
import Testing
import XCallbackConfiguration
import XCallbackTesting

struct ConfigurationDocumentsTests {
    private let directory: TemporaryDirectory
    private let places: ConfigurationPlaces

    init() throws {
        directory = try TemporaryDirectory()
        places = ConfigurationPlaces(ofUser: "\(directory.path)/home", below: directory.path)
    }

    /// What is read, in one line each, with the faults.
    private func read(_ places: ConfigurationPlaces? = nil) -> [String] {
        let faults = FaultList()
        let reader = DocumentReader(ownership: .rootOrUser(geteuid()))
        let documents = ConfigurationDocuments(in: places ?? self.places, reader, faults: faults)
        let told = faults.told.map { "\($0)".replacing("\(directory.path)/", with: "") }
        return [documents.main?.outline ?? "-"] + documents.dropIns.map(\.outline) + told
    }

    @Test func theFileThatCountsMostIsReadAlone() throws {
        let files = [
            "usr/lib/xcallbackd/user/config.yaml", "etc/xcallbackd/user/config.yaml", "home/xcallbackd/config.yaml",
        ]
        for file in files {
            try directory.write("from: \(file)\n", to: file)
            #expect(read() == ["{from: \(file)}"])
        }
    }

    @Test func dropInsOfAllDirectoriesAreReadInTheOrderOfTheirNames() throws {
        try directory.write("a: 1", to: "etc/xcallbackd/user/config.yaml")
        try directory.write("b: lib", to: "usr/lib/xcallbackd/user/routes.d/30.yaml")
        try directory.write("b: etc", to: "etc/xcallbackd/user/routes.d/10.yaml")
        try directory.write("b: home", to: "home/xcallbackd/routes.d/20.yaml")
        #expect(read() == ["{a: 1}", "{b: etc}", "{b: home}", "{b: lib}"])
    }

    @Test func aDropInMasksThoseOfItsNameThatCountLess() throws {
        try directory.write("a: 1", to: "etc/xcallbackd/user/config.yaml")
        try directory.write("'", to: "usr/lib/xcallbackd/user/routes.d/a.yaml")
        try directory.write("'", to: "usr/lib/xcallbackd/user/routes.d/b.yaml")
        try directory.write("'", to: "usr/lib/xcallbackd/user/routes.d/c.yaml")
        try directory.write("b: etc", to: "etc/xcallbackd/user/routes.d/a.yaml")
        try directory.write("", to: "home/xcallbackd/routes.d/b.yaml")
        #expect(symlink("/dev/null", directory.path(of: "home/xcallbackd/routes.d/c.yaml")) == 0)
        #expect(read() == ["{a: 1}", "{b: etc}"])
    }

    /// A folder with a file of its name is a drop-in: a cloned repository needs nothing else.
    @Test func aFolderIsADropInOfItsName() throws {
        try directory.write("a: 1", to: "home/xcallbackd/config.yaml")
        try directory.write("b: folder", to: "home/xcallbackd/routes.d/b/b.yaml")
        try directory.write("'", to: "home/xcallbackd/routes.d/b/other.yaml")
        try directory.write("'", to: "home/xcallbackd/routes.d/.git/.git.yaml")
        try directory.write("'", to: "home/xcallbackd/routes.d/none/README")
        try directory.write("'", to: "etc/xcallbackd/user/routes.d/b.yaml")
        try directory.write("'", to: "usr/lib/xcallbackd/user/routes.d/b/b.yaml")
        #expect(read() == ["{a: 1}", "{b: folder}"])
        // A file goes first, so that an empty one masks the folder beside it, too.
        let file = "home/xcallbackd/routes.d/b.yaml"
        try directory.write("b: file", to: file)
        #expect(read() == ["{a: 1}", "{b: file}"])
        try directory.write("", to: file)
        #expect(read() == ["{a: 1}"])
        unlink(directory.path(of: file))
        chmod(directory.path(of: "home/xcallbackd/routes.d/b"), 0o777)
        let fault =
            "expected a directory 'home/xcallbackd/routes.d/b' that only its owner may write to, found mode 0777"
        #expect(read().last?.contains(fault) == true, "\(read())")
    }

    @Test func theSystemsDaemonDoesNotLookAtTheUsers() throws {
        try directory.write("a: user", to: "etc/xcallbackd/user/config.yaml")
        try directory.write("a: system", to: "usr/lib/xcallbackd/config.yaml")
        try directory.write("b: system", to: "etc/xcallbackd/routes.d/a.yaml")
        #expect(read(ConfigurationPlaces(ofSystemBelow: directory.path)) == ["{a: system}", "{b: system}"])
    }

    @Test func aNamedFileIsReadWithTheDropInsBesideIt() throws {
        try directory.write("a: 1", to: "home/xcallbackd/config.yaml")
        try directory.write("b: 1", to: "home/xcallbackd/routes.d/a.yaml")
        let named = try directory.write("a: 2", to: "other/mine.yaml")
        #expect(read(ConfigurationPlaces(file: named)) == ["{a: 2}"])
        try directory.write("b: 2", to: "other/routes.d/b.yaml")
        #expect(read(ConfigurationPlaces(file: named)) == ["{a: 2}", "{b: 2}"])
    }

    @Test func whatIsNoDropInIsPassedOver() throws {
        try directory.write("a: 1", to: "home/xcallbackd/config.yaml")
        for name in [".a.yaml", "a.yaml~", "#a.yaml#", "a.yaml.dpkg-old", "a.bak", "a.json", "README", "yaml"] {
            try directory.write("'", to: "home/xcallbackd/routes.d/\(name)")
        }
        #expect(read() == ["{a: 1}"])
    }

    @Test(arguments: ["a.yml", "a.YML", "a.YAML", "a.Yaml"])
    func anotherSuffixForYAMLIsAFault(name: String) throws {
        try directory.write("a: 1", to: "home/xcallbackd/config.yaml")
        try directory.write("b: 1", to: "home/xcallbackd/routes.d/\(name)")
        let fault = "home/xcallbackd/routes.d/\(name): expected the suffix '.yaml'; rename it to 'a.yaml'"
        #expect(read() == ["{a: 1}", fault])
    }

    @Test func withoutAFileItIsReportedWhereItWasLookedFor() throws {
        try directory.write("b: 1", to: "home/xcallbackd/routes.d/a.yaml")
        let fault =
            "home/xcallbackd/config.yaml: there is no configuration here, nor at etc/xcallbackd/user/config.yaml "
            + "or usr/lib/xcallbackd/user/config.yaml; "
            + "run 'xcallback init' for an action of your own, run 'xcallback setup' for an example, "
            + "write one as xcallbackd.yaml(5) describes, "
            + "or name one with '--config FILE'"
        #expect(read() == ["-", "{b: 1}", fault])
    }

    @Test(arguments: [("config.yaml", false), ("system.yaml", true)], ["usr", "usr/local"])
    func aSampleOnThisMachineIsReported(sample: (name: String, isSystem: Bool), prefix: String) throws {
        let places = sample.isSystem ? ConfigurationPlaces(ofSystemBelow: directory.path) : places
        let file = try directory.write("a: sample", to: "\(prefix)/share/doc/xcallbackd/examples/\(sample.name)")
        #expect(places.sample == file)
        let target = try #require(places.candidates.first)
        let command = "install -D -m 644 \(file) \(target)"
        let commands = "run 'xcallback init' for an action of your own, run 'xcallback setup' for an example, "
        #expect(places.advice == "\(sample.isSystem ? "" : commands)copy the sample with '\(command)'")
        let advice = places.advice.replacing("\(directory.path)/", with: "")
        #expect(read(places).last?.hasSuffix("; \(advice), or name one with '--config FILE'") == true)
        expect(try ChildProcess.run(["/bin/sh", "-c", command]).status, equals: 0)
        #expect(read(places) == ["{a: sample}"])
    }

    @Test func aNamedFileThatIsNotThereIsAFault() throws {
        let absent = ConfigurationPlaces(file: directory.path(of: "c.yaml"))
        #expect(read(absent) == ["-", "c.yaml: cannot be opened: no such file or directory"])
        let elsewhere = ConfigurationPlaces(file: directory.path(of: "no/c.yaml"))
        #expect(read(elsewhere) == ["-", "no: cannot be opened: no such file or directory"])
        let below = ConfigurationPlaces(file: try directory.write("a: 1", to: "file") + "/c.yaml")
        #expect(read(below) == ["-", "file: cannot be opened: not a directory"])
        #expect(
            read(ConfigurationPlaces(file: "\(directory.path)/")) == ["-", ".: expected a file, found a directory"])
    }

    @Test func whatCannotBeReadDoesNotGiveWayToWhatCountsLess() throws {
        try directory.write("a: 1", to: "etc/xcallbackd/user/config.yaml")
        try directory.write("b: 1", to: "etc/xcallbackd/user/routes.d/a.yaml")
        try directory.write("b: 1", to: "etc/xcallbackd/user/routes.d/b.yaml")
        try directory.write("", to: "home/xcallbackd/routes.d/c.yaml")
        #expect(symlink("nowhere", directory.path(of: "home/xcallbackd/config.yaml")) == 0)
        #expect(symlink("nowhere", directory.path(of: "home/xcallbackd/routes.d/a.yaml")) == 0)
        #expect(mkfifo(directory.path(of: "home/xcallbackd/routes.d/b.yaml"), 0o600) == 0)
        #expect(
            read() == [
                "-", "home/xcallbackd/config.yaml: cannot be opened: no such file or directory",
                "home/xcallbackd/routes.d/a.yaml: cannot be opened: no such file or directory",
                "home/xcallbackd/routes.d/b.yaml: expected a file, found a special file",
            ])
    }

    @Test func directoriesThatAreNoneAreFaults() throws {
        try directory.write("a: 1", to: "home/xcallbackd/config.yaml")
        try directory.write("", to: "home/xcallbackd/routes.d")
        try directory.write("", to: "etc/xcallbackd/user")
        #expect(
            read() == [
                "{a: 1}", "etc/xcallbackd/user: cannot be opened: not a directory",
                "home/xcallbackd/routes.d: cannot be opened: not a directory",
            ])
    }

    @Test func aDirectoryInWhichOthersCanWriteIsAFault() throws {
        try directory.write("a: 1", to: "home/xcallbackd/config.yaml")
        try directory.write("b: 1", to: "home/xcallbackd/routes.d/a.yaml")
        chmod(directory.path(of: "home/xcallbackd"), 0o777)
        chmod(directory.path(of: "home/xcallbackd/routes.d"), 0o1777)
        let expected = "expected a directory that only its owner may write to, found mode"
        #expect(
            read() == [
                "{a: 1}", "{b: 1}", "home/xcallbackd: \(expected) 0777: run 'chmod go-w home/xcallbackd'",
                "home/xcallbackd/routes.d: \(expected) 1777: run 'chmod go-w home/xcallbackd/routes.d'",
            ])
    }

    @Test func aStickyDirectoryMayHoldTheFile() throws {
        try directory.write("a: 1", to: "home/xcallbackd/config.yaml")
        chmod(directory.path(of: "home/xcallbackd"), 0o1777)
        #expect(read() == ["{a: 1}"])
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func aDirectoryThatHoldsNothingOfItMayBelongToAnybody() throws {
        try directory.write("a: 1", to: "etc/xcallbackd/config.yaml")
        try directory.write("", to: "usr/lib/xcallbackd/README")
        chown(directory.path(of: "usr/lib/xcallbackd"), 1_234, 0)
        let places = ConfigurationPlaces(ofSystemBelow: directory.path)
        #expect(read(places) == ["{a: 1}"])
        try directory.write("", to: "usr/lib/xcallbackd/routes.d/a.yaml")
        let fault = "usr/lib/xcallbackd: expected a directory that belongs to root, found uid 1234"
        #expect(read(places) == ["{a: 1}", fault])
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func aFolderOfSomebodyElseBehindALinkIsAFault() throws {
        try directory.write("a: 1", to: "etc/xcallbackd/user/config.yaml")
        try directory.write("b: 1", to: "elsewhere/routes.d/a.yaml")
        for link in ["home", "home/xcallbackd", "usr", "usr/lib", "usr/lib/xcallbackd"] {
            mkdir(directory.path(of: link), 0o755)
        }
        let links = [
            "home/xcallbackd/routes.d": directory.path(of: "elsewhere/routes.d"),
            "usr/lib/xcallbackd/user": "../../../elsewhere",
        ]
        for (link, target) in links { #expect(symlink(target, directory.path(of: link)) == 0) }
        #expect(read() == ["{a: 1}", "{b: 1}"])
        chown(directory.path(of: "elsewhere"), 1_234, 0)
        let above = "expected a directory 'elsewhere' that belongs to root, found uid 1234"
        #expect(
            read() == [
                "{a: 1}", "{b: 1}", "home/xcallbackd/routes.d: \(above)",
                "usr/lib/xcallbackd/user: expected a directory that belongs to root, found uid 1234",
            ])
    }
}
