package io.sluice.bench;

import io.sluice.api.node.NodeClient;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.InputFiles;
import io.sluice.model.file.DurableFiles;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Whole imports of TPC-C stock, 10 warehouses or 306 MB, each into a store of its own. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 2)
@Measurement(iterations = 5)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH calls setUp first
public abstract class StockImports {
    private static final int WAREHOUSES = 10;
    private static final long MEMORY_BYTES = 1L << 30;

    @Param({"false", "true"})
    public boolean shuffled;

    private StockFile stock;
    private Path store;

    /** Makes the import to be measured. */
    interface Maker {
        ImportJob make(NodeClient node, List<InputFile> inputs, ImportSettings settings, ImportProgress progress);
    }

    @Setup
    public void setUp() {
        stock = StockFile.make(WAREHOUSES, shuffled);
    }

    @Setup(Level.Invocation)
    public void newStore() {
        store = stock.directory().resolve("store");
    }

    @TearDown(Level.Invocation)
    public void deleteStore() throws IOException {
        DurableFiles.deleteTree(store);
    }

    @TearDown
    public void tearDown() {
        stock.delete();
    }

    StockFile stock() {
        return stock;
    }

    /** Imports into an embedded node. */
    ImportReport run(ImportSettings.Mode mode, Maker maker) throws InterruptedException {
        try (StorageNode node = StorageNode.open(store, NodeSettings.defaults())) {
            return run(node, node.workDirectory(), mode, maker);
        }
    }

    ImportReport run(NodeClient node, Path workDirectory, ImportSettings.Mode mode, Maker maker)
            throws InterruptedException {
        ImportSettings settings = new ImportSettings(
                InputFormat.DEFAULT,
                new ImportSettings.Resources(
                        workDirectory, MEMORY_BYTES, Runtime.getRuntime().availableProcessors(), 0),
                ImportSettings.Rejects.NONE,
                mode,
                ImportSettings.Verification.SUMS);
        List<InputFile> inputs = InputFiles.resolve(List.of(stock.csv().toString()));
        return maker.make(node, inputs, settings, new ImportProgress()).run();
    }
}
