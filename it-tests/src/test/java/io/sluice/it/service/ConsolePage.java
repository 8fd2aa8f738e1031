package io.sluice.it.service;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.deque.html.axecore.results.AxeResults;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.ConsoleMessage;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Response;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import io.sluice.it.service.ConsoleBrowser.Look;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A browser window with the console. It records all complaints of the browser: script errors and warnings, breaches of
 * the content security policy, unexpected responses.
 */
final class ConsolePage implements AutoCloseable {
    /** Machines that build several things at a time are slow; nothing here is measured. */
    private static final double PATIENCE_MILLIS = 60_000;

    private static final Path PICTURES = Path.of("target", "console");
    /** Resources of an import that respond with 404 until they exist. */
    private static final Pattern LATER = Pattern.compile("/(verification|lsm)$");

    private final BrowserContext context;
    private final Look look;
    private final List<String> complaints = new ArrayList<>();
    private final List<Integer> expected = new ArrayList<>();

    final Page page;

    ConsolePage(BrowserContext context, Look look) {
        this.context = context;
        this.look = look;
        context.setDefaultTimeout(PATIENCE_MILLIS);
        context.addInitScript("addEventListener('securitypolicyviolation', event =>"
                + " console.error(`content security policy: ${event.violatedDirective} ${event.blockedURI}`))");
        page = context.newPage();
        page.onPageError(complaints::add);
        page.onConsoleMessage(this::heard);
        page.onResponse(this::answered);
    }

    private void heard(ConsoleMessage message) {
        // Answers are judged by themselves, and a service that is down is a test's own doing.
        boolean network = message.text().startsWith("Failed to load resource");
        if (!network && (message.type().equals("error") || message.type().equals("warning"))) {
            complaints.add(message.type() + ": " + message.text());
        }
    }

    private void answered(Response response) {
        int status = response.status();
        boolean later = status == 404 && LATER.matcher(response.url()).find();
        if (status >= 400 && !later && !expected.contains(status)) {
            complaints.add(status + " " + response.request().method() + " " + response.url());
        }
    }

    /** From now on answers with this status are as they should be. */
    void expect(int status) {
        expected.add(status);
    }

    /** Nothing that the browser complained about since it was opened. */
    void assertNoComplaints() {
        assertEquals(List.of(), complaints);
    }

    /** Goes to an address of the console, such as {@code imports/x/files}, as a link does. */
    ConsolePage show(String place) {
        page.navigate("/console/#/" + place);
        assertThat(page.locator("h1")).isVisible(visible());
        return this;
    }

    /** Notes in the page that it is this one; {@link #assertNotReloaded} finds it there. */
    void mark() {
        Object unused = page.evaluate("window.marked = true");
    }

    void assertNotReloaded() {
        assertEquals(true, page.evaluate("window.marked === true"), "the page was loaded again");
    }

    Locator button(String name) {
        return page.locator("main")
                .getByRole(
                        AriaRole.BUTTON,
                        new Locator.GetByRoleOptions().setName(name).setExact(true));
    }

    /** A field of the form for a new import, by its place in the request. */
    Locator field(String name) {
        return page.locator("#f-" + name.replace('/', '-'));
    }

    Locator tab(String name) {
        return page.locator("nav.tabs a", new Page.LocatorOptions().setHasText(name));
    }

    /** Waits until the import that is shown is in a state, by its name on the screen. */
    void awaitState(String state) {
        awaitText(page.locator(".title .badge"), state);
    }

    void awaitText(Locator place, String text) {
        assertThat(place).containsText(text, new LocatorAssertions.ContainsTextOptions().setTimeout(PATIENCE_MILLIS));
    }

    static LocatorAssertions.IsVisibleOptions visible() {
        return new LocatorAssertions.IsVisibleOptions().setTimeout(PATIENCE_MILLIS);
    }

    /** Progress of the displayed import, in percent. */
    double share() {
        return percent(page.locator(".progress .share").innerText());
    }

    /** Waits until the import that is shown is further than that, in percent. */
    void awaitBeyond(double percent) {
        page.waitForCondition(() -> share() > percent);
    }

    static double percent(String text) {
        return Double.parseDouble(text.replace("%", ""));
    }

    /** The pixels of a canvas, in letters. */
    String pixels(String canvas) {
        return String.valueOf(page.locator(canvas).evaluate("canvas => canvas.toDataURL()"));
    }

    /** Nothing sticks out at the side; what is wide scrolls within its own frame. */
    void assertFitsItsWidth(String place) {
        assertEquals(
                look.width,
                page.evaluate("Math.max(document.documentElement.scrollWidth, innerWidth)"),
                place + " is wider than its window");
    }

    /** No breach of the rules of accessibility that a program can find. */
    void assertAccessible(String place) {
        AxeResults found = new AxeBuilder(page).analyze();
        assertFalse(found.getPasses().isEmpty(), "axe-core checked nothing");
        assertEquals(
                List.of(),
                found.getViolations().stream()
                        .map(rule -> rule.getId() + " " + rule.getNodes())
                        .toList(),
                place + " in " + look);
    }

    /** Takes a screenshot of the whole page. */
    void picture(String name) {
        byte[] unused = page.screenshot(new Page.ScreenshotOptions()
                .setFullPage(true)
                .setPath(PICTURES.resolve(name + "-" + look.name().toLowerCase(Locale.ROOT) + ".png")));
    }

    @Override
    public void close() {
        context.close();
    }
}
