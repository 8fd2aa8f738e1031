package io.sluice.sampler;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.importer.job.Forecast;
import io.sluice.importer.job.Forecast.IndexSize;
import io.sluice.importer.job.Forecast.Outcome;
import io.sluice.importer.job.ImportSettings.Mode;
import java.io.IOException;

/**
 * The plan of an import, without running it.
 *
 * @param table name of the table
 * @param sample estimate of the input from a sample
 * @param forecast estimated cost of each mode
 * @param choice the chosen mode
 * @param nodes number of storage nodes
 */
public record ImportPlan(String table, InputSample sample, Forecast forecast, ModeChoice choice, int nodes) {
    /** Writes the plan as one JSON object; docs/how-to/plan.md documents its members, which are stable. */
    public void writeTo(JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("table", table);
        json.writeNumberField("rows", sample.rows());
        json.writeNumberField("bytes", forecast.bytes());
        json.writeNumberField("inputBytes", sample.seen().totalBytes());
        json.writeObjectFieldStart("sample");
        json.writeNumberField("bytes", sample.seen().bytes());
        json.writeNumberField("rows", sample.seen().rows());
        json.writeNumberField("rejects", sample.seen().rejects());
        json.writeBooleanField("whole", sample.whole());
        json.writeEndObject();
        json.writeStringField("mode", choice.mode().label());
        json.writeStringField("modeWhy", choice.why());
        json.writeNumberField("nodes", nodes);
        json.writeNumberField("splitKeys", nodes - 1);
        json.writeNumberField("bytesPerNode", forecast.bytes() / nodes);
        json.writeArrayFieldStart("indexes");
        for (IndexSize index : sample.indexes()) {
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
