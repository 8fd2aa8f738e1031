package io.sluice.cli.encode;

import io.sluice.cli.output.Json;
import io.sluice.model.kv.IndexEncoder;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Index;
import io.sluice.model.schema.Table;
import java.util.HexFormat;
import java.util.List;

/** Formats rows as lines of JSON with their KVs in hex. Not thread-safe. */
final class KvLines {
    /** Tables have one column family. */
    private static final int FAMILY = 0;

    private final HexFormat hex = HexFormat.of();
    private final List<IndexEncoder> encoders;
    private final List<String> names;
    private byte[] buffer = new byte[4096];

    KvLines(Table table) {
        encoders = IndexEncoder.ofAll(table);
        names = table.indexes().stream().map(Index::def).map(def -> def.name()).toList();
    }

    /** Formats one row. */
    String line(long number, Row row) {
        return Json.object(json -> {
            json.writeNumberField("row", number);
            json.writeArrayFieldStart("kvs");
            for (int i = 0; i < encoders.size(); i++) {
                long lengths = encode(encoders.get(i), row);
                int keyEnd = (int) (lengths >>> Integer.SIZE);
                int valueEnd = keyEnd + (int) lengths;
                json.writeStartObject();
                json.writeStringField("index", names.get(i));
                json.writeNumberField("family", FAMILY);
                json.writeStringField("key", hex.formatHex(buffer, 0, keyEnd));
                json.writeStringField("value", hex.formatHex(buffer, keyEnd, valueEnd));
                json.writeEndObject();
            }
            json.writeEndArray();
        });
    }

    private long encode(IndexEncoder encoder, Row row) {
        int room = encoder.maxBytes(row);
        if (buffer.length < room) {
            buffer = new byte[Math.max(room, 2 * buffer.length)];
        }
        return encoder.encode(row, buffer, 0);
    }
}
