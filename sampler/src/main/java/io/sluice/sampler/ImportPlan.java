package io.sluice.sampler;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.importer.job.Forecast;
import io.sluice.importer.job.Forecast.IndexSize;
import io.sluice.importer.job.Forecast.Outcome;
import io.sluice.importer.job.ImportSettings.Mode;
import java.io.IOException;

/**
 * What an import would do.
 *
 * @param table name of the table
 * @param look what the input looks like
 * @param forecast what each mode would make of it
 * @param choice the mode it would take
 * @param nodes storage nodes
 */
public record ImportPlan(String table, InputLook look, Forecast forecast, ModeChoice choice, int nodes) {
    /** Writes the plan as one JSON object; docs/plan.md has its members, which stay as they are. */
    public void writeTo(JsonGenerator json) throws IOException {
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
