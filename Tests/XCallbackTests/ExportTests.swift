import Testing
import XCallback

struct ExportTests {
    @Test func oneImportShowsURLsAndResponses() throws {
        let url = try ActionURL("notes:/open?title=Hi")
        #expect(Response.success(url.items) == .success(["title": "Hi"]))
    }
}
