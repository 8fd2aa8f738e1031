package io.sluice.cli.imports;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.cli.ExitCode;
import io.sluice.cli.jobs.client.JobView;
import io.sluice.cli.jobs.client.JobWatch;
import io.sluice.cli.jobs.client.ServiceClient;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.cli.plan.PlanText;
import io.sluice.cli.progress.ProgressLine.Style;
import io.sluice.importer.job.ImportReport;
import io.sluice.model.error.SluiceException;
import io.sluice.model.schema.Ddl;
import io.sluice.service.job.JobState.Action;
import java.util.Objects;
import java.util.function.Predicate;

/** Submits an import to a service, watches it, and reports it as if it ran in this process. */
final class ServerImport {
    private final ImportOptions options;
    private final Console console;
    private final ImportRun run;
    private final ServiceClient client;

    ServerImport(ImportOptions options, Console console) {
        this.options = options;
        this.console = console;
        run = new ImportRun(console, options.run);
        client = new ServiceClient(options.target.remote.service(Objects.requireNonNull(options.server.server)));
    }

    /**
     * Runs the import and returns the exit code.
     *
     * @param given whether an option was given
     */
    int run(Predicate<String> given) {
        ObjectNode spec = ServerSpec.of(options, given);
        if (options.dryRun) {
            JsonNode plan = client.plan(spec);
            run.print(plan::toString, () -> PlanText.lines(plan));
            return ExitCode.OK;
        }
        JobView job = client.create(spec);
        // The file may be a pipe, which can be read once.
        String name = String.valueOf(options.schema);
        String text = spec.path("schema").asText();
        DeclaredTables schema = new DeclaredTables(name, text, Ddl.read(text, name));
        schema.remarks(Ddl.select(schema.tables(), options.table, name), run::tell);
        if (options.server.detach) {
            return detach(job);
        }
        run.tell("job " + job.id() + " is in the queue of " + client.address());
        Style style = Style.of(options.run.quiet, options.run.json, console.errIsTerminal());
        JobView last = JobWatch.inForeground(client, job, JobView::rests, console, style, () -> interrupted(job.id()));
        ImportReport report = last.report();
        if (report != null) {
            run.print(() -> ReportPrinter.json(report, last.modeWhy()), () -> JobEnding.report(last));
        }
        return JobEnding.of(last, client, console);
    }

    /** Prints the job id, for scripts. */
    private int detach(JobView job) {
        try (Output out = console.output()) {
            out.line(options.run.json ? job.json().toString() : job.id());
        }
        run.tell(JobEnding.detached(client, job.id()));
        return ExitCode.OK;
    }

    /** Handles Ctrl-C, while the process terminates. */
    private void interrupted(String id) {
        if (options.server.onInterrupt != ServerOptions.OnInterrupt.CANCEL) {
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
