package io.sluice.cli.plan;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.cli.output.Json;
import io.sluice.cli.output.TextTable;
import io.sluice.cli.progress.Units;
import io.sluice.importer.job.Forecast;
import io.sluice.importer.job.Forecast.IndexSize;
import io.sluice.importer.job.Forecast.Outcome;
import io.sluice.importer.job.ImportSettings.Mode;
import io.sluice.sampler.InputLook;
import io.sluice.sampler.ModeChoice;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A plan, as a few lines for people or one JSON object for programs. */
record PlanText(String table, InputLook look, Forecast forecast, ModeChoice choice, int nodes) {
    /** The lines for people. */
    List<String> text() {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "%s: %s%,d rows, %s of KVs, from %s of input",
                table,
                look.whole() ? "" : "about ",
                look.rows(),
                Units.bytes((double) forecast.bytes()),
                Units.bytes((double) look.seen().totalBytes())));
        lines.add(String.format(
                Locale.ROOT,
                "  sample    %s, %,d rows%s",
                Units.bytes((double) look.seen().bytes()),
                look.seen().rows(),
                look.seen().rejects() == 0
                        ? ""
                        : String.format(
                                Locale.ROOT,
                                ", %,d bad rows among them",
                                look.seen().rejects())));
        lines.add("  mode      " + choice.mode().label() + ": " + choice.why());
        lines.add("  split     "
                + (nodes == 1
                        ? "none, one node holds everything"
                        : (nodes - 1) + " keys per index, " + Units.bytes((double) forecast.bytes() / nodes)
                                + " for each of " + nodes + " nodes"));
        lines.add("");
        TextTable indexes = new TextTable("index", "KVs", "bytes", "order");
        for (IndexSize index : look.indexes()) {
            indexes.row(
                    index.index(),
                    String.format(Locale.ROOT, "%,d", index.kvs()),
                    Units.bytes((double) index.bytes()),
                    order(index));
        }
        lines.addAll(indexes.lines());
        lines.add("");
        TextTable modes = new TextTable("mode", "SSTs", "small (Puts)", "tallest", "local disk", "node disk");
        for (Mode mode : Mode.values()) {
            Outcome outcome = forecast.of(mode);
            modes.row(
                    mode.label(),
                    String.format(Locale.ROOT, "%,d", outcome.ssts()),
                    String.format(Locale.ROOT, "%,d", outcome.smallSsts()),
                    String.format(Locale.ROOT, "%,d", outcome.height()),
                    Units.bytes((double) outcome.localBytes()),
                    Units.bytes((double) outcome.nodeBytes()));
        }
        lines.addAll(modes.lines());
        return lines;
    }

    private static String order(IndexSize index) {
        return index.ordered() ? "in order" : String.format(Locale.ROOT, "%.0f%% overlap", 100 * index.overlap());
    }

    /** The JSON object, on one line. */
    String json() {
        return Json.line(json -> {
            json.writeStartObject();
            json.writeStringField("table", table);
            json.writeNumberField("rows", look.rows());
            json.writeNumberField("bytes", forecast.bytes());
            json.writeNumberField("inputBytes", look.seen().totalBytes());
            json.writeObjectFieldStart("sample");
            json.writeNumberField("bytes", look.seen().bytes());
            json.writeNumberField("rows", look.seen().rows());
            json.writeNumberField("rejects", look.seen().rejects());
            json.writeBooleanField("whole", look.whole());
            json.writeEndObject();
            json.writeStringField("mode", choice.mode().label());
            json.writeStringField("modeWhy", choice.why());
            json.writeNumberField("nodes", nodes);
            json.writeNumberField("splitKeys", nodes - 1);
            json.writeNumberField("bytesPerNode", forecast.bytes() / nodes);
            json.writeArrayFieldStart("indexes");
            for (IndexSize index : look.indexes()) {
                writeIndex(json, index);
            }
            json.writeEndArray();
            json.writeObjectFieldStart("modes");
            for (Mode mode : Mode.values()) {
                json.writeFieldName(mode.label());
                writeOutcome(json, forecast.of(mode));
            }
            json.writeEndObject();
            json.writeEndObject();
        });
    }

    private static void writeIndex(JsonGenerator json, IndexSize index) throws IOException {
        json.writeStartObject();
        json.writeStringField("index", index.index());
        json.writeNumberField("kvs", index.kvs());
        json.writeNumberField("bytes", index.bytes());
        json.writeBooleanField("ordered", index.ordered());
        json.writeNumberField("overlap", Math.round(index.overlap() * 1000) / 1000.0);
        json.writeEndObject();
    }

    private static void writeOutcome(JsonGenerator json, Outcome outcome) throws IOException {
        json.writeStartObject();
        json.writeNumberField("ssts", outcome.ssts());
        json.writeNumberField("smallSsts", outcome.smallSsts());
        json.writeNumberField("height", outcome.height());
        json.writeNumberField("localBytes", outcome.localBytes());
        json.writeNumberField("nodeBytes", outcome.nodeBytes());
        json.writeEndObject();
    }
}
