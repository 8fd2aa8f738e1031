package io.sluice.it.service;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import io.sluice.it.service.ConsoleBrowser.Look;
import io.sluice.it.support.Stock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The console in a real browser, over a real service: everything that people do with it, seen on the screen. Pictures
 * are left in {@code target/console}. {@code mvn verify -Pbrowser}; docs/reference/console.md has the whole command.
 */
class ConsoleIT {
    private static final String SLOW = "slow.csv";
    private static final int ROWS = 300_000;
    private static final long SEED = 4;
    /** The input lasts for 8 seconds: time enough to watch it, and to pause it. */
    private static final long BYTES_PER_SECOND = 3_750_000;

    private static ConsoleService service;
    private static ConsoleBrowser browser;

    @BeforeAll
    static void start(@TempDir Path directory) throws Exception {
        browser = ConsoleBrowser.launch();
        service = ConsoleService.start(directory);
        Path unused = Stock.write(service.data(SLOW), Stock.shuffled(ROWS, SEED));
    }

    @AfterAll
    static void end() {
        browser.close();
        service.close();
    }

    @Test
    void anImportIsPlannedCreatedWatchedPausedAndResumed() throws Exception {
        try (ConsolePage console = browser.open(service, Look.WIDE_LIGHT)) {
            console.show("new");
            fillForm(console, "watched");
            console.button("Plan").click();
            console.awaitText(console.page.locator(".plan"), "direct (taken)");
            console.picture("plan");
            console.mark();
            console.button("Create import").click();
            console.awaitState("Running");

            console.awaitBeyond(0);
            double seen = console.share();
            console.awaitBeyond(seen);
            console.awaitText(console.page.locator(".progress"), "limited by cap");
            console.picture("running");

            console.button("Pause").click();
            console.awaitState("Paused");
            double paused = console.share();
            assertTrue(paused > seen && paused < 100, paused + " %");
            console.awaitText(console.page.locator(".limiter"), "no threads and no memory");
            console.picture("paused");
            assertEquals(paused, console.share(), "it went on while it was paused");

            console.button("Resume").click();
            console.awaitState("Running");
            assertTrue(console.share() >= paused, "progress was lost");
            console.awaitState("Succeeded");
            assertEquals(100, console.share());
            console.awaitText(console.page.locator(".figures"), "300,000 imported");
            console.assertNotReloaded();
            console.picture("succeeded");

            console.tab("Verification").click();
            console.awaitText(console.page.locator(".tab"), "all agree");
            console.tab("Report").click();
            console.awaitText(console.page.locator(".tab"), "300,000");
            console.tab("Request").click();
            console.awaitText(console.page.locator(".tab"), SLOW);
            console.assertNotReloaded();
            console.assertNoComplaints();
        }
    }

    /** A file is chosen in the browser; its schema is proposed; a table that does not fit cannot be started. */
    @Test
    void newImportIsBrowsedPreviewedAndRefused() throws Exception {
        Files.writeString(service.data("cities.csv"), "id;city\n1;Rome\n2;Oslo\n");
        try (ConsolePage console = browser.open(service, Look.WIDE_LIGHT)) {
            console.show("new");
            console.button("Browse…").click();
            Locator entries = console.page.locator("dialog .link");
            entries.first().click();
            console.page.getByText("cities.csv").click();
            Locator preview = console.page.locator(".preview");
            console.awaitText(preview, "Rome");
            console.awaitText(preview, "Proposed schema");
            console.field("schema").fill("CREATE TABLE cities (id INT8 PRIMARY KEY, city STRING)");
            console.awaitText(preview, "This import cannot be started.");
            assertThat(console.button("Create import")).isDisabled();
            console.picture("preview-refused");
            preview.getByText("Use what the file suggests").click();
            console.awaitText(preview, "First rows of cities");
            console.field("jobId").fill("cities-1");
            console.button("Create import").click();
            console.awaitState("Succeeded");

            console.show("tables/cities");
            console.awaitText(console.page.locator(".values"), "Oslo");
            console.page.getByText("Append to this").click();
            assertThat(console.field("append")).hasValue("true");
            console.show("tables/cities");
            console.button("Drop table").click();
            Locator dialog = console.page.locator("dialog");
            Locator confirm = dialog.locator("button.danger");
            assertThat(confirm).isDisabled();
            dialog.locator("input").fill("cities");
            confirm.click();
            console.awaitText(console.page.locator("h1"), "Tables");
            assertThat(console.page.locator("main").getByText("cities")).hasCount(0);
            console.assertNoComplaints();
        }
    }

