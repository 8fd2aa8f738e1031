package io.sluice.cli.jobs;

import io.sluice.cli.output.Console;
import io.sluice.service.job.JobState.Action;
import java.time.Clock;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice jobs}: the group of commands on the jobs of an import service. */
@Command(
        name = "jobs",
        description = "List and control the jobs of an import service.",
        footer = {"", "Described in docs/how-to/jobs.md."})
@SuppressWarnings("NullAway.Init") // picocli sets the spec
public final class JobsCommand implements Runnable {
    @Spec
    CommandSpec spec;

    private JobsCommand() {}

    /**
     * Creates the command with its subcommands.
     *
     * @param clock clock for the age of jobs
     */
    public static CommandLine of(Console console, Clock clock) {
        CommandLine jobs = new CommandLine(new JobsCommand())
                .addSubcommand(new ListCommand(console, clock))
                .addSubcommand(new ShowCommand(console, clock))
                .addSubcommand(new WatchCommand(console));
        for (Action action : Action.values()) {
            jobs.addSubcommand(ActionCommand.of(action, console));
        }
        return jobs.addSubcommand(RecordsCommand.ofRejects(console))
                .addSubcommand(RecordsCommand.ofConflicts(console))
                .addSubcommand(new TreeCommand(console));
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "name a command: " + String.join(", ", spec.subcommands().keySet()));
    }
}
