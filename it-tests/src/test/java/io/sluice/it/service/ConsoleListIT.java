package io.sluice.it.service;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import io.sluice.it.service.ConsoleBrowser.Look;
import io.sluice.it.support.Stock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The console's list in a real browser: sorted, selected, acted on together; and imports that are made from others. */
class ConsoleListIT {
    private static final int ROWS = 200_000;
    private static final long SEED = 8;
    /** The input would last for half a minute; each import is cancelled before. */
    private static final long BYTES_PER_SECOND = 500_000;

    private static ConsoleService service;
    private static ConsoleBrowser browser;

    @BeforeAll
    static void start(@TempDir Path directory) throws Exception {
        browser = ConsoleBrowser.launch();
        service = ConsoleService.start(directory);
    }

    @AfterAll
    static void end() {
        browser.close();
        service.close();
    }

    @Test
    void listIsSortedByItsHeadsWithKeysAndOnPhones() throws Exception {
        create("sort-c", "1,1\n2,2\n");
        create("sort-a", "1,1\n2,2\n3,3\n");
        create("sort-b", "1,1\nx,2\n");
        for (Look look : List.of(Look.WIDE_LIGHT, Look.NARROW_LIGHT)) {
            try (ConsolePage console = browser.open(service, look)) {
                console.show("imports?search=sort-");
                assertThat(console.page.locator(".imports tbody .badge"))
                        .hasText(new String[] {"With rejects", "Succeeded", "Succeeded"});
                assertRows(console, "sort-b", "sort-a", "sort-c");
                Locator byName = console.page.locator(".imports thead th", having("Import"));
                byName.locator("button").click();
                assertThat(byName).hasAttribute("aria-sort", "ascending");
                assertRows(console, "sort-a", "sort-b", "sort-c");
                byName.locator("button").press("Enter");
                assertThat(byName).hasAttribute("aria-sort", "descending");
                assertRows(console, "sort-c", "sort-b", "sort-a");
                console.picture("sorted");
                Locator byRows = console.page.locator(".imports thead th", having("Rows"));
                byRows.locator("button").click();
                assertThat(console.page.locator(".imports thead [aria-sort]")).hasCount(1);
                assertRows(console, "sort-b", "sort-c", "sort-a");
                byRows.locator("button").click();
                assertRows(console, "sort-a", "sort-c", "sort-b");
                byRows.locator("button").click();
                assertThat(console.page.locator(".imports thead [aria-sort]")).hasCount(0);
                assertRows(console, "sort-b", "sort-a", "sort-c");
                console.assertFitsItsWidth("imports");
                console.assertNoComplaints();
            }
        }
    }

    private static void assertRows(ConsolePage console, String... ids) {
        assertThat(console.page.locator(".imports tbody .id")).hasText(ids);
    }

    private static Page.LocatorOptions having(String text) {
        return new Page.LocatorOptions().setHasText(text);
    }

