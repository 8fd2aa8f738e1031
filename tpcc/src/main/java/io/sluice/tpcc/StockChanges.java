package io.sluice.tpcc;

import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.io.Writer;
import java.util.BitSet;

/**
 * A change log for TPC-C's stock as {@link Tpcc#STOCK} writes it, one JSON object a line. Every change fits the rows
 * that the changes before it leave.
 */
public final class StockChanges {
    private static final int ITEMS = 100_000;
    private static final int PERCENT = 100;
    private static final int HOT_PERCENT = 80;
    private static final int DELETED_PERCENT = 4;
    private static final int DISTRICTS = 10;
    private static final int DISTRICT_LETTERS = 24;
    private static final int DATA_LETTERS = 40;

    private final SplitMix64 random = new SplitMix64();
    private final BitSet gone = new BitSet();
    private final int warehouses;
    private final double hot;
    private final long seed;

    /**
     * @param warehouses of the imported table
     * @param hot fraction of the rows that take most changes
     * @throws BadInputException when a number is out of range
     */
    public StockChanges(int warehouses, double hot, long seed) {
        if (warehouses < 1 || warehouses > Integer.MAX_VALUE / ITEMS || hot <= 0 || hot > 1) {
            throw new BadInputException(
                    "--warehouses must be 1 to " + Integer.MAX_VALUE / ITEMS + ", --hot above 0 and at most 1");
        }
        this.warehouses = warehouses;
        this.hot = hot;
        this.seed = seed;
    }

    /** Writes change {@code number}. Numbers must ascend by one from 0. */
    public void write(long number, Writer out) throws IOException {
        random.start(seed, number);
        int rows = warehouses * ITEMS;
        int hotRows = Math.max(1, (int) (rows * hot));
        int at = random.below(random.below(PERCENT) < HOT_PERCENT ? hotRows : rows);
        // Hot rows lie among the others: a step that shares no factor with the number of rows visits each once.
        int row = (int) (at * 7_919L % rows);
        String op = gone.get(row) ? "insert" : random.below(PERCENT) < DELETED_PERCENT ? "delete" : "update";
        gone.set(row, op.equals("delete"));
        out.write("{\"table\":\"stock\",\"op\":\"" + op + "\",\"key\":{\"s_w_id\":" + (row / ITEMS + 1) + ",\"s_i_id\":"
                + (row % ITEMS + 1) + "}");
        if (!op.equals("delete")) {
            out.write(",\"row\":{\"s_quantity\":" + random.between(10, 100) + ",\"s_ytd\":" + random.below(1000)
                    + ",\"s_order_cnt\":" + random.below(1000) + ",\"s_remote_cnt\":" + random.below(100));
            if (op.equals("insert")) {
                for (int i = 1; i <= DISTRICTS; i++) {
                    out.write(",\"s_dist_" + i / 10 + i % 10 + "\":\"" + letters(DISTRICT_LETTERS) + "\"");
                }
                out.write(",\"s_data\":\"" + letters(DATA_LETTERS) + "\"");
            }
            out.write("}");
        }
        out.write("}\n");
    }

    private String letters(int count) {
        StringBuilder text = new StringBuilder(count);
        for (int i = 0; i < count; i++) {
            text.append((char) ('a' + random.below(26)));
        }
        return text.toString();
    }
}
