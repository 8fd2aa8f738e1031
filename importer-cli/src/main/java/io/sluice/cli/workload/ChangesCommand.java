package io.sluice.cli.workload;

import io.sluice.api.error.BadInputException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.cli.output.Console;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code sluice workload changes}: a change log for TPC-C's stock as {@code workload tpcc stock} writes it. Every
 * change fits the rows that the ones before it leave.
 */
@Command(
        name = "changes",
        description = "Write a change log for TPC-C's stock, to be applied by 'sluice apply' once stock is imported.",
        footer = {
            "",
            "Of a hundred changes about 92 are updates, 4 deletes and 4 inserts of what was deleted. 80 of a hundred",
            "are about the hot rows."
        })
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public final class ChangesCommand implements Callable<Integer> {
    private static final int ITEMS = 100_000;
    private static final int PERCENT = 100;
    private static final int HOT_PERCENT = 80;
    private static final int DELETED_PERCENT = 4;
    private static final int DISTRICTS = 10;
    private static final int DISTRICT_LETTERS = 24;
    private static final int DATA_LETTERS = 40;

    private final Console console;
    private final SplitMix64 random = new SplitMix64();
    private final BitSet gone = new BitSet();

    @Option(names = "--warehouses", paramLabel = "N", defaultValue = "1", description = "Default: ${DEFAULT-VALUE}.")
    int warehouses;

    @Option(names = "--changes", paramLabel = "N", defaultValue = "100000", description = "Default: ${DEFAULT-VALUE}.")
    long changes;

    @Option(
            names = "--hot",
            paramLabel = "F",
            defaultValue = "0.2",
            description = "Fraction of the rows that are hot. Default: ${DEFAULT-VALUE}.")
    double hot;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1", description = "Default: ${DEFAULT-VALUE}.")
    long seed;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            required = true,
            description = "Where the log goes.")
    Path output;

    /** The command over the given streams. */
    public ChangesCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        if (warehouses < 1 || warehouses > Integer.MAX_VALUE / ITEMS || changes < 0 || hot <= 0 || hot > 1) {
            throw new BadInputException("--warehouses must be 1 to " + Integer.MAX_VALUE / ITEMS
                    + ", --changes at least 0, --hot above 0 and at most 1");
        }
        try (Writer out = Files.newBufferedWriter(output)) {
            for (long i = 0; i < changes; i++) {
                random.start(seed, i);
                write(out);
            }
        } catch (IOException e) {
            throw new OperationFailedException("cannot write " + output + ": " + e.getMessage(), e);
        }
        console.err().println("wrote " + changes + " changes, seed " + seed);
        return 0;
    }

    private void write(Writer out) throws IOException {
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
