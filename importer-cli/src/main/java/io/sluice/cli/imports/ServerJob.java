package io.sluice.cli.imports;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.cli.ExitCode;
import io.sluice.cli.jobs.client.JobView;
import io.sluice.cli.jobs.client.JobWatch;
import io.sluice.cli.jobs.client.ServiceClient;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.cli.progress.ProgressLine.Style;
import io.sluice.model.error.SluiceException;
import io.sluice.service.job.JobState.Action;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Submits a job to a service, watches it, and reports it as if it ran in this process.
 *
 * @param json whether reports are JSON objects
 * @param quiet whether to print nothing but errors
 */
record ServerJob(Console console, ServerOptions options, ServiceClient client, boolean json, boolean quiet) {
    /**
     * Runs a job and returns the exit code.
     *
     * @param spec the request
     * @param asJson the report of a job that succeeded, on one line
     * @param asText the same as text
     */
    int run(ObjectNode spec, Function<JobView, String> asJson, Function<JobView, List<String>> asText) {
        return run(spec, asJson, asText, job -> {});
    }

    /**
     * Runs a job as the other method does.
     *
     * @param reported receives a job that has a report, also with {@code --quiet}
     */
    int run(
            ObjectNode spec,
            Function<JobView, String> asJson,
            Function<JobView, List<String>> asText,
            Consumer<JobView> reported) {
        JobView job = client.create(spec);
        if (options.detach) {
            return detach(job);
        }
        tell("job " + job.id() + " is in the queue of " + client.address());
        Style style = Style.of(quiet, json, console.errIsTerminal());
        JobView last = JobWatch.inForeground(client, job, JobView::rests, console, style, () -> interrupted(job.id()));
        if (last.report() != null) {
            reported.accept(last);
        }
        if (last.report() != null && (json || !quiet)) {
            try (Output out = console.output()) {
                (json ? List.of(asJson.apply(last)) : asText.apply(last)).forEach(out::line);
            }
        }
        return JobEnding.of(last, client, console);
    }

    /** Prints the job id, for scripts. */
    private int detach(JobView job) {
        try (Output out = console.output()) {
            out.line(json ? job.json().toString() : job.id());
        }
        tell(JobEnding.detached(client, job.id()));
        return ExitCode.OK;
    }

    private void tell(String sentence) {
        if (!quiet && !json) {
            console.err().println(sentence);
        }
    }

    /** Handles Ctrl-C, while the process terminates. */
    private void interrupted(String id) {
        if (options.onInterrupt != ServerOptions.OnInterrupt.CANCEL) {
            console.err().println(JobEnding.detached(client, id));
            return;
        }
        try {
            JobView job = client.act(id, Action.CANCEL);
            console.err().println("job " + id + " is " + job.state().label());
        } catch (SluiceException e) {
            console.err()
                    .println("sluice: job " + id + " could not be cancelled: " + e.getMessage()
                            + "\ncancel it with: sluice jobs cancel " + id + client.option());
        }
    }
}
