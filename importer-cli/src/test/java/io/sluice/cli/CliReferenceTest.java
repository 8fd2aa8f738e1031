package io.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.node.ingest.FaultPoints;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** {@code docs/cli.md} holds the usage of every command, as the program prints it. */
class CliReferenceTest {
    private static final int WIDTH = 100;
    private static final Path FILE = Path.of("..", "docs", "cli.md");

    @Test
    void docsHoldTheUsageOfEveryCommand() throws IOException {
        StringBuilder reference = new StringBuilder("""
                # Commands and options

                The usage of every command, as `./sluice COMMAND --help` prints it. `CliReferenceTest` generates this file.
                """);
        PrintStream nowhere = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
        Console console = new Console(nowhere, nowhere, false);
        LocalNodes nodes = new LocalNodes(console, FaultPoints.none());
        append(Sluice.commands(nodes, console), "", reference);
        assertFalse(
                reference.toString().contains("Other options:"), "a section of OptionSections should have the option");
        if (Boolean.getBoolean("sluice.docs.write")) {
            Files.writeString(FILE, reference);
        }
        assertEquals(
                Files.readString(FILE),
                reference.toString(),
                "docs/cli.md is out of date; write it with -Dtest=CliReferenceTest -Dsluice.docs.write=true");
    }

    private static void append(CommandLine command, String parent, StringBuilder reference) {
        String name = parent + command.getCommandName();
        command.setUsageHelpWidth(WIDTH);
        ensureFormats(command);
        if (command.getSubcommands().isEmpty()) {
            reference
                    .append("\n## ")
                    .append(name)
                    .append("\n\n```\n")
                    .append(command.getUsageMessage(Ansi.OFF).stripTrailing())
                    .append("\n```\n");
        }
        command.getSubcommands().values().stream()
                .distinct()
                .filter(each -> !each.getCommandSpec().usageMessage().hidden())
                .forEach(each -> append(each, name + " ", reference));
    }

    /** picocli formats each text; of one that is no format, it prints a warning and the text with its escapes. */
    private static void ensureFormats(CommandLine command) {
        Stream<String> own = Stream.of(command.getCommandSpec().usageMessage().description());
        Stream<String> options =
                command.getCommandSpec().options().stream().flatMap(option -> Stream.of(option.description()));
        Stream.concat(own, options).forEach(text -> assertDoesNotThrow(() -> String.format(Locale.ROOT, text), text));
    }
}
