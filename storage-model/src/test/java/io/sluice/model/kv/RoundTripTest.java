package io.sluice.model.kv;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.Index;
import io.sluice.model.schema.IndexColumn;
import io.sluice.model.schema.Table;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** Encoded rows decode to the same rows, over random tables and rows. The repetition is the seed. */
final class RoundTripTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());

    private static final int ROWS = 200;

    @RepeatedTest(60)
    void decodesEncodedRows(RepetitionInfo repetition) {
        long seed = SEED + repetition.getCurrentRepetition();
        SplittableRandom random = new SplittableRandom(seed);
        Table table = RandomTables.table(random);
        List<IndexEncoder> encoders = IndexEncoder.ofAll(table);
        RowDecoder decoder = new RowDecoder(table);
        IndexKeys keys = new IndexKeys(table);
        int columns = table.def().columns().size();
        Row row = new Row(columns);
        Row decoded = new Row(columns);
        for (int i = 0; i < ROWS; i++) {
            RandomDatums.fill(table, row, random);
            for (IndexEncoder index : encoders) {
                String what = "seed " + seed + ", row " + i + ", index " + index.ordinal();
                EncodedKv kv = EncodedKv.of(index, row);
                assertTrue(KvCrc.matches(kv.key(), kv.value()), what);
                assertTrue(decoder.owns(index.ordinal(), kv.key()), what);
                assertTrue(keys.span(index.ordinal()).contains(kv.key()), what);
                if (index.ordinal() == 0) {
                    assertArrayEquals(kv.key(), keys.primaryKey(row), what);
                    decoder.decodePrimary(kv.key(), kv.value(), decoded);
                } else {
                    decoder.decodeSecondary(index.ordinal(), kv.key(), kv.value(), decoded);
                }
                checkSame(table, index.ordinal(), row, decoded, what);
            }
        }
    }

    private static void checkSame(Table table, int ordinal, Row row, Row decoded, String what) {
        Set<Integer> held = held(table, ordinal);
        for (int column = 0; column < row.columns(); column++) {
            Column declared = table.def().columns().get(column);
            String where = what + ", column " + declared;
            if (held.contains(column)) {
                SameDatum.check(declared.type().kind(), row, decoded, column, where);
            } else {
                assertTrue(decoded.isNull(column), where);
            }
        }
    }

    /** The columns that a KV of the index holds. */
    private static Set<Integer> held(Table table, int ordinal) {
        Index index = table.indexes().get(ordinal);
        Set<Integer> held = new HashSet<>(index.def().storing());
        for (List<IndexColumn> columns :
                List.of(index.def().columns(), table.primary().def().columns())) {
            columns.forEach(column -> held.add(column.column()));
        }
        for (int column = 0; ordinal == 0 && column < table.def().columns().size(); column++) {
            held.add(column);
        }
        return held;
    }
}
