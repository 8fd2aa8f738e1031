package io.sluice.grammar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.sluice.model.kv.IndexEncoder;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Spans of conditions contain exactly the keys of matching rows, for all kinds of indexes. */
class WhereSpansTest {
    private static final List<TableDef> SCHEMA = Ddl.parse("""
            CREATE TABLE p (a INT PRIMARY KEY);
            CREATE TABLE t (a INT, b INT, c INT, k INT,
                PRIMARY KEY (a, b DESC, k),
                INDEX up (c, k), INDEX down (c DESC, k DESC))
                INTERLEAVE IN PARENT p (a);
            """, "test");

    private static final Table TABLE = Table.inNewStore(SCHEMA, SCHEMA.get(1));
    private static final IndexKeys KEYS = new IndexKeys(TABLE);

    private record Values(int a, int b, @Nullable Integer c, int k) {}

    private static List<Values> rows() {
        List<Values> rows = new ArrayList<>();
        int k = 0;
        for (int a : new int[] {-1, 0, 1, 109, 110, 300}) {
            for (int b : new int[] {-300, -1, 0, 5}) {
                for (Integer c : new Integer[] {null, -2, 0, 3, 200}) {
                    rows.add(new Values(a, b, c, k++ % 3));
                }
            }
        }
        return rows;
    }

    private static byte[] key(Values values, int ordinal) {
        Row row = new Row(4);
        row.setLong(0, values.a());
        row.setLong(1, values.b());
        if (values.c() != null) {
            row.setLong(2, values.c());
        }
        row.setLong(3, values.k());
        IndexEncoder encoder = IndexEncoder.ofAll(TABLE).get(ordinal);
        byte[] buffer = new byte[encoder.maxBytes(row)];
        return Arrays.copyOf(buffer, (int) (encoder.encode(row, buffer, 0) >>> 32));
    }

    private static void check(String condition, int ordinal, Predicate<Values> expected) {
        Statement.Select select = (Statement.Select) new SqlParser()
                .parse(SqlScript.split("SELECT * FROM t WHERE " + condition).get(0), name -> SCHEMA.get(1));
        assertEquals(Math.min(ordinal, 1), Math.min(select.where().ordinal(), 1), condition);
        Where where = new Where(ordinal, select.where().ranges());
        List<KeySpan> spans = WhereSpans.of(TABLE, KEYS, where);
        for (Values values : rows()) {
            byte[] key = key(values, ordinal);
            boolean found = spans.stream().anyMatch(span -> span.contains(key));
            assertEquals(expected.test(values), found, condition + " by index " + ordinal + ": " + values);
        }
        for (int i = 1; i < spans.size(); i++) {
            assertEquals(
                    -1,
                    Integer.signum(Arrays.compareUnsigned(
                            spans.get(i - 1).end(), spans.get(i).start())));
        }
    }

    @Test
    void primary() {
        check("a = 109", 0, v -> v.a() == 109);
        check("a > 109", 0, v -> v.a() > 109);
        check("a >= 109", 0, v -> v.a() >= 109);
        check("a < 109", 0, v -> v.a() < 109);
        check("a <= 109", 0, v -> v.a() <= 109);
        check("a > 0 AND a < 110", 0, v -> v.a() > 0 && v.a() < 110);
        check("a > 1 AND a < 1", 0, v -> false);
        check("a IN (1, 110, 1, 7)", 0, v -> v.a() == 1 || v.a() == 110);
        check("a = 1 AND b > -1", 0, v -> v.a() == 1 && v.b() > -1);
        check("a = 1 AND b >= -1", 0, v -> v.a() == 1 && v.b() >= -1);
        check("a = 1 AND b < -1", 0, v -> v.a() == 1 && v.b() < -1);
        check("a = 1 AND b <= -1", 0, v -> v.a() == 1 && v.b() <= -1);
        check("a = 1 AND b BETWEEN -1 AND 0", 0, v -> v.a() == 1 && v.b() >= -1 && v.b() <= 0);
        check(
                "a IN (0, 1) AND b IN (5, 0) AND k > 0",
                0,
                v -> (v.a() == 0 || v.a() == 1) && (v.b() == 5 || v.b() == 0) && v.k() > 0);
    }

    @Test
    void secondaryInBothDirections() {
        for (int ordinal : new int[] {1, 2}) {
            check("c = 3", ordinal, v -> Objects.equals(v.c(), 3));
            check("c IS NULL", ordinal, v -> v.c() == null);
            check("c < 3", ordinal, v -> v.c() != null && v.c() < 3);
            check("c <= 3", ordinal, v -> v.c() != null && v.c() <= 3);
            check("c > -2", ordinal, v -> v.c() != null && v.c() > -2);
            check("c >= -2", ordinal, v -> v.c() != null && v.c() >= -2);
            check("c BETWEEN 0 AND 3", ordinal, v -> v.c() != null && v.c() >= 0 && v.c() <= 3);
            check("c IN (3, 200) AND k >= 1", ordinal, v -> v.c() != null && v.c() >= 3 && v.k() >= 1);
            check("c IS NULL AND k = 2", ordinal, v -> v.c() == null && v.k() == 2);
        }
    }

    @Test
    void pointsAreKeysOfRows() {
        Where whole = new Where(
                0,
                List.of(
                        new Where.Range(List.of("1", "5", "2"), null, null),
                        new Where.Range(List.of("1", "5", "1"), null, null),
                        new Where.Range(List.of("1", "5", "2"), null, null)));
        List<byte[]> points = WhereSpans.points(TABLE, KEYS, whole);
        assertNotNull(points);
        assertEquals(2, points.size());
        assertNull(WhereSpans.points(TABLE, KEYS, new Where(0, List.of(new Where.Range(List.of("1"), null, null)))));
    }
}
