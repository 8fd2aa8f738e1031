package io.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.node.ingest.FaultPoints;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import picocli.CommandLine;

/** The examples in helps, and the manual pages. */
class ExamplesTest {
    private static final Path PACKAGING = Path.of("..", "packaging");
    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

    private static CommandLine commands() {
        Console console = Console.ofProcess();
        return Sluice.commands(new LocalNodes(console, FaultPoints.none()), console);
    }

    /** The commands that can be run, also those that have others within them, such as {@code transactions}. */
    private static Stream<CommandLine> all(CommandLine command) {
        boolean runs = command.getParent() != null
                && (command.getSubcommands().isEmpty() || command.getCommand() instanceof Callable);
        return Stream.concat(
                runs ? Stream.of(command) : Stream.of(),
                command.getSubcommands().values().stream().flatMap(ExamplesTest::all));
    }

    /** The examples of a command that are not of one within it. */
    private static List<String> own(CommandLine command) {
        return Examples.of(command.getCommandSpec()).stream()
                .filter(line -> command.getSubcommands().values().stream()
                        .noneMatch(
                                inner -> line.startsWith(inner.getCommandSpec().qualifiedName() + " ")))
                .toList();
    }

    @Test
    void everyHelpHasExamplesThatTheCommandTakes() {
        int examples = 0;
        for (CommandLine command : all(commands()).toList()) {
            List<String> lines = own(command);
            assertFalse(lines.isEmpty(), command.getCommandSpec().qualifiedName() + " has no example");
            String help = command.getUsageMessage();
            for (String line : lines) {
                assertTrue(help.contains("\n  " + line + "\n"), help);
                List<String> words = new ArrayList<>();
                for (Matcher word = WORD.matcher(line); word.find(); ) {
                    words.add(word.group(1) == null ? word.group() : word.group(1));
                }
                // A new instance, as the values of options stay.
                commands().parseArgs(words.subList(1, words.size()).toArray(new String[0]));
                examples++;
            }
        }
        assertEquals(Examples.count(), examples, "each example is one of a command");
        for (CommandLine group : commands().getSubcommands().values()) {
            assertTrue(group.getUsageMessage().contains("\nExamples:\n"), group.getUsageMessage());
        }
    }

    /**
     * Files of packages and images name commands and files; the commands take their options, and the files are there.
     */
    @Test
    void commandsOfUnitsAndContainersAreTaken() throws Exception {
        List<List<String>> commands = new ArrayList<>();
        for (String unit : List.of("sluice-node.service", "sluice-serve.service")) {
            String start = Files.readAllLines(PACKAGING.resolve("systemd").resolve(unit)).stream()
                    .filter(line -> line.startsWith("ExecStart="))
                    .findFirst()
                    .orElseThrow();
            commands.add(List.of(start.replaceFirst("^ExecStart=/opt/sluice/bin/sluice ", "")
                    .replace(" $SLUICE_OPTIONS", "")
                    .replace("${SLUICE_LISTEN}", "127.0.0.1:0")
                    .split(" ")));
        }
        String image = Files.readString(PACKAGING.resolve("Dockerfile"));
        commands.add(new ObjectMapper()
                .readerForListOf(String.class)
                .readValue(image.substring(image.indexOf("\nCMD [") + "\nCMD ".length())));
        Path compose = PACKAGING.resolve("compose");
        Map<String, Map<String, Map<String, List<String>>>> file = new Yaml(new SafeConstructor(new LoaderOptions()))
                .load(Files.readString(compose.resolve("compose.yaml")));
        for (Map<String, List<String>> service :
                Objects.requireNonNull(file.get("services")).values()) {
            if ("sluice".equals(((Map<?, ?>) service).get("image")) && !service.containsKey("entrypoint")) {
                commands.add(service.get("command"));
            }
            for (String volume : service.getOrDefault("volumes", List.of())) {
                String place = volume.substring(0, volume.indexOf(':'));
                assertTrue(
                        !place.startsWith(".") || place.equals("./import") || Files.exists(compose.resolve(place)),
                        place);
            }
        }
        assertEquals(7, commands.size(), commands.toString());
        for (List<String> command : commands) {
            commands().parseArgs(command.toArray(new String[0]));
        }
    }

    @Test
    void manualPagesAreThoseOfAllCommands(@TempDir Path directory) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Console console = new Console(out, System.err, false);
        assertEquals(0, Sluice.run(console, FaultPoints.none(), "manual", "--to", directory.toString()));
        List<String> pages;
        try (Stream<Path> files = Files.list(directory)) {
            pages = files.map(Path::toString).sorted().toList();
        }
        assertTrue(pages.size() > all(commands()).count(), pages.toString());
        String page = Files.readString(directory.resolve("sluice-jobs-list.1"));
        assertTrue(page.contains(".SH EXAMPLES") && page.contains("\\fB\\-\\-state\\fR"), page);
        assertEquals(0, Sluice.run(console, FaultPoints.none(), "manual", "jobs", "list"));
        assertEquals(page, out.toString(StandardCharsets.UTF_8));
        assertEquals(2, Sluice.run(console, FaultPoints.none(), "manual", "nothing"));

        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/groff")), "there is no /usr/bin/groff");
        List<String> groff = new ArrayList<>(List.of("/usr/bin/groff", "-man", "-ww", "-Tutf8", "-z"));
        groff.addAll(pages);
        Process process = new ProcessBuilder(groff).redirectErrorStream(true).start();
        String warnings = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(1, TimeUnit.MINUTES));
        assertEquals("", warnings);
        assertEquals(0, process.exitValue());
    }
}
