package io.sluice.tpcc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TpccTest {
    private static final long SEED = 7;
    private static final TpccSize SMALL = TpccSize.of(2, 0.01);

    @ParameterizedTest
    @EnumSource(Tpcc.class)
    void anyNumberOfThreadsWritesTheSameFile(Tpcc which) throws IOException {
        assertArrayEquals(file(which, null, 1), file(which, null, 5));
    }

    @ParameterizedTest
    @EnumSource(Tpcc.class)
    void shufflingKeepsTheRows(Tpcc which) throws IOException {
        TpccTable table = which.table(SMALL, SEED);
        List<String> inOrder = lines(file(which, null, 2));
        List<String> shuffled = lines(file(which, new Permutation(table.rows(), 3), 2));
        assertEquals(table.rows(), inOrder.size());
        assertEquals(sorted(inOrder), sorted(shuffled));
        if (inOrder.size() > 5) {
            assertNotEquals(inOrder, shuffled);
        }
    }

    @ParameterizedTest
    @EnumSource(Tpcc.class)
    void rowsHaveTheColumnsOfTheSchemaAndFitTheirLimit(Tpcc which) throws IOException {
        long columns = which.ddl()
                .lines()
                .filter(line -> line.matches("  [a-z]+_.* (INT4|CHAR|VARCHAR|DECIMAL|TIMESTAMP).*"))
                .count();
        int limit = which.table(SMALL, SEED).maxRowBytes();
        for (String line : lines(file(which, null, 1))) {
            assertEquals(columns, line.split(",", -1).length, line);
            assertTrue(line.length() < limit, line);
        }
    }

    @Test
    void stockIsWhatClause4331Says() throws IOException {
        List<String> lines = lines(file(Tpcc.STOCK, null, 2));
        assertEquals(2 * 1000, lines.size());
        int originals = 0;
        for (int i = 0; i < lines.size(); i++) {
            String[] fields = lines.get(i).split(",", -1);
            assertEquals(i % 1000 + 1, Integer.parseInt(fields[0]));
            assertEquals(i / 1000 + 1, Integer.parseInt(fields[1]));
            int quantity = Integer.parseInt(fields[2]);
            assertTrue(quantity >= 10 && quantity <= 100, fields[2]);
            for (int d = 3; d < 13; d++) {
                assertTrue(fields[d].matches("[0-9A-Za-z]{24}"), fields[d]);
            }
            assertEquals("0,0,0", String.join(",", fields[13], fields[14], fields[15]));
            assertTrue(fields[16].matches("[0-9A-Za-z]{26,50}"), fields[16]);
            originals += fields[16].contains("ORIGINAL") ? 1 : 0;
        }
        // 10% of 2,000 rows, give or take five standard deviations of 13.4.
        assertTrue(originals > 133 && originals < 267, originals + " originals");
    }

    @Test
    void aRowDependsOnItsNumberOnlyAndNotOnTheSize() throws IOException {
        String one = lines(file(Tpcc.STOCK, null, 1)).get(5);
        ByteArrayOutputStream larger = new ByteArrayOutputStream();
        new RowChunks(Tpcc.STOCK.table(TpccSize.of(3, 0.01), SEED), null, Tpcc.STOCK.seed(SEED), 2).writeTo(larger);
        assertEquals(one, lines(larger.toByteArray()).get(5));
    }

    @Test
    void ordersAndTheirLinesAgree() throws IOException {
        List<String> orders = lines(file(Tpcc.ORDERS, null, 1));
        List<String> lines = lines(file(Tpcc.ORDER_LINE, null, 1));
        int next = 0;
        for (String order : orders) {
            String[] fields = order.split(",", -1);
            int count = Integer.parseInt(fields[6]);
            assertTrue(count >= 5 && count <= 15, order);
            boolean delivered = !fields[5].isEmpty();
            for (int number = 1; number <= count; number++) {
                String[] line = lines.get(next++).split(",", -1);
                assertEquals(
                        String.join(",", fields[0], fields[1], fields[2]), String.join(",", line[0], line[1], line[2]));
                assertEquals(String.valueOf(number), line[3]);
                assertEquals(delivered, !line[6].isEmpty());
                assertEquals(delivered, line[8].equals("0.00"));
            }
        }
        assertEquals(lines.size(), next);
    }

    @Test
    void everyCustomerOfADistrictOrdersOnce() throws IOException {
        Set<String> customers = new HashSet<>();
        List<String> orders = lines(file(Tpcc.ORDERS, null, 1));
        for (String order : orders) {
            String[] fields = order.split(",", -1);
            customers.add(String.join(",", fields[1], fields[2], fields[3]));
        }
        assertEquals(orders.size(), customers.size());
    }

    @Test
    void firstRowsOfTheFileStayWhatTheyWere() throws IOException {
        // Files that people keep must agree with files that they make anew: a change here breaks that.
        assertEquals(
                "1,1,97,F3damBeRyeOZ6YZoH8Gb9uFV",
                Stream.of(lines(file(Tpcc.STOCK, null, 1)).get(0).split(","))
                        .limit(4)
                        .collect(Collectors.joining(",")));
    }

    private static byte[] file(Tpcc which, @Nullable Permutation order, int workers) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new RowChunks(which.table(SMALL, SEED), order, which.seed(SEED), workers).writeTo(out);
        return out.toByteArray();
    }

    private static List<String> lines(byte[] file) {
        return new String(file, StandardCharsets.US_ASCII).lines().toList();
    }

    private static List<String> sorted(List<String> lines) {
        return lines.stream().sorted().toList();
    }
}
