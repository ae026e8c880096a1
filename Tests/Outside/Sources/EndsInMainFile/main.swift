import SlowRouter
import XCallback

let router = try slowRouter()
try await router.serve(as: "app", endingOn: .sigterm)
print("ended")
