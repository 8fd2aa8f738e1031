package io.sluice.bench;

import io.sluice.importer.job.ImportSettings;
import io.sluice.model.file.DurableFiles;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import java.io.IOException;
import java.nio.file.Path;
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

    StorageNode openNode() {
        return StorageNode.open(store, NodeSettings.defaults());
    }

    static ImportSettings settings(Path workDirectory, ImportSettings.Mode mode) {
        return StockFile.settings(workDirectory, MEMORY_BYTES, mode);
    }
}
