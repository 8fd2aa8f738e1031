package io.sluice.client.cluster;

import io.sluice.api.node.KvPage;
import io.sluice.model.kv.RowDecoder;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Index;
import io.sluice.model.schema.IndexColumn;
import io.sluice.model.schema.Table;
import io.sluice.model.text.DatumFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Names the KVs in which two replicas of a page differ. Pure. */
final class KvDifferences {
    /** Keys in a message, so that it fits a screen. */
    private static final int NAMED = 5;

    private final Table table;
    private final RowDecoder decoder;
    private final List<String> named = new ArrayList<>();
    private int count;

    private KvDifferences(Table table) {
        this.table = table;
        decoder = new RowDecoder(table);
    }

    /**
     * Describes what a replica has instead of what it should have.
     *
     * @param good the page with its KVs as they should be
     * @param bad the same page of the replica
     */
    static String describe(Table table, KvPage good, KvPage bad) {
        KvDifferences differences = new KvDifferences(table);
        int there = 0;
        for (int i = 0; i < good.keys().size(); i++) {
            byte[] key = good.keys().get(i);
            while (there < bad.keys().size()
                    && Arrays.compareUnsigned(bad.keys().get(there), key) < 0) {
                differences.add(bad.keys().get(there), bad.values().get(there), "is too many");
                there++;
            }
            if (there == bad.keys().size() || !Arrays.equals(bad.keys().get(there), key)) {
                differences.add(key, good.values().get(i), "is missing");
                continue;
            }
            if (!Arrays.equals(bad.values().get(there), good.values().get(i))) {
                differences.add(key, good.values().get(i), "has another value");
            }
            there++;
        }
        for (; there < bad.keys().size(); there++) {
            differences.add(bad.keys().get(there), bad.values().get(there), "is too many");
        }
        String more = differences.count > NAMED ? ", and " + (differences.count - NAMED) + " more" : "";
        return String.join(", ", differences.named) + more;
    }

    private void add(byte[] key, byte @Nullable [] value, String what) {
        count++;
        if (named.size() < NAMED) {
            named.add(name(key, Objects.requireNonNullElse(value, new byte[0])) + " " + what);
        }
    }

    private String name(byte[] key, byte[] value) {
        try {
            for (int ordinal = 0; ordinal < table.indexes().size(); ordinal++) {
                if (decoder.owns(ordinal, key)) {
                    Row row = new Row(table.def().columns().size());
                    int unused = decoder.decodeFamily(ordinal, key, value, row);
                    return named(ordinal, row);
                }
            }
        } catch (RuntimeException e) {
            // Damaged, or of another table: its bytes name it.
            return HexFormat.of().formatHex(key);
        }
        return HexFormat.of().formatHex(key);
    }

    private String named(int ordinal, Row row) {
        Index index = table.indexes().get(ordinal);
        String values = index.def().columns().stream()
                .map(IndexColumn::column)
                .map(column -> DatumFormatter.format(
                        row, column, table.def().columns().get(column).type()))
                .map(text -> text == null ? "NULL" : text)
                .collect(Collectors.joining(", ", "(", ")"));
        return ordinal == 0
                ? "row " + values
                : "entry " + values + " of index " + index.def().name();
    }
}
