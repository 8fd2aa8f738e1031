package io.sluice.cli.jobs;

import io.sluice.cli.jobs.client.JobView;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import java.time.Clock;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice jobs show}: all that matters of one job. */
@Command(name = "show", description = "Show one job: its state, why, how far it is, its report.")
@SuppressWarnings("NullAway.Init") // picocli sets the options
final class ShowCommand implements Callable<Integer> {
    private final Console console;
    private final Clock clock;

    @Mixin
    ServiceOptions service;

    @Parameters(paramLabel = "JOB", description = "Its id.")
    String id;

    @Option(names = "--json", description = "The job as the service has it, as a JSON object.")
    boolean json;

    ShowCommand(Console console, Clock clock) {
        this.console = console;
        this.clock = clock;
    }

    @Override
    public Integer call() {
        JobView job = service.client().job(id);
        try (Output out = console.output()) {
            if (json) {
                out.line(job.json().toString());
            } else {
                JobText.lines(job, clock.instant()).forEach(out::line);
            }
        }
        return 0;
    }
}
