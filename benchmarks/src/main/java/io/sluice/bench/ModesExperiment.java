package io.sluice.bench;

import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.ImportSettings.Mode;
import io.sluice.model.file.DurableFiles;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.sampler.SampledPlanner;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * The modes against each other: whole imports of TPC-C stock, in order and shuffled, with one and two secondary
 * indexes, from files to a verified and published table. All in one run and one JVM, the modes in turn, the first round
 * thrown away as warm-up; of the others the median by time is printed as a row of a Markdown table.
 *
 * <p>{@code java -Xmx4g -cp "benchmarks/target/classes:benchmarks/target/lib/*" io.sluice.bench.ModesExperiment
 * [WAREHOUSES, default 10] [ROUNDS, default 3] [MEMORY in MiB, default 256]}
 */
public final class ModesExperiment {
    private static final long SEED = 1;
    private static final Mode[] MODES = {Mode.DIRECT, Mode.TWO_PASS, Mode.MERGE};

    private final PrintStream out;
    private final int rounds;
    private final long memoryBytes;

    private ModesExperiment(PrintStream out, int rounds, long memoryBytes) {
        this.out = out;
        this.rounds = rounds;
        this.memoryBytes = memoryBytes;
    }

    /** One import. */
    private record Run(double seconds, double cpuSeconds, long bytesWritten, ImportReport report) {}

    public static void main(String[] args) throws InterruptedException, IOException {
        int warehouses = args.length > 0 ? Integer.parseInt(args[0]) : 10;
        int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 3;
        long memory = (args.length > 2 ? Long.parseLong(args[2]) : 256) << 20;
        ModesExperiment experiment = new ModesExperiment(System.out, rounds, memory);
        experiment.out.println(
                "| input | secondary indexes | mode | seconds | CPU s | GB written | write amplification |"
                        + " tallest | disk at its peak |");
        experiment.out.println("|---|---|---|---|---|---|---|---|---|");
        for (boolean shuffled : new boolean[] {false, true}) {
            StockFile stock = StockFile.make(warehouses, shuffled);
            try {
                for (int secondaries = 1; secondaries <= 2; secondaries++) {
                    experiment.compare(stock, shuffled ? "shuffled" : "in order", secondaries);
                }
            } finally {
                stock.delete();
            }
        }
    }

    private void compare(StockFile stock, String order, int secondaries) throws InterruptedException, IOException {
        TableDef table = table(stock, secondaries);
        List<List<Run>> runs = new ArrayList<>();
        Arrays.stream(MODES).forEach(mode -> runs.add(new ArrayList<>()));
        for (int round = 0; round <= rounds; round++) {
            for (int i = 0; i < MODES.length; i++) {
                Run run = run(stock, table, MODES[i]);
                if (round > 0) {
                    runs.get(i).add(run);
                }
            }
        }
        String digest = String.valueOf(runs.get(0).get(0).report().digest());
        for (List<Run> ofMode : runs) {
            ofMode.sort(Comparator.comparingDouble(Run::seconds));
            Run median = ofMode.get(ofMode.size() / 2);
            if (!digest.equals(median.report().digest())) {
                throw new IllegalStateException("modes made different tables: " + median);
            }
            out.printf(
                    Locale.ROOT,
                    "| %s | %d | %s | %.2f (%.2f to %.2f) | %.1f | %.2f | %.2f | %d | %s |%n",
                    order,
                    secondaries,
                    median.report().outcome().mode(),
                    median.seconds(),
                    ofMode.get(0).seconds(),
                    ofMode.get(ofMode.size() - 1).seconds(),
                    median.cpuSeconds(),
                    median.bytesWritten() / 1e9,
                    median.report().store().writeAmplification(),
                    median.report().store().maxHeight(),
                    median.report().bytes().peakBuffer() == 0
                            ? ""
                            : String.format(
                                    Locale.ROOT,
                                    "%.2f GB",
                                    median.report().bytes().peakBuffer() / 1e9));
        }
    }

    private static TableDef table(StockFile stock, int secondaries) {
        try {
            String ddl = Files.readString(stock.directory().resolve("stock.sql"));
            String more = secondaries == 1
                    ? ddl
                    : ddl.replace(
                            "INDEX stock_item_idx", "INDEX stock_quantity_idx (s_quantity),\n  INDEX stock_item_idx");
            return Ddl.parse(more, "stock.sql").get(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Run run(StockFile stock, TableDef table, Mode mode) throws InterruptedException, IOException {
        Path store = stock.directory().resolve("store");
        long writtenBefore = ProcessIo.bytesWritten();
        long cpuBefore = cpuNanos();
        long begun = System.nanoTime();
        try (StorageNode node = StorageNode.open(store, NodeSettings.defaults())) {
            ImportReport report = new ImportJob(
                            node,
                            table,
                            stock.inputs(),
                            StockFile.settings(node.workDirectory(), memoryBytes, mode),
                            new ImportProgress(),
                            null,
                            new SampledPlanner(table.indexes().size(), SEED))
                    .run();
            double seconds = (System.nanoTime() - begun) / 1e9;
            return new Run(seconds, (cpuNanos() - cpuBefore) / 1e9, ProcessIo.bytesWritten() - writtenBefore, report);
        } finally {
            DurableFiles.deleteTree(store);
        }
    }

    private static long cpuNanos() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean machine
                ? machine.getProcessCpuTime()
                : 0;
    }
}
