package io.sluice.cli.imports;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.TableDigest;
import io.sluice.cli.output.Json;
import io.sluice.cli.progress.Units;
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
                        "  set       %s, %,d rows in %,d SSTs, %s",
                        manifest.id(),
                        digest(manifest).rows(),
                        manifest.ssts().size(),
                        Units.bytes((double) bytes(manifest))),
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
            json.writeNumberField("bytes", bytes(manifest));
            json.writeObjectFieldStart("kvs");
            for (IndexChecksum index : manifest.sums()) {
                json.writeNumberField(index.index(), index.sum().count());
            }
            json.writeEndObject();
            json.writeStringField("digest", digest(manifest).digest());
            more.writeTo(json);
        });
    }

    private static TableDigest digest(StagedManifest manifest) {
        return new TableDigest(manifest.target().table(), manifest.sums());
    }

    private static long bytes(StagedManifest manifest) {
        return manifest.ssts().stream().mapToLong(StagedManifest.Sst::bytes).sum();
    }
}
