package io.sluice.cli;

import io.sluice.cli.output.Output.BrokenPipeException;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ImportPausedException;
import io.sluice.model.error.SluiceException;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Maps failures to messages on standard error and exit codes. */
final class ErrorBoundary implements IExecutionExceptionHandler, IParameterExceptionHandler {
    @Override
    public int handleExecutionException(Exception e, CommandLine command, ParseResult arguments) {
        return report(e, command, debug(arguments));
    }

    @Override
    public int handleParseException(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        say(command, String.valueOf(e.getMessage()));
        command.getErr().println("Try '" + command.getCommandSpec().qualifiedName() + " --help' for its options.");
        command.getErr().flush();
        return ExitCode.BAD_INPUT;
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
