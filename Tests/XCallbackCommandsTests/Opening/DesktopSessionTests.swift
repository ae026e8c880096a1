import Testing
import XCallbackClient
import XCallbackCommands

struct DesktopSessionTests {
    static let sessions: [(variables: [String: String], xdgOpen: DesktopSession)] = [
        ([:], .noDesktop), (["DISPLAY": ""], .noDesktop), (["DISPLAY": ":0"], .asksXdgMime),
        (["WAYLAND_DISPLAY": "wayland-0"], .asksXdgMime), (["XDG_CURRENT_DESKTOP": "GNOME"], .asksGio),
        (["XDG_CURRENT_DESKTOP": "ubuntu:GNOME", "DISPLAY": ":0"], .asksGio),
        (["XDG_CURRENT_DESKTOP": "XFCE"], .asksGio), (["XDG_CURRENT_DESKTOP": "KDE"], .lacksVersion),
        (["XDG_CURRENT_DESKTOP": "KDE", "KDE_SESSION_VERSION": "5"], .asksKDE),
        (["XDG_CURRENT_DESKTOP": "sway"], .noDesktop),
        (["XDG_CURRENT_DESKTOP": "sway", "WAYLAND_DISPLAY": "wayland-1"], .asksXdgMime),
    ]

    @Test(arguments: sessions)
    func theSessionDecidesWhomXdgOpenAsks(variables: [String: String], xdgOpen: DesktopSession) {
        #expect(DesktopSession(hasXdgOpen: true) { variables[$0] } == xdgOpen)
        #expect(DesktopSession(hasXdgOpen: false) { variables[$0] } == .missing)
    }

    static let owners: [(xdg: SchemeOwner.Answer, gio: SchemeOwner.Answer, isOurs: Bool, hasNoHandler: Bool)] = [
        (.entry(DesktopEntry.name), .entry(DesktopEntry.name), true, false),
        (.entry(DesktopEntry.name), .unknown, true, false), (.unknown, .unknown, false, false),
        (.none, .none, false, true), (.none, .unknown, false, true), (.none, .entry(DesktopEntry.name), false, false),
        (.entry("other.desktop"), .entry(DesktopEntry.name), false, false),
    ]

    @Test(arguments: owners)
    func aSchemeIsOursIfAllWhoAnswerSaySo(
        xdg: SchemeOwner.Answer, gio: SchemeOwner.Answer, isOurs: Bool, hasNoHandler: Bool
    ) {
        let owner = SchemeOwner(scheme: "notes", xdg: xdg, gio: gio)
        #expect(owner.isOurs == isOurs)
        #expect(owner.hasNoHandler == hasNoHandler)
    }
}
