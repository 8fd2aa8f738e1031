package io.sluice.cli.jobs;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cli.imports.JobEnding;
import io.sluice.cli.jobs.client.JobView;
import io.sluice.cli.output.Printable;
import io.sluice.cli.output.TextTable;
import io.sluice.cli.progress.Units;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats jobs as text: one in detail, or several as a table. */
final class JobText {
    private static final int MOST_INPUTS = 3;
    private static final String NOTHING = "-";

    private JobText() {}

    /** Formats one job. */
    static List<String> lines(JobView job, Instant now) {
        List<String> lines = new ArrayList<>();
        String phase = job.doing();
        lines.add("job " + job.id() + ": " + job.state().label()
                + (phase.equals(job.state().label()) ? "" : ", " + phase));
        String message = job.message();
        if (message != null) {
            add(lines, "why", String.join("\n            ", message.lines().toList()));
        }
        add(lines, "table", job.table());
        add(lines, "inputs", inputs(job.json().path("spec").path("inputs")));
        addLabels(lines, job.json().path("spec").path("labels"));
        add(lines, "created", job.text("createdAt", "") + ", " + age(job.text("createdAt", ""), now) + " ago");
        String mode = job.text("mode", "");
        if (!mode.isEmpty() && job.report() == null) {
            add(lines, "mode", mode + ": " + job.text("modeWhy", ""));
        }
        add(lines, "progress", progress(job));
        add(lines, "shipped", shipped(job));
        if (!job.limiter().isEmpty()) {
            add(lines, "limited", "by " + job.limiter());
        }
        if (!job.actions().isEmpty()) {
            add(lines, "possible", String.join(", ", job.actions()));
        }
        lines.addAll(JobEnding.report(job));
        return lines;
    }

    private static void add(List<String> lines, String name, String value) {
        lines.add(String.format(Locale.ROOT, "  %-9s %s", name, value));
    }

    private static String inputs(JsonNode inputs) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < Math.min(MOST_INPUTS, inputs.size()); i++) {
            names.add(Printable.line(inputs.path(i).asText()));
        }
        int more = inputs.size() - names.size();
        return String.join(", ", names) + (more == 0 ? "" : ", and " + more + " more; --json lists them");
    }

    private static void addLabels(List<String> lines, JsonNode labels) {
        List<String> pairs = new ArrayList<>();
        labels.properties()
                .forEach(label -> pairs.add(
                        Printable.line(label.getKey() + "=" + label.getValue().asText())));
        if (!pairs.isEmpty()) {
            add(lines, "labels", String.join(", ", pairs));
        }
    }

    private static String progress(JobView job) {
        StringBuilder text = new StringBuilder(percent(job)).append(", ").append(Units.bytes((double)
                Math.max(0, job.count("bytesRead"))));
        if (job.count("bytesTotal") >= 0) {
            text.append(" of ").append(Units.bytes((double) job.count("bytesTotal")));
        }
        text.append(", ").append(Units.number(Math.max(0, job.count("rowsRead")), "row"));
        if (job.count("rowsRejected") > 0) {
            text.append(String.format(Locale.ROOT, ", %,d rejected", job.count("rowsRejected")));
        }
        if (job.figure("elapsedSeconds") > 0) {
            text.append(", in ").append(Units.seconds(job.figure("elapsedSeconds")));
        }
        if (job.json().path("attempt").asInt() > 1) {
            text.append(", attempt ").append(job.json().path("attempt").asInt());
        }
        return text.toString();
    }

    private static String shipped(JobView job) {
        return String.format(
                Locale.ROOT,
                "%s, %s built and %,d ingested, %s",
                Units.number(Math.max(0, job.count("kvs")), "KV"),
                Units.number(Math.max(0, job.count("sstsBuilt")), "SST"),
                Math.max(0, job.count("sstsIngested")),
                Units.number(Math.max(0, job.count("puts")), "put"));
    }

    /** Formats jobs as a text table, one per line. */
    static List<String> table(List<JobView> jobs, Instant now) {
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
                    age(job.text("createdAt", ""), now));
        }
        return table.lines();
    }

    /** Percentage of a job that is done, rounded down, so that 100% means complete. */
    static String percent(JobView job) {
        return String.format(Locale.ROOT, "%d%%", (int) (100 * job.fraction()));
    }

    /**
     * Formats the age of a time in its largest unit.
     *
     * @param time time in RFC 3339 format
     * @param now time of this machine, whose clock may be behind the service's
     */
    static String age(String time, Instant now) {
        try {
            Duration age = Duration.between(Instant.parse(time), now);
            if (age.isNegative() || age.toMinutes() < 1) {
                return Math.max(0, age.toSeconds()) + " s";
            }
            if (age.toHours() < 1) {
                return age.toMinutes() + " min";
            }
            return age.toDays() < 2 ? age.toHours() + " h" : age.toDays() + " d";
        } catch (DateTimeParseException e) {
            return "-";
        }
    }
}
