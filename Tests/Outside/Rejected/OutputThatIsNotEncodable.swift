import XCallback

struct Note {
    var title: String
}

func routes(_ router: inout RouteList) {
    router.route("/note") { Note(title: "Milk") }
    router.route("/echo") { (title: String) in Note(title: title) }
}
