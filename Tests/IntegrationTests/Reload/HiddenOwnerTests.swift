import Glibc
import Testing
import XCallbackTesting

/// The files that the real daemon trusts in a user namespace, where root and all other users look the same.
@Suite(
    .blocking, .timeLimit(.minutes(10)),
    .enabled(if: HiddenOwnerSite.obstacle == nil, "\(HiddenOwnerSite.obstacle ?? "")"))
struct HiddenOwnerTests {
    private static let configuration = "schemes: [mine]\nroutes: [{ route: mine:/a, respond: { a: 1 } }]\n"
    private static let dropIn = "routes: [{ route: mine:/b, respond: { b: 1 } }]\n"
    private static let own = "home/.config/xcallbackd"
    private static let user = HiddenOwnerSite.user
    private static let stranger = HiddenOwnerSite.stranger

    /// Creates a machine on which the user has a configuration, and a stranger a folder with drop-ins.
    private func site() throws -> HiddenOwnerSite {
        let site = try HiddenOwnerSite()
        try site.write(Self.configuration, to: "\(Self.own)/config.yaml", Self.user)
        try site.write(Self.dropIn, to: "shared/strange/routes.d/b.yaml", Self.stranger)
        try site.write(Self.configuration, to: "shared/strange/config.yaml", Self.stranger)
        return site
    }

    private static let hidden =
        "that belongs to uid \(user), found an owner that this user namespace hides; root's files must be below /etc or "
        + "/usr, others must belong to uid \(user)"
    private static let leaving =
        "expected a link that stays in the folders of the configuration, because this user namespace hides owners; "

    private func expectValid(_ site: HiddenOwnerSite, routes: Int) throws {
        let result = try site.run("--check")
        #expect(result.status == 0)
        #expect(result.output.contains("valid: \(routes) route"), "\(result.output)")
    }

    private func expectFault(_ fault: String, _ site: HiddenOwnerSite, _ arguments: String...) throws {
        let result = try arguments.isEmpty ? site.run("--check") : site.run("--check", "--config", arguments[0])
        #expect(result.status == 78)
        #expect(result.output.contains(fault), "\(result.output)")
    }

    @Test func theUsersOwnFilesAndRootsBelowEtcAreBelieved() throws {
        let site = try site()
        try site.write(Self.dropIn, to: "etc/xcallbackd/user/routes.d/b.yaml", 0)
        try site.link("etc/xcallbackd/user/routes.d/c.yaml", to: "../absent", 0)
        try expectFault("routes.d/c.yaml: cannot be opened: no such file", site)
        try site.write("", to: "etc/xcallbackd/user/absent", 0)
        try expectValid(site, routes: 2)
        #expect(try site.run("--check", "--config", "FOLDER/\(Self.own)/config.yaml").status == 0)
        try site.link("\(Self.own)/routes.d", to: "/etc/xcallbackd/user/routes.d", Self.user)
        try expectValid(site, routes: 2)
        try site.write(Self.configuration, to: "etc/other/mine.yaml", 0)
        #expect(try site.run("--check", "--config", "/etc/other/mine.yaml").status == 0)
    }

    @Test func aStrangersFileInTheUsersFolderIsAFault() throws {
        let site = try site()
        try site.make("\(Self.own)/routes.d", Self.user)
        try site.write(Self.dropIn, to: "\(Self.own)/routes.d/b.yaml", Self.stranger)
        try expectFault("FOLDER/\(Self.own)/routes.d/b.yaml: expected a file \(Self.hidden)", site)
    }

    @Test func soIsAFolderOfAStranger() throws {
        let site = try site()
        try site.make("\(Self.own)/routes.d", Self.stranger)
        try expectFault("FOLDER/\(Self.own)/routes.d: expected a directory \(Self.hidden)", site)
    }

    @Test func aFileThatIsNamedIsNoExceptionWhereverItIs() throws {
        let site = try site()
        let strange = "FOLDER/shared/strange/config.yaml"
        try expectFault("\(strange): expected a file \(Self.hidden)", site, strange)
        try site.write(Self.configuration, to: "shared/mine.yaml", Self.user)
        try expectFault("FOLDER/shared: expected a directory \(Self.hidden)", site, "FOLDER/shared/mine.yaml")
        // Root's folder, but not one in which root must own everything.
        try site.write(Self.configuration, to: "srv/mine.yaml", 0)
        try expectFault("FOLDER/srv/mine.yaml: expected a file \(Self.hidden)", site, "FOLDER/srv/mine.yaml")
    }

    @Test func soIsALinkOfAStrangerOnTheWayToIt() throws {
        let site = try site()
        try site.link("shared/link", to: "FOLDER/\(Self.own)", Self.stranger)
        try expectFault(
            "FOLDER/shared/link: expected a link \(Self.hidden)", site, "FOLDER/shared/link/config.yaml")
        try site.link("home/link", to: ".config/xcallbackd", Self.user)
        #expect(try site.run("--check", "--config", "FOLDER/home/link/config.yaml").status == 0)
    }

    @Test func aFileInAFolderBelowEtcThatOthersMayWriteToIsAFault() throws {
        let site = try site()
        try site.write(Self.configuration, to: "etc/open/below/mine.yaml", 0)
        chmod(site.path(of: "etc/open"), 0o775)
        try expectFault(
            "/etc/open/below/mine.yaml: expected a file \(Self.hidden)", site, "/etc/open/below/mine.yaml")
    }