    @Test
    void selectedImportsArePausedResumedCancelledAndRetried() throws Exception {
        Path slow = Stock.write(service.data("slow.csv"), Stock.shuffled(ROWS, SEED));
        Path bad = create("bulk-bad", "1,x\n", "0");
        for (String id : List.of("bulk-1", "bulk-2")) {
            service.create(spec(id, Stock.SQL.replace("stock", id.replace('-', '_')), slow)
                    .put("mode", "direct")
                    .put("bytesPerSecond", BYTES_PER_SECOND));
        }
        try (ConsolePage console = browser.open(service, Look.WIDE_LIGHT)) {
            console.show("imports?search=bulk");
            assertStates(console, "Running", "Running", "Failed");
            Locator all = console.page.getByLabel("Select all of this page");
            Locator bar =
                    console.page.getByRole(AriaRole.GROUP, new Page.GetByRoleOptions().setName("Selected imports"));
            assertThat(bar).hasCount(0);
            for (String id : List.of("bulk-1", "bulk-2", "bulk-bad")) {
                assertThat(all).not().isChecked();
                console.page.getByLabel("Select " + id).check();
            }
            assertThat(all).isChecked();
            console.awaitText(bar, "3 imports selected");
            assertThat(console.button("Retry (1)")).isEnabled();
            assertThat(console.button("Resume")).isDisabled();
            console.picture("selected");
            console.button("Pause (2)").click();
            console.awaitText(console.page.locator(".toast"), "Pause: 2 imports.");
            assertStates(console, "Paused", "Paused", "Failed");
            assertThat(bar).hasCount(0);

            all.check();
            console.button("Resume (2)").click();
            assertStates(console, "Running", "Running", "Failed");
            all.check();
            Locator dialog = console.page.locator("dialog");
            console.button("Cancel imports (2)").click();
            console.awaitText(dialog, "Cancel 2 imports?");
            dialog.getByText("Keep them").click();
            assertThat(dialog).hasCount(0);
            assertThat(console.button("Cancel imports (2)")).isFocused();
            assertStates(console, "Running", "Running", "Failed");
            console.button("Cancel imports (2)").click();
            dialog.locator("button.danger").click();
            assertStates(console, "Cancelled", "Cancelled", "Failed");

            Files.writeString(bad, "1,1\n");
            console.page.getByLabel("Select bulk-bad").check();
            console.button("Retry").click();
            assertStates(console, "Succeeded", "Cancelled", "Cancelled", "Failed");
            console.assertNoComplaints();
        }
    }

    private static void assertStates(ConsolePage console, String... states) {
        assertThat(console.page.locator(".imports tbody .badge")).hasText(states);
    }

    /** A retry sends the same request; a duplicate is a form with it, which makes another import. */
    @Test
    void failedImportIsRetriedAndItsRetryDuplicated() throws Exception {
        Path input = create("again", "1,5\n2,x\n", "0");
        try (ConsolePage console = browser.open(service, Look.WIDE_LIGHT)) {
            console.show("imports/again");
            console.awaitState("Failed");
            Files.writeString(input, "1,5\n2,6\n");
            console.page.locator(".reason").getByText("Retry").click();
            console.awaitState("Succeeded");
            assertNotEquals("again", console.page.locator("h1").innerText());
            console.tab("Request").click();
            console.awaitText(console.page.locator(".tab"), "night");

            console.page.locator(".actions").getByText("Duplicate").click();
            assertThat(console.field("inputs")).hasValue(input.toString());
            assertThat(console.field("labels")).hasValue("night=1");
            assertThat(console.field("jobId")).hasValue("");
            console.awaitText(console.page.locator(".preview"), "First rows of again");
            Path more = Files.writeString(service.data("more.csv"), "3,7\n4,8\n");
            console.field("inputs").fill(more.toString());
            console.field("append").selectOption("true");
            console.field("jobId").fill("again-more");
            console.picture("duplicate");
            console.button("Create import").click();
            console.awaitState("Succeeded");
            assertThat(console.page.locator("h1")).hasText("again-more");
            console.show("tables/again");
            assertThat(console.page.locator(".values tbody tr")).hasText(new String[] {"15", "26", "37", "48"});
            console.assertNoComplaints();
        }
    }

    private static Path create(String id, String lines) throws Exception {
        return create(id, lines, "50%");
    }

    /** Creates an import of such lines into a table named as the import. */
    private static Path create(String id, String lines, String maxRejects) throws Exception {
        Path input = Files.writeString(service.data(id + ".csv"), lines);
        String table = id.replace('-', '_');
        ObjectNode spec = spec(id, "CREATE TABLE " + table + " (id INT8 PRIMARY KEY, n INT4)", input);
        spec.putObject("labels").put("night", "1");
        service.create(spec.put("maxRejects", maxRejects));
        return input;
    }

    private static ObjectNode spec(String id, String schema, Path input) {
        ObjectNode spec = JsonNodeFactory.instance.objectNode();
        spec.put("jobId", id).put("schema", schema).putArray("inputs").add(input.toString());
        return spec;
    }
}
