package io.sluice.cli.jobs;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cli.jobs.client.JobView;
import io.sluice.cli.jobs.client.Pages;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.model.error.BadInputException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice jobs list}: lists the newest jobs that match the filters. */
@Command(name = "list", description = "List jobs, the newest first.")
@SuppressWarnings("NullAway.Init") // picocli sets the options
final class ListCommand implements Callable<Integer> {
    /** About what a screen shows. */
    private static final String USUAL_LIMIT = "50";

    private final Console console;
    private final Clock clock;

    @Mixin
    ServiceOptions service;

    @Option(
            names = "--state",
            paramLabel = "S,S",
            description = "List only jobs in one of these states, such as running,paused.")
    @Nullable
    String states;

    @Option(names = "--table", paramLabel = "T", description = "List only jobs of this table.")
    @Nullable
    String table;

    @Option(names = "--label", paramLabel = "K[=V]", description = "List only jobs with this label.")
    @Nullable
    String label;

    @Option(names = "--search", paramLabel = "TEXT", description = "List only jobs whose id or table contains TEXT.")
    @Nullable
    String search;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = USUAL_LIMIT,
            description = "Limit of jobs. Default: ${DEFAULT-VALUE}.")
    long limit;

    @Option(names = "--json", description = "Print one JSON object per job and line.")
    boolean json;

    ListCommand(Console console, Clock clock) {
        this.console = console;
        this.clock = clock;
    }

    @Override
    public Integer call() {
        if (limit < 1) {
            throw new BadInputException("--limit " + limit + ": must be at least 1");
        }
        Pages pages = Pages.ofJobs(service.client());
        with(pages, "state", states == null ? null : states.toLowerCase(Locale.ROOT));
        with(pages, "table", table);
        with(pages, "label", label);
        with(pages, "search", search);
        try (Output out = console.output()) {
            if (json) {
                pages.forEach(limit, job -> out.line(job.toString()));
                return 0;
            }
            List<JobView> jobs = new ArrayList<>();
            boolean all = pages.forEach(limit, (JsonNode job) -> jobs.add(JobView.of(job)));
            JobText.table(jobs, clock.instant()).forEach(out::line);
            if (!all) {
                out.line("and more; --limit N shows more of them");
            }
        }
        return 0;
    }

    private static void with(Pages pages, String parameter, @Nullable String value) {
        if (value != null) {
            pages.with(parameter, value);
        }
    }
}