    /** The way out that the reason offers leads to an import that succeeds. */
    @Test
    void failedImportOpensOnItsReasonAndTheWayOut() throws Exception {
        Path input = service.data("mended.csv");
        Files.writeString(input, "1,5\n2,x\n3,7\n");
        service.create(spec("mended", "CREATE TABLE mended (id INT8 PRIMARY KEY, n INT4)", input));
        try (ConsolePage console = browser.open(service, Look.WIDE_LIGHT)) {
            console.show("imports/mended");
            console.awaitState("Failed");
            Locator reason = console.page.locator(".reason");
            console.awaitText(reason, "More records are bad than the import allows.");
            assertThat(reason.locator("mark")).hasText("x");
            console.picture("reason");
            reason.getByText("Allow 50%").click();
            assertThat(console.field("maxRejects")).hasValue("50%");
            console.button("Create import").click();
            console.awaitState("With rejects");
            console.assertNoComplaints();
        }
    }

    private static void fillForm(ConsolePage console, String name) {
        console.field("schema").fill(schema(name));
        console.field("inputs").fill(service.data(SLOW).toString());
        console.field("jobId").fill(name);
        console.field("mode").selectOption("direct");
        console.field("bytesPerSecond").fill("3.75 MB");
        console.field("labels").fill("team=sales");
    }

    private static String schema(String table) {
        return Stock.SQL.replace("stock", table);
    }

    @Test
    void requestErrorsAppearAtTheirFields() throws Exception {
        try (ConsolePage console = browser.open(service, Look.WIDE_LIGHT)) {
            console.expect(400);
            console.show("new");
            fillForm(console, "wrong");
            console.field("inputs").fill("/etc/passwd");
            console.button("Create import").click();
            Locator complaint = console.page.locator("#f-inputs-error");
            console.awaitText(complaint, "/etc/passwd");
            assertThat(console.field("inputs")).isFocused();
            console.picture("wrong");
            console.assertNoComplaints();
        }
    }

    @Test
    void anImportIsCancelledOnlyWhenThatIsConfirmed() throws Exception {
        service.create(slow("cancelled"));
        try (ConsolePage console = browser.open(service, Look.WIDE_DARK)) {
            console.show("imports/cancelled");
            console.awaitBeyond(0);
            console.button("Cancel import").click();
            Locator dialog = console.page.locator("dialog");
            console.awaitText(dialog, "The table will not exist.");
            console.picture("cancel");
            console.page.keyboard().press("Escape");
            assertThat(dialog).hasCount(0);
            assertThat(console.button("Cancel import")).isFocused();
            console.awaitState("Running");

            console.button("Cancel import").click();
            dialog.getByText("Cancel import", new Locator.GetByTextOptions().setExact(true))
                    .click();
            console.awaitState("Cancelled");
            console.awaitText(console.page.locator(".limiter"), "undone");
            assertThat(console.button("Pause")).hasCount(0);
            console.picture("cancelled");
            console.assertNoComplaints();
        }
    }

