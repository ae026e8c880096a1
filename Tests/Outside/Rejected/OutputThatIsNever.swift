import XCallback

struct OpenURL: Action {
    typealias Output = Never
}
