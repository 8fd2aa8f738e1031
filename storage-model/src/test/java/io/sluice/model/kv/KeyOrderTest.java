package io.sluice.model.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.model.row.Row;
import io.sluice.model.schema.IndexColumn;
import io.sluice.model.schema.IndexColumn.Direction;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TypeKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Keys sort as unsigned bytes in the SQL order of their datums, in both directions. */
final class KeyOrderTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final int DATUMS = 400;
    private static final int ROWS = 120;

    /** Length of the largest random datum in a key. */
    private static final int ROOM = 512;

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"JSON", "ARRAY"})
    void datumsSortAsInSql(TypeKind kind) {
        SplittableRandom random = new SplittableRandom(SEED);
        List<Row> rows = new ArrayList<>();
        rows.add(new Row(1)); // NULL
        for (int i = 1; i < DATUMS; i++) {
            Row row = new Row(1);
            RandomDatums.set(kind, row, 0, random);
            rows.add(row);
        }
        for (boolean descending : new boolean[] {false, true}) {
            List<byte[]> keys =
                    rows.stream().map(row -> key(kind, row, descending)).toList();
            for (int i = 0; i < DATUMS; i++) {
                for (int j = 0; j < DATUMS; j++) {
                    int sql = SqlOrder.compare(kind, rows.get(i), rows.get(j), 0);
                    int expected = Integer.signum(descending ? -sql : sql);
                    int actual = Integer.signum(Arrays.compareUnsigned(keys.get(i), keys.get(j)));
                    if (expected != actual) {
                        assertEquals(expected, actual, kind + ", seed " + SEED + ", datums " + i + " and " + j);
                    }
                }
            }
        }
    }

    private static byte[] key(TypeKind kind, Row row, boolean descending) {
        byte[] buffer = new byte[ROOM];
        return Arrays.copyOf(buffer, KeyEncoding.putDatum(Shape.of(kind), descending, row, 0, buffer, 0));
    }

    @RepeatedTest(40)
    void wholeKeysSortAsInSql(RepetitionInfo repetition) {
        long seed = SEED + repetition.getCurrentRepetition();
        SplittableRandom random = new SplittableRandom(seed);
        Table table = RandomTables.table(random);
        IndexKeys keys = new IndexKeys(table);
        List<Row> rows = new ArrayList<>();
        List<byte[]> encoded = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            Row row = new Row(table.def().columns().size());
            RandomDatums.fill(table, row, random);
            rows.add(row);
            encoded.add(keys.primaryKey(row));
        }
        for (int i = 0; i < ROWS; i++) {
            for (int j = 0; j < ROWS; j++) {
                assertEquals(
                        Integer.signum(comparePrimary(table, rows.get(i), rows.get(j))),
                        Integer.signum(Arrays.compareUnsigned(encoded.get(i), encoded.get(j))),
                        "seed " + seed + ", rows " + i + " and " + j);
            }
        }
    }

    private static int comparePrimary(Table table, Row left, Row right) {
        for (IndexColumn column : table.primary().def().columns()) {
            TypeKind kind = table.def().columns().get(column.column()).type().kind();
            int order = SqlOrder.compare(kind, left, right, column.column());
            if (order != 0) {
                return column.direction() == Direction.DESC ? -order : order;
            }
        }
        return 0;
    }
}
