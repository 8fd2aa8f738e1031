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
        lines.add(format(
                "imported %,d rows into %s in %s (%s rows/s, %s/s), mode %s",
                report.rowsImported(),
                report.table(),
                Units.seconds(seconds(report, "total")),
                Units.count(report.rowsImported() / seconds),
                Units.bytes(report.bytesRead() / seconds),
                report.mode()));
        if (modeWhy != null) {
            lines.add("  mode      " + report.mode() + ": " + modeWhy);
        }
        if (report.sample() != null) {
            lines.add("  sample    " + report.sample());
        }
        if (report.duplicates() > 0) {
            lines.add(format("  repeated  %,d rows came more than once, the same each time", report.duplicates()));
        }
        if (report.rowsRejected() > 0) {
            lines.add(format("  rejected  %,d of %,d rows", report.rowsRejected(), report.rowsRead())
                    + reasons(report.rejected()));
        }
        if (report.rowsDropped() > 0) {
            lines.add(format("  conflicts %,d rows dropped, because other rows have their keys", report.rowsDropped()));
        }
        if (report.rowsReplaced() > 0) {
            lines.add(format("  replaced  %,d rows of the table", report.rowsReplaced()));
        }
        List<String> indexes = new ArrayList<>();
        report.kvs().forEach((index, count) -> indexes.add(format("%s %,d", index, count)));
        lines.add("  kvs       " + String.join(", ", indexes));
        lines.add(format(
                "  store     %,d SSTs, %,d puts, height %d, %d files in level 0, write amplification %.2f",
                report.ssts(), report.puts(), report.maxHeight(), report.l0Files(), report.writeAmplification()));
        if (report.peakBufferBytes() > 0) {
            lines.add(format(
                    "  shuffle   up to %s on the node's disk, SSTs included",
                    Units.bytes((double) report.peakBufferBytes())));
        }
        List<String> times = new ArrayList<>();
        report.seconds().forEach((part, time) -> {
            if (!part.equals("total")) {
                times.add(part + " " + Units.seconds(time));
            }
        });
        lines.add("  time      " + String.join(", ", times) + "; limited by " + report.limiter());
        report.warnings().forEach(warning -> lines.add("  warning   " + warning));
        lines.add("  digest    " + report.digest() + (report.verified() ? " (verified)" : " (not verified)"));
        return lines;
    }

    private static String reasons(ImportReport.Rejected rejected) {
        List<String> reasons = new ArrayList<>();
        rejected.byReason().forEach((code, count) -> reasons.add(format("%s %,d", code, count)));
        return (reasons.isEmpty() ? "" : ": " + String.join(", ", reasons))
                + (rejected.bundle() == null ? "" : "; they are in " + rejected.bundle());
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
            json.writeStringField("state", report.state());
            json.writeStringField("mode", report.mode());
            if (modeWhy != null) {
                json.writeStringField("modeWhy", modeWhy);
            }
            json.writeNumberField("rowsRead", report.rowsRead());
            json.writeNumberField("rowsImported", report.rowsImported());
            json.writeNumberField("rowsRejected", report.rowsRejected());
            json.writeNumberField("duplicates", report.duplicates());
            json.writeNumberField("conflicts", report.conflicts());
            json.writeObjectFieldStart("kvs");
            for (var index : report.kvs().entrySet()) {
                json.writeNumberField(index.getKey(), index.getValue());
            }
            json.writeEndObject();
            json.writeNumberField("bytesRead", report.bytesRead());
            json.writeObjectFieldStart("seconds");
            for (var part : report.seconds().entrySet()) {
                json.writeNumberField(part.getKey(), part.getValue());
            }
            json.writeEndObject();
            json.writeObjectFieldStart("stages");
            for (var stage : report.stages().entrySet()) {
                json.writeNumberField(stage.getKey(), stage.getValue());
            }
            json.writeEndObject();
            json.writeNumberField("ssts", report.ssts());
            json.writeNumberField("puts", report.puts());
            json.writeNumberField("maxHeight", report.maxHeight());
            json.writeNumberField("l0Files", report.l0Files());
            json.writeNumberField("writeAmplification", millis(report.writeAmplification()));
            json.writeNumberField("spilledBytes", report.spilledBytes());
            json.writeBooleanField("verified", report.verified());
            json.writeStringField("digest", report.digest());
            json.writeStringField("limiter", report.limiter());
            if (report.sample() != null) {
                json.writeStringField("sample", report.sample());
            }
            json.writeNumberField("peakBufferBytes", report.peakBufferBytes());
            json.writeNumberField("rowsDropped", report.rowsDropped());
            json.writeNumberField("rowsReplaced", report.rowsReplaced());
            json.writeObjectFieldStart("rejected");
            json.writeObjectFieldStart("byReason");
            for (var reason : report.rejected().byReason().entrySet()) {
                json.writeNumberField(reason.getKey(), reason.getValue());
            }
            json.writeEndObject();
            if (report.rejected().bundle() != null) {
                json.writeStringField("bundle", report.rejected().bundle());
            }
            json.writeEndObject();
            json.writeArrayFieldStart("warnings");
            for (String warning : report.warnings()) {
                json.writeString(warning);
            }
            json.writeEndArray();
        });
    }

    private static double seconds(ImportReport report, String part) {
        return report.seconds().getOrDefault(part, 0.0);
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
                    "and %,d more rejects; --rejects DIR keeps them all",
                    result.rejects() - result.first().size()));
        }
        double seconds = Math.max(result.seconds(), 1e-3);
        lines.add(format(
                "dry run: %,d rows for %s, %,d rejects%s, in %s (%s rows/s); nothing was imported",
                result.rows(),
                result.sum().table(),
                result.rejects(),
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
            json.writeObjectFieldStart("kvs");
            for (IndexChecksum index : result.sum().indexes()) {
                json.writeNumberField(index.index(), index.sum().count());
            }
            json.writeEndObject();
            json.writeNumberField("bytesRead", result.bytesRead());
            json.writeObjectFieldStart("seconds");
            json.writeNumberField("total", result.seconds());
            json.writeEndObject();
            json.writeStringField("digest", result.sum().digest());
        });
    }
}
