package io.sluice.it.service;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.it.service.ConsoleBrowser.Look;
import io.sluice.it.support.Stock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every view of the console, light and dark, wide and narrow: it fits into its window, has no fault of accessibility
 * that a program can find, and its picture is left in {@code target/console}.
 */
class ConsoleLooksIT {
    private static final int ROWS = 40_000;
    private static final long SEED = 6;
    private static final List<String> TABS =
            List.of("files", "rejects", "conflicts", "verification", "lsm", "report", "request");

    private static ConsoleService service;
    private static ConsoleBrowser browser;

    @BeforeAll
    static void start(@TempDir Path directory) throws Exception {
        browser = ConsoleBrowser.launch();
        service = ConsoleService.start(directory);
        Path unused = Stock.write(service.data("stock.csv"), Stock.shuffled(ROWS, SEED));
        Files.writeString(
                service.data("zz.csv"),
                Stock.line(7).replace("a note", "another") + "\n1,x,3,bad,record\n9,9\n"
                        + Stock.line(12_345).replace("a note", "another") + "\n");
        service.create(spec("stock-2026-11").put("onConflict", "capture").put("maxRejects", "5"));
        service.create(spec("stock-twice"));
        await("stock-2026-11", "succeeded_with_rejects");
        await("stock-twice", "failed");
    }

    private static ObjectNode spec(String id) {
        ObjectNode spec = JsonNodeFactory.instance.objectNode();
        spec.put("jobId", id).put("schema", Stock.SQL).put("mode", "direct");
        spec.putArray("inputs").add(service.data("*.csv").toString());
        spec.putObject("labels").put("team", "sales").put("night", "1");
        return spec;
    }

    private static void await(String id, String state) throws Exception {
        try (ConsolePage console = browser.open(service, Look.WIDE_LIGHT)) {
            console.show("imports/" + id);
            console.awaitState(state.equals("failed") ? "Failed" : "With rejects");
        }
    }

    @AfterAll
    static void end() {
        browser.close();
        service.close();
    }

    @ParameterizedTest
    @EnumSource
    void everyViewFitsAndIsAccessible(Look look) throws Exception {
        try (ConsolePage console = browser.open(service, look)) {
            look(console, "imports", "list", ".imports .id");
            look(console, "new?from=stock-2026-11", "new", ".preview .values");
            look(console, "imports/stock-twice", "failed", ".reason .ways");
            look(console, "tables", "tables", ".id");
            look(console, "tables/stock", "table", ".values");
            look(console, "nodes", "nodes", ".node .pairs");
            look(console, "imports/stock-2026-11", "overview", ".uplot");
            // The legend tells the end of the curves, also of those that do not grow.
            assertThat(console.page.locator(".u-legend").first()).containsText("B/s");
            for (String tab : TABS) {
                look(
                        console,
                        "imports/stock-2026-11/" + tab,
                        tab,
                        tab.equals("lsm") ? ".axis" : ".tab .panel, .tab table");
            }
            console.assertNoComplaints();
            console.expect(404);
            look(console, "imports/nobody", "nobody", "[role=alert]");
            console.assertNoComplaints();
        }
    }

    private static void look(ConsolePage console, String place, String name, String awaited) {
        console.show(place);
        assertThat(console.page.locator(awaited).first()).isVisible(ConsolePage.visible());
        assertThat(console.page.locator("main .placeholder, main .empty")).hasCount(0);
        // Check collapsed parts, too.
        Object unused =
                console.page.evaluate("document.querySelectorAll('main details').forEach(each => each.open = true)");
        console.picture("view-" + name);
        console.assertFitsItsWidth(place);
        console.assertAccessible(place);
    }
}
