package io.sluice.bench;

import io.sluice.cli.Sluice;
import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.CsvFormat;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.InputFiles;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import io.sluice.model.file.DurableFiles;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.Table;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * TPC-C stock as CSV and its schema, in a temporary directory.
 *
 * @param directory holds both
 * @param csv the rows
 * @param table the table, bound to id 61
 */
record StockFile(Path directory, Path csv, Table table) {
    static final int ROWS_PER_WAREHOUSE = 100_000;

    static final int SPLIT_BYTES = 8 << 20;

    private static final int TABLE_ID = 61;

    static StockFile make(int warehouses, boolean shuffled) {
        try {
            Path directory = Files.createTempDirectory("sluice-bench");
            Path csv = directory.resolve("stock.csv");
            Path schema = directory.resolve("stock.sql");
            String order = shuffled ? "--shuffle" : "--seed=1";
            int exit = Sluice.run(
                    "workload",
                    "tpcc",
                    "stock",
                    "--warehouses",
                    String.valueOf(warehouses),
                    order,
                    "--schema",
                    schema.toString(),
                    "-o",
                    csv.toString());
            if (exit != 0) {
                throw new IllegalStateException("the workload could not be written, exit code " + exit);
            }
            Table table = Table.bind(
                    Ddl.parse(Files.readString(schema), schema.toString()).get(0), TABLE_ID, name -> null);
            return new StockFile(directory, csv, table);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    CsvFormat format() {
        return new CsvFormat(table.def(), CsvDialect.DEFAULT, null, ImportSettings.MAX_RECORD_BYTES);
    }

    /** Cuts the file; the caller closes the source. */
    SplitSource source() {
        SplitSource.Settings settings =
                new SplitSource.Settings(SPLIT_BYTES, ImportSettings.MAX_RECORD_BYTES, 0, false);
        return new SplitSource(inputs(), CsvDialect.DEFAULT.framing(), settings);
    }

    List<InputFile> inputs() {
        return InputFiles.resolve(List.of(csv.toString()));
    }

    /** Settings of an import of CSV with all cores, which compares checksums. */
    static ImportSettings settings(Path workDirectory, long memoryBytes, ImportSettings.Mode mode) {
        return new ImportSettings(
                InputFormat.DEFAULT,
                new ImportSettings.Resources(
                        workDirectory, memoryBytes, Runtime.getRuntime().availableProcessors(), 0),
                ImportSettings.Rejects.NONE,
                mode,
                ImportSettings.Verification.SUMS);
    }

    /** The whole file in memory. */
    List<Split> splits() {
        List<Split> splits = new ArrayList<>();
        try (SplitSource source = source()) {
            Split split = new Split(SPLIT_BYTES);
            while (source.next(split)) {
                splits.add(split);
                split = new Split(SPLIT_BYTES);
            }
        }
        return splits;
    }

    void delete() {
        try {
            DurableFiles.deleteTree(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
