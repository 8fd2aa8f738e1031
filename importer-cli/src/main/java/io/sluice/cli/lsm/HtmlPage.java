package io.sluice.cli.lsm;

import io.sluice.model.error.Reasons;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** The page with the timeline: one file with its style, its script and its data inside. */
public final class HtmlPage {
    /** Script modules that draw the tree, shared with the service's console; each depends only on earlier ones. */
    private static final List<String> MODULES = List.of("lib/format.js", "lsm/tree.js", "lsm/draw.js");

    private HtmlPage() {}

    /**
     * Writes the page of a history, and tells where it is.
     *
     * @param title names what is drawn
     * @param data the history as this page's script reads it
     */
    public static void write(Path file, String title, String data, PrintStream err) {
        try {
            Files.writeString(file, of(title, data));
        } catch (IOException e) {
            throw Reasons.ofPlace("cannot write " + file + ": " + Reasons.ofFile(file, e), e);
        }
        err.println("wrote " + file + "; open it in a browser");
    }

    private static String of(String title, String data) {
        return resource("page.html")
                .replace("/*STYLE*/", resource("page.css"))
                .replace("/*SCRIPT*/", script())
                .replace("{{title}}", escaped(title))
                .replace("/*DATA*/", inScript(data));
    }

    private static String script() {
        String modules = MODULES.stream()
                .map(name -> inlined(resource("/io/sluice/service/console/" + name)))
                .collect(Collectors.joining());
        return modules + resource("page.js");
    }

    /** A module as a part of a larger one: what it imports is there already, and its names are seen by all. */
    private static String inlined(String module) {
        return module.lines()
                .filter(line -> !line.startsWith("import "))
                .map(line -> line.startsWith("export ") ? line.substring("export ".length()) : line)
                .collect(Collectors.joining("\n", "", "\n"));
    }

    /** Text inside a script element must not end it. JSON has this sign in strings only, where it may be escaped. */
    private static String inScript(String json) {
        return json.replace("<", "\\u003c");
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    private static String resource(String name) {
        try (InputStream in = HtmlPage.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the program lacks its resource " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
