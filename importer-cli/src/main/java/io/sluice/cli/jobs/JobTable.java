package io.sluice.cli.jobs;

import io.sluice.cli.jobs.client.JobView;
import io.sluice.cli.output.TextTable;
import io.sluice.cli.progress.Units;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** Jobs as a table for people, one a line. */
final class JobTable {
    private static final String NOTHING = "-";

    private JobTable() {}

    /** The lines. */
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

    /** How much of a job is done; a hundred percent only of what is. */
    static String percent(JobView job) {
        return String.format(Locale.ROOT, "%d%%", (int) (100 * job.fraction()));
    }
}