    @Test
    void rejectsAndConflictsSayWhereTheyAre() throws Exception {
        Path input = service.data("bad.csv");
        Files.writeString(input, "1,ann,5\n2,\"bob, \"\"jr\"\"\",x\n3,cem,7\n1,dora,8\n4,eve\n");
        ObjectNode spec = spec("bad", "CREATE TABLE bad (id INT8 PRIMARY KEY, name STRING, n INT4)", input);
        service.create(spec.put("maxRejects", "5").put("onConflict", "capture"));
        try (ConsolePage console = browser.open(service, Look.WIDE_LIGHT)) {
            console.show("imports/bad");
            console.awaitState("With rejects");
            console.awaitText(console.tab("Rejects"), "2");
            console.tab("Rejects").click();
            Locator reject = console.page.locator("table.records tbody tr");
            assertThat(reject).hasCount(2);
            Locator groups = console.page.locator(".groups button");
            assertThat(groups).hasCount(3);
            console.awaitText(groups.last(), "1");
            groups.getByText("syntax").click();
            assertThat(reject).hasCount(1);
            console.awaitText(reject, "2,\"bob, \"\"jr\"\"\",x");
            assertThat(reject.locator("th")).hasText(Pattern.compile("^bad\\.csv:2:\\d+$"));
            assertThat(reject.locator("td").first()).hasText("n");
            console.picture("rejects");

            console.awaitText(console.page.locator(".groups"), "syntax in n 1");
            console.button("Edit").click();
            Locator repair = console.page.locator("form.repair");
            assertThat(repair.locator("input").nth(1)).hasValue("bob, \"jr\"");
            repair.locator("input").nth(2).fill("many");
            repair.locator("button").click();
            console.awaitText(repair.locator("[role=alert]"), "many");
            repair.locator("input").nth(2).fill("6");
            repair.locator("button").click();
            console.awaitText(reject, "added");
            console.show("tables/bad");
            console.awaitText(console.page.locator(".values tbody tr").nth(1), "bob, \"jr\"6");
            console.show("imports/bad");

            console.awaitText(console.tab("Conflicts"), "1");
            console.tab("Conflicts").click();
            Locator conflict = console.page.locator("table.records tbody tr");
            console.awaitText(conflict, "1,dora,8");
            assertThat(conflict.locator("th")).hasText("bad.csv:4");
            assertThat(conflict.locator("td.what")).containsText("primary");
            assertThat(conflict.locator("td.where")).hasText("bad.csv:1");
            console.picture("conflicts");

            console.page.locator(".crumb a").click();
            Locator row = console.page
                    .locator(".imports tbody tr")
                    .filter(new Locator.FilterOptions()
                            .setHas(console.page.getByText("bad").first()));
            console.awaitText(row.first(), "3 bad");
            console.assertNoComplaints();
        }
    }

    @Test
    void keysAreShownAsValuesOfTheirColumns() throws Exception {
        Path input = service.data("keyed.csv");
        Files.writeString(input, """
                north,2026-01-31,-5,12:30:00.5,2026-01-31 10:00:00.25+00,\\x00ff,true,00112233-4455-6677-8899-aabbccddeeff
                south,1969-12-31,7,00:00:00,1969-12-31 23:59:59+00,\\x,false,
                """);
        service.create(spec(
                        "keyed",
                        "CREATE TABLE keyed (region STRING, day DATE, n INT8, t TIME, at TIMESTAMPTZ, raw BYTES, ok BOOL, id UUID,"
                                + " PRIMARY KEY (region, day, n DESC), INDEX ids (id, t), INDEX rest (at DESC, raw, ok DESC))",
                        input)
                .put("mode", "direct"));
        // Keys are cut after 32 bytes.
        List<String> keys = List.of(
                "primary: region=\"north\", day=2026-01-31, n=-5",
                "primary: region=\"south\", day=1969-12-31, n=7",
                "ids: id=NULL, t=00:00:00, region=\"south\", day=1969-12-31, n=7",
                "ids: id=00112233-4455-6677-8899-aabbccddeeff, t=12:30:00.5, region=0x126e6f72…",
                "rest: at=2026-01-31 10:00:00.25+00, raw=\\x00ff, ok=true, region=\"north\", day=2026-01-31 …",
                "rest: at=1969-12-31 23:59:59+00, raw=\\x, ok=false, region=\"south\", day=1969-12-31, n=7");
        try (ConsolePage console = browser.open(service, Look.WIDE_LIGHT)) {
            console.show("imports/keyed/verification");
            console.awaitState("Succeeded");
            assertThat(console.page.locator(".span-details code"))
                    .hasText(new String[] {"primary … ids", "ids … rest", "rest … end of keyed"});
            console.show("imports/keyed/lsm");
            console.page.getByText("The files at this event, as a table").click();
            Locator files = console.page.locator(".tab details table tbody");
            for (String key : keys) {
                console.awaitText(files, key);
            }
            console.picture("keys");
            console.assertNoComplaints();
        }
    }

