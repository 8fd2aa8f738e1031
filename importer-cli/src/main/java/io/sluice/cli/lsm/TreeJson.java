package io.sluice.cli.lsm;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.cli.output.Json;
import io.sluice.engine.lsm.LsmFigures;
import io.sluice.engine.lsm.SstShape;
import io.sluice.engine.lsm.TreeFile;
import java.io.IOException;
import java.util.Locale;

/** A tree as a JSON object. */
final class TreeJson {
    private TreeJson() {}

    static String line(Subject subject, String family, long at) {
        Moment moment = Moment.of(subject.history(), family, at);
        return Json.line(json -> {
            json.writeStartObject();
            json.writeStringField("family", family);
            json.writeStringField("table", subject.tableOf(family));
            json.writeStringField("source", subject.source());
            json.writeNumberField("event", moment.last().seq());
            json.writeStringField("kind", moment.last().event().kind());
            json.writeNumberField("atMillis", moment.last().atMillis());
            json.writeNumberField("firstEvent", moment.firstSeq());
            json.writeNumberField("lastEvent", moment.lastSeq());
            figures(json, moment.last().after());
            json.writeArrayFieldStart("files");
            for (TreeFile file : moment.state().files()) {
                file(json, file);
            }
            json.writeEndArray();
            json.writeArrayFieldStart("notes");
            for (String note : subject.history().notes()) {
                json.writeString(note);
            }
            json.writeEndArray();
            json.writeEndObject();
        });
    }

    private static void figures(JsonGenerator json, LsmFigures now) throws IOException {
        json.writeNumberField("height", now.height());
        json.writeNumberField("fileCount", now.files());
        json.writeNumberField("l0Files", now.l0Files());
        json.writeNumberField("bytes", now.bytes());
        json.writeNumberField("bytesIngested", now.bytesIngested());
        json.writeNumberField("bytesWritten", now.bytesWritten());
        json.writeNumberField("writeAmplification", now.writeAmplification());
    }

    private static void file(JsonGenerator json, TreeFile file) throws IOException {
        SstShape shape = file.shape();
        json.writeStartObject();
        json.writeStringField("name", shape.name());
        json.writeNumberField("level", shape.level());
        json.writeStringField("smallest", shape.smallest());
        json.writeStringField("largest", shape.largest());
        json.writeNumberField("bytes", shape.bytes());
        if (shape.entries() != SstShape.UNKNOWN) {
            json.writeNumberField("entries", shape.entries());
        }
        json.writeStringField("origin", file.origin().name().toLowerCase(Locale.ROOT));
        json.writeNumberField("bornAtEvent", file.bornSeq());
        json.writeEndObject();
    }
}
