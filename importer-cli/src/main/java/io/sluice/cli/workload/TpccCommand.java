package io.sluice.cli.workload;

import io.sluice.cli.output.Console;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.Reasons;
import io.sluice.tpcc.Tpcc;
import io.sluice.tpcc.TpccSize;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice workload tpcc TABLE}: writes one table's rows, and its DDL on demand. */
@Command(
        name = "tpcc",
        description = "Write a table of TPC-C as CSV or Avro, and its CREATE TABLE with --schema.",
        footer = {
            "",
            "Tables: stock (17 columns, 100,000 rows a warehouse), item, warehouse, district, customer, history,",
            "new_order, orders, order_line. Rows depend on --seed and their number only."
        })
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public final class TpccCommand implements Callable<Integer> {
    private static final String STANDARD_OUTPUT = "-";

    private final Console console;

    @Parameters(index = "0", paramLabel = "TABLE", description = "Which table to write.")
    String table;

    @Option(names = "--warehouses", paramLabel = "N", defaultValue = "1", description = "Default: ${DEFAULT-VALUE}.")
    int warehouses;

    @Option(
            names = "--scale",
            paramLabel = "F",
            defaultValue = "1",
            description = "Fraction of the rows that TPC-C gives each warehouse. Default: ${DEFAULT-VALUE}.")
    double scale;

    @Option(names = "--shuffle", description = "Write the same rows in a random order.")
    boolean shuffle;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1", description = "Default: ${DEFAULT-VALUE}.")
    long seed;

    @Option(names = "--format", paramLabel = "F", defaultValue = "csv", description = "csv (default) or avro.")
    String format;

    @Option(
            names = "--codec",
            paramLabel = "C",
            defaultValue = "null",
            description = "Of Avro: null (default), deflate, snappy, bzip2, xz or zstandard.")
    String codec;

    @Option(names = "--schema", paramLabel = "FILE", description = "Also write the table's DDL.")
    @Nullable
    Path schema;

    @Option(names = "--workers", paramLabel = "N", description = "Threads. Default: one per core.")
    int workers = Runtime.getRuntime().availableProcessors();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            required = true,
            description = "Where the rows go; - is standard output.")
    String output;

    public TpccCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        Tpcc which = Tpcc.named(table);
        boolean avro = format.equals("avro");
        if (!avro && !format.equals("csv")) {
            throw new BadInputException("--format " + format + ": must be csv or avro");
        }
        if (workers < 1) {
            throw new BadInputException("--workers " + workers + ": must be at least 1");
        }
        TpccSize size = TpccSize.of(warehouses, scale);
        writeSchema(which);
        try (OutputStream out = open()) {
            which.write(size, seed, shuffle, avro ? codec : null, workers, out);
        } catch (IOException e) {
            throw Reasons.ofPlace("cannot write " + output + ": " + e.getMessage(), e);
        }
        return 0;
    }

    private void writeSchema(Tpcc which) {
        if (schema == null) {
            return;
        }
        try {
            Files.writeString(schema, which.ddl());
        } catch (IOException e) {
            throw Reasons.ofPlace("cannot write " + schema + ": " + Reasons.ofFile(schema, e), e);
        }
    }

    private OutputStream open() throws IOException {
        return output.equals(STANDARD_OUTPUT) ? console.out() : new FileOutputStream(output);
    }
}
