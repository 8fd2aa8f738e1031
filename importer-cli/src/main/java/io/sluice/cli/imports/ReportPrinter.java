package io.sluice.cli.imports;

import io.sluice.api.node.IndexChecksum;
import io.sluice.cli.ExitCode;
import io.sluice.cli.output.Json;
import io.sluice.cli.progress.Units;
import io.sluice.importer.job.DryRun;
import io.sluice.importer.job.ImportReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Formats the report of an import as text or as a JSON object. */
public final class ReportPrinter {
    private ReportPrinter() {}

    /** The lines for people. */
    public static List<String> text(ImportReport report) {
        return text(report, null);
    }

    /**
     * The lines for people.
     *
     * @param modeWhy why the import took its mode, or null
     */
    public static List<String> text(ImportReport report, @Nullable String modeWhy) {
        List<String> lines = new ArrayList<>();
        double seconds = Math.max(seconds(report, "total"), 1e-3);
        long before = report.bytes().readBefore();
        String bytes = Units.bytes((report.bytes().read() - before) / seconds) + "/s";
        // The time is that of the last run, so that rows of earlier ones are in no rate.
        lines.add(format(
                "imported %s into %s in %s (%s), mode %s",
                Units.number(report.rows().imported(), "row"),
                report.table(),
                Units.seconds(seconds(report, "total")),
                before > 0
                        ? bytes + " after " + Units.bytes((double) before) + " of an earlier run"
                        : Units.count(report.rows().imported() / seconds) + " rows/s, " + bytes,
                report.outcome().mode()));
        if (modeWhy != null) {
            lines.add("  mode      " + report.outcome().mode() + ": " + modeWhy);
        }
        if (report.outcome().sample() != null) {
            lines.add("  sample    " + report.outcome().sample());
        }
        if (report.rows().duplicates() > 0) {
            lines.add(format(
                    "  repeated  %s came more than once, the same each time",
                    Units.number(report.rows().duplicates(), "row")));
        }
        if (report.rows().rejected() > 0) {
            lines.add(format(
                            "  rejected  %,d of %s",
                            report.rows().rejected(), Units.number(report.rows().read(), "row"))
                    + reasons(report.rows().rejects()));
        }
        if (report.rows().dropped() > 0) {
            lines.add(format(
                    "  conflicts %s dropped, because other rows have their keys",
                    Units.number(report.rows().dropped(), "row")));
        }
        if (report.rows().replaced() > 0) {
            lines.add("  replaced  " + Units.number(report.rows().replaced(), "row") + " of the table");
        }
        List<String> indexes = new ArrayList<>();
        report.kvs().forEach((index, count) -> indexes.add(format("%s %,d", index, count)));
        lines.add("  kvs       " + String.join(", ", indexes));
        lines.add(format(
                "  store     %s, %s, height %d, %s in level 0, write amplification %.2f",
                Units.number(report.store().ssts(), "SST"),
                Units.number(report.store().puts(), "put"),
                report.store().maxHeight(),
                Units.number(report.store().l0Files(), "file"),
                report.store().writeAmplification()));
        if (report.bytes().peakBuffer() > 0) {
            lines.add(format(
                    "  shuffle   up to %s on the node's disk, SSTs included",
                    Units.bytes((double) report.bytes().peakBuffer())));
        }
        List<String> times = new ArrayList<>();
        report.times().seconds().forEach((part, time) -> {
            if (!part.equals("total")) {
                times.add(part + " " + Units.seconds(time));
            }
        });
        lines.add("  time      " + String.join(", ", times) + "; limited by "
                + report.times().limiter());
        report.outcome().warnings().forEach(warning -> lines.add("  warning   " + warning));
        lines.add("  digest    " + report.digest() + " (verified)");
        return lines;
    }

    private static String reasons(ImportReport.Rejects rejects) {
        List<String> reasons = new ArrayList<>();
        rejects.byReason().forEach((code, count) -> reasons.add(format("%s %,d", code, count)));
        return (reasons.isEmpty() ? "" : ": " + String.join(", ", reasons))
                + (rejects.bundle() == null ? "" : "; they are in " + rejects.bundle());
    }

    /** The JSON object, on one line. */
    public static String json(ImportReport report) {
        return json(report, null);
    }