    @Test
    void timelineOfTheTreeGrowsAndKeysStepThroughIt() throws Exception {
        service.create(slow("timeline"));
        try (ConsolePage console = browser.open(service, Look.WIDE_LIGHT)) {
            console.show("imports/timeline/lsm").mark();
            Locator caption = console.page.locator(".caption");
            assertThat(caption).isVisible(ConsolePage.visible());
            int first = events(caption);
            console.page.waitForCondition(() -> events(caption) > first);
            console.awaitState("Running");
            console.picture("lsm-live");
            console.awaitState("Succeeded");
            console.awaitText(caption, "the table became visible");
            console.assertNotReloaded();

            String last = console.pixels(".tree canvas");
            Locator slider = console.page.getByLabel("Event", new Page.GetByLabelOptions().setExact(true));
            slider.focus();
            console.page.keyboard().press("Home");
            console.awaitText(caption, "Event 1 of");
            console.page.keyboard().press("ArrowRight");
            console.page.keyboard().press("ArrowRight");
            console.awaitText(caption, "Event 3 of");
            String third = console.pixels(".tree canvas");
            assertNotEquals(last, third, "the picture is the same at another event");
            console.picture("lsm-third");
            console.page.keyboard().press("ArrowRight");
            console.awaitText(caption, "Event 4 of");
            assertNotEquals(third, console.pixels(".tree canvas"));
            console.button("by levels").click();
            assertThat(console.button("by levels")).hasAttribute("aria-pressed", "true");
            console.page.keyboard().press("Tab");
            slider.focus();
            console.page.keyboard().press("End");
            console.awaitText(caption, "the table became visible");
            console.button("by sublevels").click();
            console.picture("lsm-end");
            assertEquals(last, console.pixels(".tree canvas"), "the picture depends on the way to the event");
            console.assertNoComplaints();
        }
    }

    /** The number of events in a caption. */
    private static int events(Locator caption) {
        return Integer.parseInt(caption.innerText().replaceFirst("(?s)^Event [0-9,]+ of ([0-9]+).*$", "$1"));
    }

    @Test
    void aServiceThatComesBackIsFoundAgain(@TempDir Path own) throws Exception {
        ConsoleService running = ConsoleService.start(own);
        try {
            Path input = Stock.write(running.data(SLOW), Stock.shuffled(ROWS, SEED));
            running.create(
                    spec("kept", schema("kept"), input).put("mode", "direct").put("bytesPerSecond", BYTES_PER_SECOND));
            try (ConsolePage console = browser.open(running, Look.NARROW_DARK)) {
                console.show("imports/kept").mark();
                console.awaitBeyond(0);
                double before = console.share();
                running.kill();
                console.awaitText(console.page.locator(".title .live"), "Reconnecting");
                console.picture("reconnecting");
                running = running.startAgain();
                console.awaitText(console.page.locator(".title .live"), "Live");
                assertTrue(console.share() >= before, "progress was lost");
                console.awaitState("Succeeded");
                console.awaitText(console.page.locator(".figures"), "300,000 imported");
                console.assertNotReloaded();
                console.assertNoComplaints();
            }
        } finally {
            running.close();
        }
    }

    @Test
    void tokensRoleDecidesOnTheButtons(@TempDir Path own) throws Exception {
        Path tokens = Files.writeString(
                own.resolve("tokens"), "dashboard read reader-0123456789abc\noncall operate oncall-0123456789abc\n");
        try (ConsoleService guarded = ConsoleService.start(own, "--tokens", tokens.toString())) {
            for (String role : List.of("reader", "oncall")) {
                try (ConsolePage console = browser.open(guarded, Look.WIDE_LIGHT)) {
                    console.expect(401);
                    console.show("tables");
                    console.page.locator("input[type=password]").fill(role + "-0123456789abc");
                    console.page.getByText("Sign in").click();
                    Locator create = console.page.locator(".title .primary");
                    if (role.equals("reader")) {
                        assertThat(create).isHidden();
                        console.picture("as-reader");
                    } else {
                        assertThat(create).isVisible();
                    }
                    console.assertNoComplaints();
                }
            }
        }
    }

    private static ObjectNode slow(String name) {
        return spec(name, schema(name), service.data(SLOW))
                .put("mode", "direct")
                .put("bytesPerSecond", BYTES_PER_SECOND);
    }

    private static ObjectNode spec(String name, String schema, Path input) {
        ObjectNode spec = JsonNodeFactory.instance.objectNode();
        spec.put("jobId", name).put("schema", schema).putArray("inputs").add(input.toString());
        return spec;
    }
}
