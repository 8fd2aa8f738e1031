package io.sluice.cli;

import io.sluice.cli.output.Output.BrokenPipeException;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ImportPausedException;
import io.sluice.model.error.SluiceException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Maps failures to messages on standard error and exit codes. */
final class ErrorBoundary implements IExecutionExceptionHandler, IParameterExceptionHandler {
    /** The option of statements; a command that has it takes no other words. */
    private static final String STATEMENTS = "-e";

    @Override
    public int handleExecutionException(Exception e, CommandLine command, ParseResult arguments) {
        return report(e, command, debug(arguments));
    }

    @Override
    public int handleParseException(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        UnmatchedArgumentException unknown = unknown(e, args);
        say(command, unknown == null ? String.valueOf(e.getMessage()) : describe(unknown));
        command.getErr().println("Try '" + command.getCommandSpec().qualifiedName() + " --help' for its options.");
        command.getErr().flush();
        return ExitCode.BAD_INPUT;
    }

    /** The arguments that no option or command takes; null if there are none. */
    private static @Nullable UnmatchedArgumentException unknown(ParameterException e, String... args) {
        if (e instanceof UnmatchedArgumentException unmatched) {
            return unmatched;
        }
        if (!(e instanceof MissingParameterException)) {
            return null;
        }
        // A mistyped option is why a required one is missing.
        Map<String, OptionSpec> known = e.getCommandLine().getCommandSpec().optionsMap();
        return Arrays.stream(args)
                .filter(arg -> arg.startsWith("--") && arg.length() > 2)
                .map(arg -> arg.replaceFirst("=.*", ""))
                .filter(option -> !known.containsKey(option))
                .findFirst()
                .map(option -> new UnmatchedArgumentException(e.getCommandLine(), List.of(option)))
                .orElse(null);
    }

    private static String describe(UnmatchedArgumentException unknown) {
        String word = unknown.getUnmatched().get(0);
        CommandLine command = unknown.getCommandLine();
        String problem;
        Set<String> known;
        if (unknown.isUnknownOption()) {
            problem = "there is no option " + word;
            known = command.getCommandSpec().optionsMap().keySet();
        } else if (!command.getSubcommands().isEmpty()) {
            problem = "there is no command " + word;
            known = command.getSubcommands().keySet();
        } else if (command.getCommandSpec().findOption(STATEMENTS) != null) {
            return "statements follow " + STATEMENTS + ", in quotes: " + STATEMENTS + " 'SELECT * FROM orders'";
        } else {
            return String.valueOf(unknown.getMessage());
        }
        // Letters in another order are the likeliest mistake, which picocli's measure does not see.
        List<String> similar = known.stream()
                .filter(name -> letters(name).equals(letters(word)))
                .toList();
        if (similar.isEmpty()) {
            similar = unknown.getSuggestions();
        }
        return similar.isEmpty() ? problem : problem + "; did you mean " + String.join(" or ", similar) + "?";
    }

    private static String letters(String name) {
        char[] letters = name.toCharArray();
        Arrays.sort(letters);
        return new String(letters);
    }

    /** Reports a failure, including errors that picocli does not handle, such as out of memory. */
    static int report(Throwable e, CommandLine command, boolean debug) {
        if (debug) {
            e.printStackTrace(command.getErr());
        }
        if (e instanceof BrokenPipeException) {
            return ExitCode.READER_GONE;
        }
        if (e instanceof SluiceException known) {
            say(command, String.valueOf(e.getMessage()));
            return exitCode(known);
        }
        if (e instanceof OutOfMemoryError) {
            say(
                    command,
                    "out of memory: " + e.getMessage()
                            + "; give the process a larger heap with SLUICE_JAVA_OPTS=-Xmx… or a smaller --memory");
            return ExitCode.FAILED;
        }
        String detail = e.getMessage() == null
                ? e.getClass().getSimpleName()
                : e.getClass().getSimpleName() + ": " + e.getMessage();
        say(command, "internal error: " + detail + (debug ? "" : "; run with --debug for the stack trace"));
        return ExitCode.FAILED;
    }

    private static int exitCode(SluiceException failure) {
        if (failure instanceof BadInputException) {
            return ExitCode.BAD_INPUT;
        }
        return failure instanceof ImportPausedException ? ExitCode.PAUSED : ExitCode.FAILED;
    }

    private static void say(CommandLine command, String message) {
        command.getErr().println("sluice: " + message);
        command.getErr().flush();
    }

    private static boolean debug(ParseResult arguments) {
        return arguments.hasMatchedOption(Sluice.DEBUG) || (arguments.hasSubcommand() && debug(arguments.subcommand()));
    }
}
