package io.sluice.cli.jobs;

import io.sluice.cli.jobs.client.JobView;
import io.sluice.cli.output.TextTable;
import io.sluice.cli.progress.Units;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** Formats jobs as a text table, one per line. */
final class JobTable {
    private static final String NOTHING = "-";

    private JobTable() {}

    static List<String> lines(List<JobView> jobs, Instant now) {
        if (jobs.isEmpty()) {
            return List.of("no jobs");
        }
        TextTable table = new TextTable("job", "state", "done", "rate", "ETA", "table", "age");
        for (JobView job : jobs) {
            double etaSeconds = job.figure("etaSeconds");
            boolean active = job.state().isActive();
            table.row(
                    job.id(),
                    job.state().label(),
                    percent(job),
                    active ? Units.bytes(Math.max(0, job.figure("bytesPerSecond"))) + "/s" : NOTHING,
                    active && !Double.isNaN(etaSeconds) ? Units.clock(etaSeconds) : NOTHING,
                    job.table(),
                    Age.of(job.text("createdAt", ""), now));
        }
        return table.lines();
    }

    /** Percentage of a job that is done, rounded down, so that 100% means complete. */
    static String percent(JobView job) {
        return String.format(Locale.ROOT, "%d%%", (int) (100 * job.fraction()));
    }
}
