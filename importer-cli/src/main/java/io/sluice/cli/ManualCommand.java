package io.sluice.cli;

import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.Reasons;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice manual}: prints manual pages, or writes them all, made from the commands as picocli knows them. */
@Command(
        name = "manual",
        description = "Print the manual page of a command, for man -l -, or write those of all commands.",
        footer = {"", "Read a page with: sluice manual import | man -l -"})
@SuppressWarnings("NullAway.Init") // picocli sets the options
final class ManualCommand implements Callable<Integer> {
    private final Supplier<CommandLine> commands;
    private final Console console;

    @Parameters(arity = "0..2", paramLabel = "COMMAND", description = "Words of the command. Default: sluice itself.")
    List<String> names = List.of();

    @Option(names = "--to", paramLabel = "DIR", description = "Directory to write the pages of all commands to.")
    @Nullable
    Path to;

    /** @param commands all commands */
    ManualCommand(Supplier<CommandLine> commands, Console console) {
        this.commands = commands;
        this.console = console;
    }

    @Override
    public Integer call() {
        if (to != null) {
            writeAll(commands.get(), to);
            return ExitCode.OK;
        }
        CommandLine command = commands.get();
        for (String name : names) {
            command = command.getSubcommands().get(name);
            if (command == null) {
                throw new BadInputException(
                        "no command is called " + String.join(" ", names) + "; 'sluice --help' lists them");
            }
        }
        try (Output out = console.output()) {
            page(command).lines().forEach(out::line);
        }
        return ExitCode.OK;
    }

    private static void writeAll(CommandLine command, Path directory) {
        Path file = directory.resolve(pageName(command.getCommandSpec()) + ".1");
        try {
            Files.createDirectories(directory);
            Files.writeString(file, page(command));
        } catch (IOException e) {
            throw Reasons.ofPlace(file + ": cannot be written: " + Reasons.ofFile(file, e), e);
        }
        command.getSubcommands().values().forEach(each -> writeAll(each, directory));
    }

    private static String pageName(CommandSpec command) {
        return command.qualifiedName("-");
    }

    /** The page in the macros of man(7). */
    private static String page(CommandLine line) {
        CommandSpec command = line.getCommandSpec();
        String[] description = command.usageMessage().description();
        StringBuilder page = new StringBuilder();
        page.append(".TH ").append(escaped(pageName(command).toUpperCase(Locale.ROOT)));
        page.append(" 1 \"\" sluice \"Sluice manual\"\n.SH NAME\n");
        page.append(escaped(pageName(command)))
                .append(" \\- ")
                .append(escaped(CompletionCommand.first(description)))
                .append('\n');
        page.append(".SH SYNOPSIS\n.B ")
                .append(escaped(command.qualifiedName()))
                .append('\n');
        page.append(command.subcommands().isEmpty() ? "[\\fIoptions\\fR]" : "\\fIcommand\\fR");
        for (PositionalParamSpec parameter : command.positionalParameters()) {
            page.append(' ').append(italic(parameter.paramLabel()));
        }
        page.append("\n.SH DESCRIPTION\n");
        paragraphs(page, List.of(description));
        if (!command.subcommands().isEmpty()) {
            page.append(".SH COMMANDS\n");
            command.subcommands()
                    .forEach((name, each) -> item(
                            page,
                            "\\fB" + escaped(pageName(each.getCommandSpec())) + "\\fR(1)",
                            List.of(CompletionCommand.first(
                                    each.getCommandSpec().usageMessage().description()))));
        }
        arguments(page, command);
        List<String> examples = Examples.of(command);
        if (!examples.isEmpty()) {
            page.append(".SH EXAMPLES\n.nf\n");
            examples.forEach(example -> page.append(escaped(example)).append('\n'));
            page.append(".fi\n");
        }
        List<String> notes = new ArrayList<>(List.of(command.usageMessage().footer()));
        notes.removeIf(String::isEmpty);
        if (!notes.isEmpty()) {
            page.append(".SH NOTES\n");
            paragraphs(page, notes);
        }
        if (command.parent() != null) {
            page.append(".SH SEE ALSO\n\\fB")
                    .append(escaped(pageName(command.parent())))
                    .append("\\fR(1)\n");
        }
        return page.toString();
    }

    private static void arguments(StringBuilder page, CommandSpec command) {
        if (!command.positionalParameters().isEmpty()) {
            page.append(".SH ARGUMENTS\n");
            for (PositionalParamSpec parameter : command.positionalParameters()) {
                item(page, italic(parameter.paramLabel()), described(parameter));
            }
        }
        page.append(".SH OPTIONS\n");
        List<OptionSpec> options =
                command.options().stream().filter(option -> !option.hidden()).toList();
        OptionSections.sections(options).forEach((heading, inside) -> {
            if (options.size() > OptionSections.LONGEST_LIST) {
                page.append(".SS ").append(escaped(heading)).append('\n');
            }
            for (OptionSpec option : inside) {
                StringBuilder names = new StringBuilder();
                for (String name : option.names()) {
                    names.append(names.isEmpty() ? "" : ", ")
                            .append("\\fB")
                            .append(escaped(name))
                            .append("\\fR");
                }
                if (option.arity().max() > 0) {
                    names.append(' ').append(italic(option.paramLabel()));
                }
                item(page, names.toString(), described(option));
            }
        });
    }

    /** The description of an option with the values that picocli puts into it. */
    private static List<String> described(ArgSpec argument) {
        String value = String.valueOf(argument.defaultValue());
        return Arrays.stream(argument.description())
                .map(line -> line.replace("${DEFAULT-VALUE}", value))
                .toList();
    }

    private static void item(StringBuilder page, String label, List<String> text) {
        page.append(".TP\n")
                .append(label)
                .append('\n')
                .append(escaped(String.join(" ", text)))
                .append('\n');
    }

    private static void paragraphs(StringBuilder page, List<String> text) {
        for (int i = 0; i < text.size(); i++) {
            page.append(i == 0 ? "" : ".PP\n").append(escaped(text.get(i))).append('\n');
        }
    }

    private static String italic(String text) {
        return "\\fI" + escaped(text) + "\\fR";
    }

    /** A text without meaning for roff: at the start of a line a dot or quote begins a request. */
    private static String escaped(String text) {
        String plain = text.strip()
                .replace("%%", "%")
                .replace("\\", "\\e")
                .replace("-", "\\-")
                .replace("…", "...");
        return plain.startsWith(".") || plain.startsWith("'") ? "\\&" + plain : plain;
    }
}
