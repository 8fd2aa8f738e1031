package io.sluice.it.project;

import static java.util.regex.Pattern.CASE_INSENSITIVE;
import static java.util.regex.Pattern.DOTALL;
import static java.util.regex.Pattern.MULTILINE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks that comments, texts and docs use the field's words in plain sentences.
 *
 * <p>It reads all Java sources and all Markdown files of the project. Comments, string literals with a space (messages,
 * option descriptions) and Markdown count as prose; {@code code} in them does not. So do openapi.yaml and the texts
 * that the console shows. {@link #RULES} are the banned constructions.
 *
 * <p>A hit asks for a better sentence, written from what the code does. A sentence that is only reworded around a
 * pattern is no better: the test reminds, a reader decides.
 */
class LanguageTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final int MOST_WORDS = 25;

    /** Words that hold one clause inside another. */
    private static final String RELATIVE = "\\b(?:what|that|which|who|whom|whose|whoever)\\b(?! to\\b)";

    /** Up to 80 characters of one sentence, table cell, list item or javadoc tag. */
    private static final String WITHIN = "(?:(?!\\n\\s*(?:@|[-*] |\\d+\\. |\\n)|<(?:p|li|ul|ol)>)[^.;:()|]){0,80}?";

    /** A banned construction: what to write instead and why, its pattern, and a text that it finds. */
    private record Rule(String instead, Pattern banned, String example) {
        Rule(String instead, String banned, String example) {
            this(instead, Pattern.compile(banned.replace(" ", "\\s+"), CASE_INSENSITIVE | MULTILINE), example);
        }

        @Override
        public String toString() {
            return instead;
        }
    }

    private static final List<Rule> RULES = List.of(
            // Words: one meaning, one word, and the one that public systems use.
            new Rule(
                    "name the actor (client, importer, node, operator, caller), so that a reader knows who acts",
                    "\\b(?:whoever|somebody|someone|nobody|anybody|everybody)\\b",
                    "Whoever comes next goes on with it."),
            new Rule(
                    "say lose (a conflict) or drop (a row)", "\\bg(?:ive|ives|iving|ave) way\\b", "rows that give way"),
            new Rule("say finalize, or barrier in SQL", "\\bsettl(?:e|es|ed|ing)\\b", "settle the tree"),
            new Rule("say chunk (of a split) or output file", "\\bpieces?\\b", "a split in pieces of 1 MiB"),
            new Rule(
                    "say checkpoint unit or checkpoint record (TiDB Lightning)",
                    "\\b(?:watermarks?|flush groups?|watermark-notes?)\\b",
                    "a durable watermark"),
            new Rule("say orphaned table id", "\\bghosts?\\b", "a ghost of an import"),
            new Rule("say operator or owner", "\\bkeepers?\\b", "tell its keeper"),
            new Rule("say in doubt (XA)", "\\bdoubtful\\b", "a doubtful branch"),
            new Rule(
                    "write kB, MB, GB for powers of 1000, and KiB, MiB, GiB for powers of 1024",
                    "\\b[0-9][0-9,.]*\\s?(?-i:KB|Kb|kb|Mb|mb|Gb|gb|Kib|Mib|Gib)\\b",
                    "less than 2 KB of memory"),
            new Rule(
                    "say coordinator record, or last agent (two-phase commit)",
                    "\\bdeciders?\\b",
                    "the decider's record"),
            new Rule(
                    "say distributed, sharded or split",
                    "\\bdivided\\b(?! by\\b)",
                    "tables that are divided over nodes"),
            new Rule(
                    "say stack or height profile (Pebble's L0 sublevels)",
                    "\\b(?:towers?|skyline)\\b",
                    "the tallest tower"),
            new Rule("say small-SST buffer", "\\blanding\\b", "the landing column family"),
            new Rule("say history", "\\bstory\\b", "the story of an import"),
            new Rule("say broken pipe", "\\breader (?:is )?gone\\b", "with its reader gone"),
            new Rule(
                    "say inspect, sample, read or check",
                    "\\blook(?:s|ed|ing)? (?:at|into)\\b",
                    "looks at the first 4 MiB"),
            new Rule("say long-running operation (Google AIP-151)", "\\blong steps?\\b", "a long step of an import"),
            new Rule("say checksum of the KVs", "\\bsums? of (?:all |the |their )?KVs?\\b(?!')", "the sum of KVs"),

            // Sentences: subject, verb, object.
            new Rule(
                    "use today's English",
                    "\\b(?:for ever|affair|as it is known by|has not got|holds? against|held against|begun anew"
                            + "|begins? over|save that|but for|likewise|thereby|whereof|besides? that|that is all)\\b",
                    "waits for ever"),
            new Rule(
                    "say who does it: subject, verb, object",
                    "\\b(?:is|are|was|were|be|being) (?:told(?! apart)|asked for|gone on with|said so|let (?:go|in|finish)"
                            + "|done about|come by|made of it)\\b",
                    "what was asked for"),
            new Rule(
                    "split the sentence: three clauses hang on pronouns",
                    RELATIVE + WITHIN + RELATIVE + WITHIN + RELATIVE,
                    "a row that meets one that another, which is gone, wrote"),
            new Rule(
                    "split the sentence: a clause stands in the middle of another",
                    RELATIVE + WITHIN + RELATIVE + " (?:is|are|was|were) \\w+ (?:is|are|was|were)\\b",
                    "a number that no write that is over is above"),
            new Rule(
                    "say also, or compare the two by name",
                    "\\bas \\w+ as (?:it|they) (?:is|are)(?=[.,;]|$)",
                    "what is before it is as durable as it is"),
            new Rule(
                    "give the number, or the setting that bounds it",
                    "\\bas (?:many|much) as there (?:is|are)\\b",
                    "kept, as many as there is room for"),
            new Rule(
                    "say what it runs, and under which lock",
                    "^Does something\\b",
                    "Does something while no import begins."),
            new Rule(
                    "start an option's text with what it sets",
                    "--option says (?:how|what|which|whether)\\b",
                    "`--block-cache SIZE` says how much memory its blocks may take"));

    /** Starts of a first sentence that describe by a clause instead of naming the thing. */
    private static final Pattern NO_SUBJECT = Pattern.compile(
            "^(?:What|Who|Whoever|Where|How|Which|Those|That|To whom|Of (?:all|what|something)|From (?:where|when))\\b");

    /** A javadoc's first sentence ends at a full stop, or at a colon that a list follows. */
    private static final Pattern END = Pattern.compile("(?<=[.:])\\s|\\n\\s*\\n|<(?:p|pre|ol|ul|table)>|\\n\\s*@");

    private static final Pattern TOKEN = Pattern.compile(
            "/\\*.*?\\*/|//[^\\n]*(?:\\n[ \\t]*//[^\\n]*)*|\"\"\".*?(?<!\\\\)\"\"\"|" + literal() + "(?:\\s*\\+\\s*"
                    + literal() + ")*|'(?:\\\\.|[^'\\\\\\n])+'",
            DOTALL);

    private static final Pattern COMMENT_MARKS = Pattern.compile("^/\\*\\*?|\\*/$|(?m)^\\s*(?:\\*(?!/)|//)");
    private static final Pattern INDENT = Pattern.compile("(?m)^[ \\t]+");
    private static final Pattern QUOTES = Pattern.compile("\"\\s*\\+\\s*\"|^\"+|\"+$");
    private static final Pattern FENCED = Pattern.compile("(?s)```.*?```");
    private static final Pattern INDENTED = Pattern.compile("(?<=\\n\\n)(?: {4}[^\\n]*\\n+)+");
    private static final Pattern DRAWING = Pattern.compile("(?s)<pre>.*?</pre>");
    private static final Pattern OPTION = Pattern.compile("`--?\\w[^`\\n]*`");
    private static final Pattern CODE =
            Pattern.compile("\\{@\\w+[^{}]*(?:\\{[^{}]*\\}[^{}]*)*\\}|`[^`\\n]*`|https?://[^\\s)]+|\\]\\([^)\\n]*\\)");

    /** Texts that the console shows: quoted, between tags, or the value of an attribute. */
    private static final Pattern SHOWN = Pattern.compile(
            "'(?:[^'\\\\\\n]|\\\\.)* (?:[^'\\\\\\n]|\\\\.)*'|(?<![=-])>(?!=)[^<>\\n]*[a-z] [^<>\\n]*(?=<)|=\"[^\"\\n]* [^\"\\n]*\"");

    private static final Pattern TEST = Pattern.compile("`([A-Z]\\w*[a-z](?:Test|IT))\\b");

    private static final Pattern COMMENT_LINES = Pattern.compile("(?m)^\\s*(?://|/?\\*).*$");

    private static String literal() {
        return "\"(?:[^\"\\\\\\n]|\\\\.)*+\"";
    }

    /** A place that breaks a rule. */
    private record Hit(String file, int line, String instead, String text) {
        @Override
        public String toString() {
            return file + ":" + line + ": " + instead + ": \"" + text + "\"";
        }
    }

    @Test
    void sourcesAndDocsUseTheFieldsWords() throws IOException {
        List<Path> files = sourcesAndDocs();
        assertTrue(files.size() > 100, "only " + files.size() + " files below " + ROOT);
        List<Hit> found = new ArrayList<>();
        for (Path file : files) {
            found.addAll(hits(ROOT.relativize(file).toString().replace('\\', '/'), Files.readString(file)));
        }
        assertTrue(
                found.isEmpty(),
                () -> found.size() + " hits:\n"
                        + found.stream().map(Hit::toString).collect(Collectors.joining("\n")));
    }

    static List<Rule> rules() {
        return RULES;
    }

    @ParameterizedTest
    @MethodSource("rules")
    void ruleFindsItsExample(Rule rule) {
        List<Hit> hits = hits("a.md", rule.example());

        assertTrue(hits.stream().anyMatch(hit -> hit.instead().equals(rule.instead())), () -> rule + ": " + hits);
    }

    /** Sentences of the project as they were, and as they should be. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            A sequence number that no write of an update that is over is above, by stripe. | Upper bound on the sequence numbers of completed updates, per stripe.
            What a run that was asked to stop ends with before it has begun, or known that it has | The exception to throw if a stop was requested before the import started; null otherwise.
            What was committed in a store before it is as durable as it is | Awaiting a commit also makes all earlier commits of the store durable.
            A long step of an import that somebody may want to end who does not run it | A long-running step that another thread can cancel.
            Does something while no import begins or ends. | Runs {@code work} under the catalog lock.
            Finished ones are kept, the latest of them, as many as there is room for. | Keeps the 10,000 most recently finished jobs.
            the service answers with the same page for ever; tell its keeper | the service returned the same page token twice; report this to its operator
            wants a token, and has not got the one it knows | rejected the request: missing or wrong token
            """)
    void plainSentencePassesAndItsRiddleIsFound(String before, String after) {
        assertTrue(!hits("a.java", "/** " + before + " */").isEmpty(), before);
        assertEquals(List.of(), hits("a.java", "/** " + after + " */"));
        assertEquals(List.of(), hits("a.java", "String message = \"" + after + "\";"));
    }

    @Test
    void optionTextStartsWithWhatItSets() {
        String before =
                "With `--store`, `--block-cache SIZE` says how much memory its blocks may take that are read again";
        String after = "`--block-cache SIZE` sets the block cache size (default: 1/16 of RAM)";

        assertEquals(1, hits("a.md", before).size());
        assertEquals(List.of(), hits("a.md", after));
    }

    @Test
    void firstSentenceOverTwentyFiveWordsIsFound() {
        String words = "Returns " + "one ".repeat(MOST_WORDS - 2);

        assertEquals(List.of(), hits("a.java", "/** " + words + "word. More follows. */"));
        assertEquals(
                1,
                hits("a.java", "/** " + words + "long word. More follows. */").size());
        assertEquals(List.of(), hits("a.java", "/** " + words + "{@code a b c}.\n * @param one ghostless */"));
    }

    @Test
    void tagsAndListItemsBeginASentence() {
        String clauses = "a row that meets one\n%sthat another, which is gone, wrote";

        for (String begin : List.of("@param row ", "- ", "1. ", "<li>", "\n")) {
            assertEquals(List.of(), hits("a.java", "/** Returns " + clauses.formatted(begin) + " */"), begin);
        }
        assertEquals(
                1,
                hits("a.java", "/** Returns " + clauses.formatted("") + " */").size());
    }

    @Test
    void listOfQuestionsIsPlain() {
        assertEquals(List.of(), hits("a.md", "The message says what is wrong, at which position, and what to do."));
    }

    @Test
    void hitNamesFileAndLine() {
        String source = """
                class A {
                    // A comment that goes on,
                    // for whoever reads it.
                    /**
                     * Returns a thing.
                     *
                     * <p>It may
                     * give
                     * way.
                     */
                    String a = "a text that " + "is long" + b
                            + " and one"
                            + " for nobody";
                    String c = \"""
                        a text block
                        of a keeper
                        \""";
                }
                """;

        List<Integer> lines = hits("A.java", source).stream().map(Hit::line).toList();

        assertEquals(List.of(3, 8, 13, 16), lines);
    }

    @Test
    void textsOfTheConsoleAreProse() {
        String script = """
                // nobody reads
                const pieces = html`<h2 title="a tower of files">Rows that gave way</h2> ${skyline}`;
                say('looks at the input', "x", 'nobody');
                """;

        List<Integer> lines = hits("a.js", script).stream().map(Hit::line).toList();

        assertEquals(List.of(2, 2, 3), lines);
    }

    @Test
    void codeIsNotProse() {
        String source = """
                /** Returns {@code nobody()} of {@link Ghost#settle}. <pre>a tower of pieces</pre> */
                int divided = 'a' + "nobody".length() + keeper; char quote = '"'; int settle = 1; // "
                """;
        String page = """
                Run `sluice settle`, see [words](nobody.md):

                    sluice settle --keeper

                ```
                nobody
                ```
                """;

        assertEquals(List.of(), hits("A.java", source));
        assertEquals(List.of(), hits("a.md", page));
    }

    /** A promise whose test was renamed or removed looks as if a test still checked it. */
    @Test
    void pagesNameTestsThatExist() throws IOException {
        List<Path> files = sourcesAndDocs();
        Set<String> names =
                files.stream().map(file -> file.getFileName().toString()).collect(Collectors.toSet());
        names.add(LanguageTest.class.getSimpleName() + ".java");
        List<String> missing = new ArrayList<>();
        for (Path file : files) {
            // Decisions and the changelog tell of the past.
            if (file.toString().endsWith(".md") && !file.toString().matches(".*(?:decisions|CHANGELOG).*")) {
                TEST.matcher(Files.readString(file))
                        .results()
                        .filter(test -> !names.contains(test.group(1) + ".java"))
                        .forEach(test -> missing.add(ROOT.relativize(file) + ": " + test.group(1)));
            }
        }
        assertEquals(List.of(), missing);
    }

    /** All sources and pages of the project, except this class, which quotes what it bans. */
    private static List<Path> sourcesAndDocs() throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                String name = directory.getFileName().toString();
                boolean project = directory.equals(ROOT)
                        || !(name.startsWith(".") || name.equals("target") || name.equals("vendor"));
                return project ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                String name = file.getFileName().toString();
                boolean console = name.endsWith(".js") && file.toString().contains("console");
                if (name.endsWith(".md")
                        || console
                        || name.equals("openapi.yaml")
                        || (name.endsWith(".java") && !name.equals("LanguageTest.java"))) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        Collections.sort(found);
        return found;
    }

    private static List<Hit> hits(String file, String text) {
        List<Hit> hits = new ArrayList<>();
        if (file.endsWith(".md")) {
            String page = blank(text, FENCED);
            page = blank(page, INDENTED);
            check(file, 1, page, hits);
            return hits;
        }
        if (file.endsWith(".yaml")) {
            check(file, 1, text, hits);
            return hits;
        }
        if (file.endsWith(".js")) {
            String code = blank(text, COMMENT_LINES);
            SHOWN.matcher(code)
                    .results()
                    .forEach(shown -> check(file, 1 + lines(code, 0, shown.start()), shown.group(), hits));
            return hits;
        }
        Matcher tokens = TOKEN.matcher(text);
        int line = 1;
        int end = 0;
        while (tokens.find()) {
            line += lines(text, end, tokens.start());
            end = tokens.start();
            String token = tokens.group();
            if (token.startsWith("/**")) {
                String body = comment(token);
                check(file, line, body, hits);
                checkFirstSentence(file, line, body, hits);
            } else if (token.startsWith("/")) {
                check(file, line, comment(token), hits);
            } else if (token.startsWith("\"") && token.contains(" ")) {
                check(file, line, blank(token, QUOTES).replace("\\n", "  "), hits);
            }
        }
        return hits;
    }

    private static void check(String file, int line, String text, List<Hit> hits) {
        String prose = withoutCode(text);
        for (Rule rule : RULES) {
            Matcher banned = rule.banned().matcher(prose);
            while (banned.find()) {
                String around =
                        prose.substring(Math.max(0, banned.start() - 40), Math.min(prose.length(), banned.end() + 40));
                hits.add(new Hit(file, line + lines(prose, 0, banned.start()), rule.instead(), oneLine(around)));
            }
        }
    }

    private static void checkFirstSentence(String file, int line, String javadoc, List<Hit> hits) {
        String text = withoutCode(javadoc).strip();
        String first = oneLine(END.split(text, 2)[0]);
        int words = first.split(" ").length;
        if (words > MOST_WORDS) {
            hits.add(new Hit(
                    file, line, "split the first sentence: it has " + words + " words, at most " + MOST_WORDS, first));
        }
        if (NO_SUBJECT.matcher(first).find()) {
            hits.add(new Hit(
                    file, line, "say in the first sentence what it is or does, starting with a noun or verb", first));
        }
    }

    /** A comment's text on the same lines. */
    private static String comment(String token) {
        return INDENT.matcher(blank(token, COMMENT_MARKS)).replaceAll("");
    }

    /** Prose with a word in place of each code, link and address. */
    private static String withoutCode(String text) {
        String prose = OPTION.matcher(blank(text, DRAWING)).replaceAll("--option");
        return CODE.matcher(prose).replaceAll(code -> "x" + "\n".repeat(lines(code.group())));
    }

    /** The text without what a pattern finds, on the same lines. */
    private static String blank(String text, Pattern pattern) {
        return pattern.matcher(text).replaceAll(found -> "\n".repeat(lines(found.group())));
    }

    private static int lines(String text) {
        return lines(text, 0, text.length());
    }

    private static int lines(String text, int from, int to) {
        return (int) text.substring(from, to).chars().filter(c -> c == '\n').count();
    }

    private static String oneLine(String text) {
        return text.strip().replaceAll("\\s+", " ");
    }
}
