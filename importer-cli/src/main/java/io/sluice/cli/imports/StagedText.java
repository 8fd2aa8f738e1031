package io.sluice.cli.imports;

import io.sluice.api.node.TableDigest;
import io.sluice.cli.output.Json;
import io.sluice.cli.progress.Units;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.staged.StagedIngest;
import io.sluice.importer.job.staged.StagedManifest;
import io.sluice.importer.job.staged.StagedSet;
import java.util.List;
import java.util.Locale;

/** Describes a staged set, as text and as JSON, for the commands that build, verify and ingest one. */
final class StagedText {
    private StagedText() {}

    static List<String> lines(StagedSet set, String state) {
        StagedManifest manifest = set.manifest();
        return List.of(
                String.format(
                        Locale.ROOT,
                        "staged set %s, table %s: %s",
                        set.place(),
                        manifest.target().table(),
                        state),
                String.format(
                        Locale.ROOT,
                        "  set       %s, %s in %s, %s",
                        manifest.id(),
                        Units.number(digest(manifest).rows(), "row"),
                        Units.number(manifest.ssts().size(), "SST"),
                        Units.bytes((double) manifest.bytes())),
                "  digest    " + digest(manifest).digest());
    }

    /** One object on one line; {@code more} writes further members. */
    static String json(StagedSet set, String state, Json.Content more) {
        StagedManifest manifest = set.manifest();
        return Json.object(json -> {
            json.writeStringField("state", state);
            json.writeStringField("set", manifest.id());
            json.writeStringField("table", manifest.target().table());
            json.writeNumberField("rows", digest(manifest).rows());
            json.writeNumberField("ssts", manifest.ssts().size());
            json.writeNumberField("bytes", manifest.bytes());
            Json.kvs(json, manifest.sums());
            json.writeStringField("digest", digest(manifest).digest());
            more.writeTo(json);
        });
    }

    /** The lines about an ingest; the same for one that a service has done. */
    static List<String> ingested(String place, String set, StagedIngest.Result result) {
        ImportReport report = result.report();
        return List.of(
                String.format(
                        Locale.ROOT,
                        "staged set %s, table %s: %s%s",
                        place,
                        report.table(),
                        result.state(),
                        result.rewritten() ? ", rewritten for another table id" : ""),
                String.format(
                        Locale.ROOT,
                        "  set       %s, %s in %s, %s",
                        set,
                        Units.number(report.rows().read(), "row"),
                        Units.number(report.store().ssts(), "SST"),
                        Units.bytes((double) report.bytes().read())),
                "  digest    " + report.digest(),
                String.format(
                        Locale.ROOT,
                        "  table     %s added, %,d replaced",
                        Units.number(report.rows().imported(), "row"),
                        report.rows().replaced()));
    }

    /** An ingest as one object on one line. */
    static String ingestedJson(String set, StagedIngest.Result result) {
        ImportReport report = result.report();
        return Json.object(json -> {
            json.writeStringField("state", result.state().replace(' ', '_'));
            json.writeStringField("set", set);
            json.writeStringField("table", report.table());
            json.writeNumberField("rows", report.rows().read());
            json.writeNumberField("ssts", report.store().ssts());
            json.writeNumberField("bytes", report.bytes().read());
            Json.numbers(json, "kvs", report.kvs());
            json.writeStringField("digest", report.digest());
            json.writeBooleanField("rewritten", result.rewritten());
            json.writeNumberField("rowsAdded", report.rows().imported());
            json.writeNumberField("rowsReplaced", report.rows().replaced());
            Json.texts(json, "warnings", report.outcome().warnings());
        });
    }

    private static TableDigest digest(StagedManifest manifest) {
        return new TableDigest(manifest.target().table(), manifest.sums());
    }
}
