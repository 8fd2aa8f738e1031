package io.sluice.cli.imports;

import io.sluice.cli.output.Json;
import io.sluice.cli.progress.Units;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The report of an import, as a few lines for people or one JSON object for programs. */
public final class ReportPrinter {
    private ReportPrinter() {}

    /** The lines for people. */
    public static List<String> text(ImportSummary report) {
        List<String> lines = new ArrayList<>();
        double seconds = Math.max(report.seconds().total(), 1e-3);
        lines.add(format(
                "imported %,d rows into %s in %s (%s rows/s, %s/s), mode %s",
                report.rowsImported(),
                report.table(),
                Units.seconds(report.seconds().total()),
                Units.count(report.rowsImported() / seconds),
                Units.bytes(report.bytesRead() / seconds),
                report.mode()));
        if (report.rowsRejected() > 0) {
            lines.add(format("  rejected  %,d of %,d rows", report.rowsRejected(), report.rowsRead()));
        }
        List<String> indexes = new ArrayList<>();
        report.kvs().forEach((index, count) -> indexes.add(format("%s %,d", index, count)));
        lines.add("  kvs       " + String.join(", ", indexes));
        lines.add(format(
                "  node      %,d SSTs, %,d puts, height %d, %d files in level 0, write amplification %.2f",
                report.ssts(), report.puts(), report.maxHeight(), report.l0Files(), report.writeAmplification()));
        lines.add("  time      import " + Units.seconds(report.seconds().importing()) + ", compact "
                + Units.seconds(report.seconds().compact()) + ", verify "
                + Units.seconds(report.seconds().verify())
                + (report.limiter().isEmpty() ? "" : "; limited by " + report.limiter()));
        lines.add("  digest    " + report.digest() + (report.verified() ? " (verified)" : " (not verified)"));
        return lines;
    }

    /** The JSON object, on one line. */
    public static String json(ImportSummary report) {
        return Json.line(json -> {
            json.writeStartObject();
            json.writeStringField("table", report.table());
            json.writeStringField("state", report.state().name().toLowerCase(Locale.ROOT));
            json.writeStringField("mode", report.mode());
            json.writeNumberField("rowsRead", report.rowsRead());
            json.writeNumberField("rowsImported", report.rowsImported());
            json.writeNumberField("rowsRejected", report.rowsRejected());
            json.writeNumberField("conflicts", report.conflicts());
            json.writeObjectFieldStart("kvs");
            for (var index : report.kvs().entrySet()) {
                json.writeNumberField(index.getKey(), index.getValue());
            }
            json.writeEndObject();
            json.writeNumberField("bytesRead", report.bytesRead());
            json.writeObjectFieldStart("seconds");
            json.writeNumberField("total", millis(report.seconds().total()));
            json.writeNumberField("import", millis(report.seconds().importing()));
            json.writeNumberField("compact", millis(report.seconds().compact()));
            json.writeNumberField("verify", millis(report.seconds().verify()));
            json.writeEndObject();
            json.writeNumberField("ssts", report.ssts());
            json.writeNumberField("puts", report.puts());
            json.writeNumberField("maxHeight", report.maxHeight());
            json.writeNumberField("l0Files", report.l0Files());
            json.writeNumberField("writeAmplification", millis(report.writeAmplification()));
            json.writeBooleanField("verified", report.verified());
            json.writeStringField("digest", report.digest());
            json.writeStringField("limiter", report.limiter());
            json.writeEndObject();
        });
    }

    /** Three decimals are all that was measured. */
    private static double millis(double value) {
        return Math.round(value * 1000) / 1000.0;
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
