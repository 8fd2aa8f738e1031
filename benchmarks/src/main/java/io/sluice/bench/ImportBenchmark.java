package io.sluice.bench;

import io.sluice.api.node.NodeClient;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.Cluster;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.ImportSettings;
import io.sluice.node.StorageNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Measures a whole import of TPC-C stock, from files to a verified and published table, in a warm JVM. The rows go into
 * an embedded node, or into warm node processes on loopback. The input is 10 warehouses, 306 MB; the unit is
 * milliseconds. {@link ProcessesExperiment} measures whole processes.
 *
 * <p>{@code java -Xmx4g -cp "benchmarks/target/classes:benchmarks/target/lib/*" org.openjdk.jmh.Main ImportBenchmark}
 */
public class ImportBenchmark extends StockImports {
    @Param({"MERGE", "DIRECT"})
    public ImportSettings.Mode mode = ImportSettings.Mode.MERGE;

    /** Number of node processes; 0: an embedded node. */
    @Param({"0", "1", "3"})
    public int nodes;

    private final List<SluiceProcess> processes = new ArrayList<>();
    private @Nullable NodeClient client;

    @Setup
    public void startNodes() throws IOException {
        Map<String, NodeClient> clients = new LinkedHashMap<>();
        for (int i = 0; i < nodes; i++) {
            Path store = stock().directory().resolve("node-" + i);
            SluiceProcess process = SluiceProcess.start(
                    ProcessBuilder.Redirect.INHERIT,
                    List.of("node", "--store", store.toString(), "--listen", "127.0.0.1:0"));
            processes.add(process);
            String address = process.address();
            clients.put(address, new RemoteNode(RemoteSettings.of("http://" + address)));
        }
        client = nodes == 0 ? null : new Cluster(clients, 1);
    }

    @TearDown(Level.Invocation)
    public void drop() {
        if (client != null) {
            client.drop(stock().table().def().name());
        }
    }

    @TearDown
    public void stopNodes() {
        if (client != null) {
            client.close();
        }
        processes.forEach(SluiceProcess::close);
        processes.clear();
    }

    @Benchmark
    public ImportReport importStock() throws InterruptedException, IOException {
        if (client != null) {
            return run(client, Files.createDirectories(stock().directory().resolve("work")));
        }
        try (StorageNode node = openNode()) {
            return run(node, node.workDirectory());
        }
    }

    private ImportReport run(NodeClient node, Path work) throws InterruptedException {
        return new ImportJob(node, stock().table().def(), stock().inputs(), settings(work, mode), new ImportProgress())
                .run();
    }
}
