package io.sluice.cli;

import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Parameters;

/** {@code sluice completion}: prints a script with which a shell completes commands and options. */
@Command(
        name = "completion",
        description = "Print a script that completes commands and options in a shell.",
        footer = {"", "bash, zsh: source <(sluice completion bash)", "fish:      sluice completion fish | source"})
@SuppressWarnings("NullAway.Init") // picocli sets what is required
final class CompletionCommand implements Callable<Integer> {
    /** The shells with a script. */
    enum Shell {
        BASH,
        ZSH,
        FISH
    }

    private static final String PROGRAM = "sluice";

    private final Supplier<CommandLine> commands;
    private final Console console;

    @Parameters(paramLabel = "SHELL", description = "One of bash, zsh and fish.")
    Shell shell;

    /** @param commands all commands */
    CompletionCommand(Supplier<CommandLine> commands, Console console) {
        this.commands = commands;
        this.console = console;
    }

    @Override
    public Integer call() {
        try (Output out = console.output()) {
            // The script for bash sets itself up in zsh, too.
            String script = shell == Shell.FISH ? fish(commands.get()) : AutoComplete.bash(PROGRAM, commands.get());
            script.lines().forEach(out::line);
        }
        return ExitCode.OK;
    }

    /** One line for each command, subcommand and option; files complete where an option has a value. */
    private static String fish(CommandLine root) {
        StringBuilder script = new StringBuilder();
        root.getSubcommands().forEach((name, command) -> {
            line(script, "__fish_use_subcommand", "-f -a " + name, summary(command));
            String seen = "__fish_seen_subcommand_from " + name;
            command.getSubcommands().forEach((inner, nested) -> line(script, seen, "-f -a " + inner, summary(nested)));
            command.getSubcommands().values().forEach(nested -> options(script, seen, nested));
            options(script, seen, command);
        });
        return script.toString();
    }

    private static void options(StringBuilder script, String condition, CommandLine command) {
        for (OptionSpec option : command.getCommandSpec().options()) {
            StringBuilder names = new StringBuilder();
            for (String name : option.names()) {
                names.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1));
            }
            if (option.arity().max() > 0) {
                names.append(" -r");
            }
            line(script, condition, names.substring(1), first(option));
        }
    }

    private static void line(StringBuilder script, String condition, String what, String description) {
        script.append("complete -c ")
                .append(PROGRAM)
                .append(" -n '")
                .append(condition)
                .append("' ")
                .append(what)
                .append(" -d '")
                .append(description.replace("\\", "\\\\").replace("'", "\\'"))
                .append("'\n");
    }

    private static String summary(CommandLine command) {
        return first(command.getCommandSpec().usageMessage().description());
    }

    private static String first(ArgSpec option) {
        return first(option.description());
    }

    /** The first sentence of a description. */
    static String first(String... description) {
        String text = description.length == 0 ? "" : description[0];
        int end = text.indexOf(". ");
        return end < 0 ? text : text.substring(0, end + 1);
    }
}