    /// The path of a link, its target, and its owner.
    static let leavingLinks: [(name: String, target: String, owner: uid_t)] = [
        ("\(own)/routes.d/b.yaml", "FOLDER/shared/strange/routes.d/b.yaml", user),
        ("\(own)/routes.d", "FOLDER/shared/strange/routes.d", user),
        ("etc/xcallbackd/user/routes.d/b.yaml", "FOLDER/shared/strange/routes.d/b.yaml", 0),
        ("etc/xcallbackd/user/routes.d", "FOLDER/shared/strange/routes.d", 0),
        ("etc/xcallbackd/user", "FOLDER/shared/strange", 0),
        ("etc/xcallbackd", "FOLDER/shared/strange/above", 0),
    ]

    @Test(arguments: leavingLinks)
    func aLinkThatLeavesTheFoldersIsAFault(name: String, target: String, owner: uid_t) throws {
        let site = try site()
        try site.write(Self.dropIn, to: "shared/strange/above/user/routes.d/b.yaml", Self.stranger)
        for folder in ["\(Self.own)/routes.d", "etc/xcallbackd", "etc/xcallbackd/user", "etc/xcallbackd/user/routes.d"]
        where name.hasPrefix("\(folder)/") {
            try site.make(folder, owner)
        }
        try site.link(name, to: target, owner)
        try expectFault(Self.leaving + "found one to '\(target)': put a copy here", site)
    }

    @Test func aLinkOfAStrangerIsAFaultWhereverItLeads() throws {
        let site = try site()
        try site.write(Self.dropIn, to: "\(Self.own)/real", Self.user)
        try site.make("\(Self.own)/routes.d", Self.user)
        try site.link("\(Self.own)/routes.d/b.yaml", to: "../real", Self.user)
        try expectValid(site, routes: 2)
        try site.link("\(Self.own)/routes.d/c.yaml", to: "../real", Self.stranger)
        try expectFault("FOLDER/\(Self.own)/routes.d/c.yaml: expected a link \(Self.hidden)", site)
    }

    /// In a terminal, `xcallback check` can see all owners, and so could accept everything.
    @Test func checkWarnsOfWhatTheUnitRejects() throws {
        let site = try site()
        let reason = "xcallbackd.service rejects because its user namespace hides owners"
        try site.make("\(Self.own)/routes.d", Self.user)
        try site.write("", to: "etc/xcallbackd/user/routes.d/a.yaml", 0)
        #expect(try !site.check().output.contains("warning"))
        try site.write(Self.dropIn, to: "\(Self.own)/routes.d/b.yaml", 0)
        try site.write("", to: "home/dotfiles/c.yaml", Self.user)
        try site.link("\(Self.own)/routes.d/c.yaml", to: "../../../dotfiles/c.yaml", Self.user)
        let result = try site.check()
        #expect(result.status == 0)
        for warning in [
            "b.yaml: warning: a file of root is outside of /etc and /usr, which \(reason); try 'chown -h \(Self.user)'\n",
            "c.yaml: warning: a link to '../../../dotfiles/c.yaml' leaves the folders of the configuration, which "
                + "\(reason); put a copy here\n",
        ] {
            #expect(result.output.contains("FOLDER/\(Self.own)/routes.d/\(warning)"), "\(result.output)")
        }
        #expect(try site.run("--check").status == 78)
    }

    @Test func aSecretIsTheUsersOrRootsBelowEtc() throws {
        let site = try site()
        func serve(_ secret: String, behind start: String = "") throws -> (status: Int32, output: String) {
            let policies = "policies: [{ token: { file: \(start)\(site.path(of: secret)) } }]"
            let text = "schemes: [mine]\nroutes: [{ route: mine:/a, \(policies), respond: { a: 1 } }]\n"
                .replacing(site.path(of: "etc"), with: "/etc")
            try site.write(text, to: "\(Self.own)/config.yaml", Self.user)
            return try site.run("--check")
        }
        try site.write("s3cret", to: "home/secret", Self.user, mode: 0o600)
        try site.write("s3cret", to: "etc/xcallbackd/secret", 0, mode: 0o640)
        try site.link("home/link", to: "/etc/xcallbackd/secret", Self.user)
        for secret in ["home/secret", "etc/xcallbackd/secret", "home/link"] {
            let result = try serve(secret)
            #expect(result.status == 0, "\(result.output)")
        }
        try site.write("s3cret", to: "shared/strange/secret", Self.stranger, mode: 0o640)
        try site.link("home/other", to: "../shared/strange/secret", Self.user)
        for secret in ["shared/strange/secret", "home/other"] {
            let result = try serve(secret)
            #expect(result.status == 78)
            #expect(result.output.contains("expected a secret \(Self.hidden)"), "\(result.output)")
        }
        // As on the way to a home folder elsewhere; /lib is a link of root on most systems.
        let elsewhere = try serve("home/secret", behind: "/lib/../..")
        #expect(elsewhere.status == 0, "\(elsewhere.output)")
        try site.link("shared/link", to: "../home/secret", Self.stranger)
        let result = try serve("shared/link")
        #expect(result.status == 78)
        #expect(
            result.output.contains("expected a link at 'FOLDER/shared/link' \(Self.hidden)"), "\(result.output)")
    }
}
