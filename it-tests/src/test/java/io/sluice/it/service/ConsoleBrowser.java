package io.sluice.it.service;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.options.ColorScheme;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The Chromium of the machine, without a window. Found by {@code -Dsluice.browser=PATH}, else on the PATH; nothing is
 * downloaded. For one thread.
 */
final class ConsoleBrowser implements AutoCloseable {
    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome");
    private static final int HEIGHT = 900;
    private static final int WIDE = 1440;
    /** A telephone's. */
    private static final int NARROW = 390;

    private final Playwright playwright;
    private final Browser browser;

    private ConsoleBrowser(Playwright playwright, Browser browser) {
        this.playwright = playwright;
        this.browser = browser;
    }

    /** Window width and colour scheme. */
    enum Look {
        WIDE_LIGHT(WIDE, ColorScheme.LIGHT),
        WIDE_DARK(WIDE, ColorScheme.DARK),
        NARROW_LIGHT(NARROW, ColorScheme.LIGHT),
        NARROW_DARK(NARROW, ColorScheme.DARK);

        final int width;
        final ColorScheme scheme;

        Look(int width, ColorScheme scheme) {
            this.width = width;
            this.scheme = scheme;
        }
    }

    static ConsoleBrowser launch() {
        Playwright playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        Browser browser = playwright
                .chromium()
                .launch(new BrowserType.LaunchOptions()
                        .setExecutablePath(executable())
                        .setArgs(List.of(
                                "--headless",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--disable-background-networking",
                                "--disable-component-update",
                                "--disable-sync",
                                "--no-first-run")));
        return new ConsoleBrowser(playwright, browser);
    }

    private static Path executable() {
        String named = System.getProperty("sluice.browser", "");
        if (!named.isEmpty()) {
            return Path.of(named);
        }
        String directories = String.valueOf(System.getenv("PATH"));
        return Stream.of(directories.split(Pattern.quote(File.pathSeparator), -1))
                .flatMap(directory -> NAMES.stream().map(name -> Path.of(directory, name)))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new AssertionError("there is no " + String.join(", ", NAMES)
                        + " on the PATH; install one, or name it with" + " -Dsluice.browser=PATH"));
    }

    /** A window of its own, with nothing stored, that shows a service's console. The caller closes it. */
    ConsolePage open(ConsoleService service, Look look) throws Exception {
        return new ConsolePage(
                browser.newContext(new Browser.NewContextOptions()
                        .setBaseURL(service.url())
                        .setViewportSize(look.width, HEIGHT)
                        .setColorScheme(look.scheme)
                        .setLocale("en-GB")
                        .setTimezoneId("UTC")),
                look);
    }

    @Override
    public void close() {
        browser.close();
        playwright.close();
    }
}
