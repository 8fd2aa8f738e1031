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

/** {@code sluice jobs show}: shows one job in detail. */
@Command(name = "show", description = "Show one job: its state with the reason, its progress, and its report.")
@SuppressWarnings("NullAway.Init") // picocli sets the options
final class ShowCommand implements Callable<Integer> {
    private final Console console;
    private final Clock clock;

    @Mixin
    ServiceOptions service;

    @Parameters(paramLabel = "JOB", description = "Id of the job.")
    String id;

    @Option(names = "--json", description = "Print the job as a JSON object, as the service returns it.")
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
