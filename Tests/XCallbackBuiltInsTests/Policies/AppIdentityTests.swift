import Testing
import XCallbackBuiltIns

struct AppIdentityTests {
    static let sandboxes: [(String, String?)] = [
        ("[Application]\nname=org.gnome.Evince\nruntime=runtime/x\n", "org.gnome.Evince"),
        ("[Application]\n name = org.gnome.Evince \n", "org.gnome.Evince"),
        ("[Instance]\nname=other\n[Application]\nname=a.b.C", "a.b.C"), ("[Runtime]\nname=org.x.Platform\n", nil),
        ("[Application]\nname=\n", nil), ("", nil), ("name=a.b.C\n", nil), ("[Application]\nnames=a\n", nil),
    ]

    @Test(arguments: sandboxes)
    func theFileOfASandboxNamesTheApplication(text: String, name: String?) {
        #expect(AppIdentity.name(inSandboxFile: text) == name)
    }

    static let labels: [(String, String?)] = [
        ("snap.firefox.firefox (enforce)\n", "firefox"), ("snap.firefox_work.geckodriver (enforce)\0", "firefox_work"),
        ("snap.firefox.firefox (complain)\n", nil), ("unconfined\n", nil), ("snap.firefox.firefox", nil),
        ("/usr/bin/snap.a.b (enforce)", nil), ("snap..a (enforce)", nil), ("snap.a (enforce)", nil), ("", nil),
    ]

    @Test(arguments: labels)
    func onlyALabelThatIsEnforcedNamesASnap(text: String, name: String?) {
        #expect(AppIdentity.snap(inLabel: text) == name)
    }

    private static let session = "0::/user.slice/user-1000.slice/user@1000.service/app.slice"

    static let groups: [(String, String?)] = [
        ("app-gnome-org.gnome.Evince-4711.scope", "org.gnome.Evince"),
        ("app-org.kde.dolphin-4711.scope", "org.kde.dolphin"),
        ("app-org.gnome.Evince@b3a.service", "org.gnome.Evince"), ("app-KDE-firefox@b3a.service", "firefox"),
        ("app-firefox.service", "firefox"), (#"app-my\x2deditor-1.scope"#, "my-editor"),
        ("app-flatpak-org.gnome.Evince-4711.scope", "org.gnome.Evince"),
        ("snap.firefox.firefox-3b.scope", "snap.firefox"),
        ("app-a-1.scope/app-b-2.scope", "a"), ("app-graphical.slice/app-a-1.scope", "a"),
        ("foo.scope/app-a-1.scope", "a"),
        ("dbus.service", nil), ("app-.service", nil), ("app-1.scope", nil), ("app.slice", nil),
        (#"app-a\x2-1.scope"#, nil),
        ("", nil),
    ]

    @Test(arguments: groups)
    func theUnitOfAnApplicationNamesIt(unit: String, name: String?) {
        #expect(AppIdentity.name(inGroups: "\(Self.session)/\(unit)\n") == name)
    }

    @Test func theGroupsOfControllersDoNotCount() {
        #expect(AppIdentity.name(inGroups: "4:memory:/app-a-1.scope\n0::/\n") == nil)
        #expect(AppIdentity.name(inGroups: "1:name=systemd:/user.slice/app-a-1.scope\n0::/\n") == "a")
    }
}