    /**
     * The JSON object, on one line.
     *
     * @param modeWhy why the import took its mode, or null
     */
    public static String json(ImportReport report, @Nullable String modeWhy) {
        return Json.object(json -> {
            json.writeStringField("table", report.table());
            json.writeStringField("state", report.outcome().state());
            json.writeStringField("mode", report.outcome().mode());
            if (modeWhy != null) {
                json.writeStringField("modeWhy", modeWhy);
            }
            json.writeNumberField("rowsRead", report.rows().read());
            json.writeNumberField("rowsImported", report.rows().imported());
            json.writeNumberField("rowsRejected", report.rows().rejected());
            json.writeNumberField("duplicates", report.rows().duplicates());
            json.writeNumberField("conflicts", report.rows().conflicts());
            Json.numbers(json, "kvs", report.kvs());
            json.writeNumberField("bytesRead", report.bytes().read());
            Json.numbers(json, "seconds", report.times().seconds());
            Json.numbers(json, "stages", report.times().stages());
            json.writeNumberField("ssts", report.store().ssts());
            json.writeNumberField("puts", report.store().puts());
            json.writeNumberField("maxHeight", report.store().maxHeight());
            json.writeNumberField("l0Files", report.store().l0Files());
            json.writeNumberField("writeAmplification", millis(report.store().writeAmplification()));
            json.writeNumberField("spilledBytes", report.bytes().spilled());
            json.writeBooleanField("verified", true);
            json.writeStringField("digest", report.digest());
            json.writeStringField("limiter", report.times().limiter());
            if (report.outcome().sample() != null) {
                json.writeStringField("sample", report.outcome().sample());
            }
            json.writeNumberField("peakBufferBytes", report.bytes().peakBuffer());
            json.writeNumberField("bytesReadBefore", report.bytes().readBefore());
            json.writeNumberField("rowsDropped", report.rows().dropped());
            json.writeNumberField("rowsReplaced", report.rows().replaced());
            json.writeObjectFieldStart("rejected");
            Json.numbers(json, "byReason", report.rows().rejects().byReason());
            if (report.rows().rejects().bundle() != null) {
                json.writeStringField("bundle", report.rows().rejects().bundle());
            }
            json.writeEndObject();
            Json.texts(json, "warnings", report.outcome().warnings());
        });
    }

    /** The reports of a run of several tables as one JSON object. */
    static String json(List<ImportReport> reports) {
        return Json.object(json -> {
            json.writeArrayFieldStart("tables");
            for (ImportReport report : reports) {
                json.writeRawValue(json(report));
            }
            json.writeEndArray();
            json.writeNumberField("rowsImported", rows(reports));
        });
    }

    /** The last line after the reports of several tables. */
    static String total(List<ImportReport> reports) {
        return "imported " + Units.number(reports.size(), "table") + " with " + Units.number(rows(reports), "row");
    }

    private static long rows(List<ImportReport> reports) {
        return reports.stream().mapToLong(report -> report.rows().imported()).sum();
    }

    private static double seconds(ImportReport report, String part) {
        return report.times().seconds().getOrDefault(part, 0.0);
    }

    /** Rounds to three decimals, the precision of the measurement. */
    private static double millis(double value) {
        return Math.round(value * 1000) / 1000.0;
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    /** The exit code that the import of a dry run would have. */
    static int exitCode(DryRun.Result result) {
        if (result.tooMany()) {
            return ExitCode.BAD_INPUT;
        }
        return result.rejects() == 0 ? 0 : ExitCode.REJECTS;
    }

    /** Formats the report of a dry run as text: the outcome of an import, as far as it is known without a store. */
    static List<String> text(DryRun.Result result) {
        List<String> lines = new ArrayList<>(result.first());
        if (result.rejects() > result.first().size()) {
            lines.add(format(
                    "and %s; --rejects DIR keeps them all",
                    Units.number(result.rejects() - result.first().size(), "more reject")));
        }
        double seconds = Math.max(result.seconds(), 1e-3);
        lines.add(format(
                "dry run: %s for %s, %s%s, in %s (%s rows/s); nothing was imported",
                Units.number(result.rows(), "row"),
                result.sum().table(),
                Units.number(result.rejects(), "reject"),
                result.tooMany() ? ", more than --max-rejects allows" : "",
                Units.seconds(result.seconds()),
                Units.count(result.rows() / seconds)));
        List<String> indexes = new ArrayList<>();
        for (IndexChecksum index : result.sum().indexes()) {
            indexes.add(format("%s %,d", index.index(), index.sum().count()));
        }
        lines.add("  kvs       " + String.join(", ", indexes));
        lines.add("  digest    " + result.sum().digest() + " in a new store, if no key repeats");
        return lines;
    }

    /** Formats the report of a dry run as a JSON object on one line, with the member names of an import's report. */
    static String json(DryRun.Result result) {
        return Json.object(json -> {
            json.writeStringField("table", result.sum().table());
            json.writeStringField("state", "dry_run");
            json.writeNumberField("rowsRead", result.rows() + result.rejects());
            json.writeNumberField("rowsImported", 0);
            json.writeNumberField("rowsRejected", result.rejects());
            json.writeBooleanField("tooManyRejects", result.tooMany());
            Json.kvs(json, result.sum().indexes());
            json.writeNumberField("bytesRead", result.bytesRead());
            json.writeObjectFieldStart("seconds");
            json.writeNumberField("total", result.seconds());
            json.writeEndObject();
            json.writeStringField("digest", result.sum().digest());
        });
    }
}
