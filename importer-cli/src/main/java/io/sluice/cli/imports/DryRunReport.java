package io.sluice.cli.imports;

import io.sluice.api.node.IndexChecksum;
import io.sluice.cli.ExitCode;
import io.sluice.cli.output.Json;
import io.sluice.cli.progress.Units;
import io.sluice.importer.job.DryRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Prints the report of a dry run: the outcome of an import, as far as it is known without a store. */
final class DryRunReport {
    private DryRunReport() {}

    /** The exit code that the import would have. */
    static int exitCode(DryRun.Result result) {
        if (result.tooMany()) {
            return ExitCode.BAD_INPUT;
        }
        return result.rejects() == 0 ? 0 : ExitCode.REJECTS;
    }

    /** Formats the report as text. */
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

    /** Formats the report as a JSON object on one line, with the member names of an import's report. */
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

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
