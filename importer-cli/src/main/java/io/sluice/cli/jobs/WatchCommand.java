package io.sluice.cli.jobs;

import io.sluice.cli.imports.JobEnding;
import io.sluice.cli.jobs.client.JobView;
import io.sluice.cli.jobs.client.JobWatch;
import io.sluice.cli.jobs.client.ServiceClient;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.cli.progress.ProgressLine.Style;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice jobs watch}: draws a job's progress until it has ended or is paused. */
@Command(
        name = "watch",
        description = {
            "Watch a job until it has ended or is paused, and print its report.",
            "Ctrl-C stops watching; the job continues."
        },
        footer = {"", "Exit codes: 0 succeeded, 1 failed or cancelled, 3 succeeded with rejects, 4 paused."})
@SuppressWarnings("NullAway.Init") // picocli sets the options
final class WatchCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    ServiceOptions service;

    @Parameters(paramLabel = "JOB", description = "Id of the job.")
    String id;

    @Option(names = "--json", description = "Print the final state of the job as a JSON object.")
    boolean json;

    @Option(names = "--quiet", description = "Print no progress and no report.")
    boolean quiet;

    WatchCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        ServiceClient client = service.client();
        JobView last = JobWatch.inForeground(
                client,
                client.job(id),
                JobView::rests,
                console,
                Style.of(quiet, json, console.errIsTerminal()),
                () -> console.err().println(JobEnding.detached(client, id)));
        try (Output out = console.output()) {
            if (json) {
                out.line(last.json().toString());
            } else if (!quiet) {
                JobEnding.report(last).forEach(out::line);
            }
        }
        return JobEnding.of(last, client, console);
    }
}
