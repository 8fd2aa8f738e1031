package io.sluice.service.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Checks of the console's files in the jar, which need no browser. */
class ConsoleFilesTest {
    private static final String ROOT = "/io/sluice/service/console/";
    private static final String ADDRESS = "/console/";
    private static final Pattern IMPORT = Pattern.compile("(?m)^(?:import|export)\\b[^;'\"]*?from ['\"]([^'\"]+)['\"]");
    private static final Pattern BARE_IMPORT = Pattern.compile("(?m)^import ['\"]([^'\"]+)['\"]");
    private static final Pattern REFERENCE = Pattern.compile("(?:src|href)=\"([^\"]+)\"");
    /** A row of the table: file, description, version, licence, hash. */
    private static final Pattern VENDORED = Pattern.compile("(?m)^\\| `([^`]+)` \\|.*\\| `([0-9a-f]{64})` \\|$");

    @Test
    void libraryFilesMatchTheirHashes() throws Exception {
        String list = text("vendor/README.md");
        Map<String, String> said = new TreeMap<>();
        VENDORED.matcher(list).results().forEach(row -> said.put(row.group(1), row.group(2)));
        assertEquals(Set.of("htm-preact-standalone.js", "uPlot.css", "uPlot.js"), said.keySet());
        for (Map.Entry<String, String> each : said.entrySet()) {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes("vendor/" + each.getKey()));
            assertEquals(
                    each.getValue(),
                    HexFormat.of().formatHex(hash),
                    each.getKey()
                            + " is another file than vendor/README.md says; a new version needs a new line there");
        }
        for (String licence : List.of("LICENSE-htm.txt", "LICENSE-preact.txt", "LICENSE-uPlot.txt")) {
            assertTrue(list.contains("](" + licence + ")"), licence);
            assertTrue(bytes("vendor/" + licence).length > 0, licence);
        }
    }

    @Test
    void everyImportResolvesToAFile() throws IOException {
        Set<String> seen = new TreeSet<>();
        Deque<String> open = new ArrayDeque<>(List.of("app.js"));
        while (!open.isEmpty()) {
            String module = open.pop();
            if (!seen.add(module)) {
                continue;
            }
            for (String imported : imports(text(module))) {
                assertTrue(imported.startsWith("./") || imported.startsWith("../"), module + " imports " + imported);
                String path = resolved(module, imported);
                assertTrue(exists(path), module + " imports " + imported + ", and there is no such file");
                open.push(path);
            }
        }
        assertTrue(seen.contains("vendor/uPlot.js"), "only these are imported: " + seen);
    }

    private static List<String> imports(String module) {
        List<String> found =
                IMPORT.matcher(module).results().map(match -> match.group(1)).collect(Collectors.toList());
        BARE_IMPORT.matcher(module).results().forEach(match -> found.add(match.group(1)));
        return found;
    }

    private static String resolved(String module, String imported) {
        return URI.create(module).resolve(imported).toString();
    }

    /** The content security policy forbids inline code, and a browser reports it only in its log. */
    @Test
    void pageHasNoInlineScriptOrStyle() throws IOException {
        String page = text("index.html");
        assertFalse(page.contains("style="), "a style in an attribute");
        assertFalse(page.contains("<style"), "a style in the page");
        assertFalse(Pattern.compile("\\son[a-z]+=").matcher(page).find(), "a handler in an attribute");
        assertFalse(Pattern.compile("<script(?![^>]*\\ssrc=)").matcher(page).find(), "a script in the page");
        List<String> references =
                REFERENCE.matcher(page).results().map(match -> match.group(1)).toList();
        for (String reference : references) {
            assertTrue(reference.startsWith(ADDRESS), reference + " is not the console's own");
            assertTrue(exists(reference.substring(ADDRESS.length())), "there is no " + reference);
        }
        assertTrue(references.size() > 5, references.toString());
    }

    /** The form of "a new one like it" has all members of the request. */
    @Test
    void formHasEveryMemberOfARequest() throws IOException {
        String description = new String(resource("/io/sluice/service/openapi.yaml"), StandardCharsets.UTF_8);
        String form = text("views/create-fields.js");
        Set<String> asked = Pattern.compile("pointer: '/([^']+)'")
                .matcher(form)
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> members = new TreeSet<>(members(description, "ImportSpec"));
        assertTrue(members.remove("format") && members.remove("s3"), members.toString());
        // Bundles are replayed from the rejects of an import, sets ingested by the command line.
        assertTrue(members.removeAll(Set.of("bundle", "set", "setId")), members.toString());
        members(description, "Format").forEach(name -> members.add("format/" + name));
        members(description, "S3").forEach(name -> members.add("s3/" + name));
        assertEquals(members, asked);
    }

    @Test
    void formOffersAllDialects() throws IOException {
        String description = new String(resource("/io/sluice/service/openapi.yaml"), StandardCharsets.UTF_8);
        String dialects = group(Pattern.compile("dialect: \\{type: string, enum: \\[default, ([^]]+)]"), description);
        String offered = group(
                Pattern.compile("\\[\\['', 'default'], \\.\\.\\.choice\\(([^)]+)\\)"), text("views/create-fields.js"));
        assertEquals(dialects, offered.replace("'", ""));
    }

    private static String group(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(match -> match.group(1))
                .findFirst()
                .orElseThrow(() -> new AssertionError(pattern + " is nowhere"));
    }

    /** The properties of a schema: the lines indented by eight below its name. */
    private static List<String> members(String description, String schema) {
        Pattern block = Pattern.compile("(?m)^ {4}" + schema + ":\n(?: {5,}.*\n)+");
        MatchResult found = block.matcher(description)
                .results()
                .findFirst()
                .orElseThrow(() -> new AssertionError(schema + " is not in openapi.yaml"));
        return Pattern.compile("(?m)^ {8}([A-Za-z0-9]+):")
                .matcher(found.group())
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    private static boolean exists(String file) {
        return ConsoleFilesTest.class.getResource(ROOT + file) != null;
    }

    private static String text(String file) throws IOException {
        return new String(bytes(file), StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String file) throws IOException {
        return resource(ROOT + file);
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = ConsoleFilesTest.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new AssertionError("there is no " + name);
            }
            return in.readAllBytes();
        }
    }
}
