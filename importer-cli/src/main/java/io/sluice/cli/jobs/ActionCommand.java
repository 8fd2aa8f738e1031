package io.sluice.cli.jobs;

import io.sluice.cli.ExitCode;
import io.sluice.cli.jobs.client.JobView;
import io.sluice.cli.jobs.client.JobWatch;
import io.sluice.cli.jobs.client.ServiceClient;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.service.job.JobState;
import io.sluice.service.job.JobState.Action;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice jobs pause}, {@code resume} and {@code cancel}: change the state of a job. */
@Command
@SuppressWarnings("NullAway.Init") // picocli sets the options
final class ActionCommand implements Callable<Integer> {
    private final Action action;
    private final Console console;

    @Mixin
    ServiceOptions service;

    @Parameters(paramLabel = "JOB", description = "Id of the job.")
    String id;

    @Option(names = "--wait", description = "Wait until the job has that state; exit code 1 if it ended in another.")
    boolean wait;

    @Option(names = "--json", description = "Print the job as a JSON object.")
    boolean json;

    private ActionCommand(Action action, Console console) {
        this.action = action;
        this.console = console;
    }

    static CommandLine of(Action action, Console console) {
        CommandLine command = new CommandLine(new ActionCommand(action, console));
        command.getCommandSpec()
                .name(action.label())
                .usageMessage()
                .description(
                        switch (action) {
                            case PAUSE -> "Pause a job; its work is kept, and it can be resumed.";
                            case RESUME -> "Put a paused job back in the queue.";
                            case CANCEL -> "Cancel a job and undo its work.";
                        });
        return command;
    }

    @Override
    public Integer call() {
        ServiceClient client = service.client();
        JobView job = client.act(id, action);
        if (wait) {
            job = new JobWatch(client, job, this::isOver).follow();
        }
        try (Output out = console.output()) {
            String message = job.message();
            out.line(
                    json
                            ? job.json().toString()
                            : "job " + job.id() + " is " + job.state().label()
                                    + (message == null || !isOver(job) ? "" : ": " + message));
        }
        return wait && !isReached(job.state()) ? ExitCode.FAILED : ExitCode.OK;
    }

    /** Whether no more is to be waited for; a resumed job may be paused again, when a node does not answer. */
    private boolean isOver(JobView job) {
        return job.rests() || isReached(job.state());
    }

    /** Whether a job has reached the action's state. A resumed job may have succeeded before this client polls it. */
    private boolean isReached(JobState state) {
        return switch (action) {
            case PAUSE -> state == JobState.PAUSED;
            case RESUME ->
                state == JobState.RUNNING || state == JobState.SUCCEEDED || state == JobState.SUCCEEDED_WITH_REJECTS;
            case CANCEL -> state == JobState.CANCELLED;
        };
    }
}
