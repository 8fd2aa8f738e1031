package io.sluice.it.support;

import io.sluice.api.node.NodeClient;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.Cluster;
import io.sluice.client.cluster.ClusterParticipants;
import io.sluice.grammar.SqlScript;
import io.sluice.grammar.StatementResult;
import io.sluice.grammar.StatementText;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.ImportSettings.Mode;
import io.sluice.importer.source.InputFiles;
import io.sluice.model.schema.TableDef;
import io.sluice.node.StorageNode;
import io.sluice.node.http.NodeLimits;
import io.sluice.sampler.SampledPlanner;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSession;
import io.sluice.sql.SqlSettings;
import io.sluice.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Several nodes in this process, each with its own port, tables sharded over them, and an engine for statements. */
public final class DistributedCluster implements AutoCloseable {
    private static final long SAMPLE_SEED = 11;
    /** Delay of the resolver in tests; no transaction takes longer. */
    private static final long ASK_AFTER_MILLIS = 300;

    private final Path directory;
    private final int replicas;
    private final List<ServedNode> nodes = new ArrayList<>();

    private DistributedCluster(Path directory, int count, int replicas) {
        this.directory = directory;
        this.replicas = replicas;
        for (int i = 0; i < count; i++) {
            SqlSettings sql = SqlSettings.defaults().with(new SqlSettings.Branches(1024, ASK_AFTER_MILLIS));
            nodes.add(ServedNode.open(directory.resolve("node" + i), NodeLimits.defaults(), sql));
        }
    }

    /** Starts nodes on new stores below a directory. */
    public static DistributedCluster open(Path directory, int count, int replicas) {
        return new DistributedCluster(directory, count, replicas);
    }

    /** The node itself, behind its server; numbers start at 0. */
    public StorageNode node(int number) {
        return nodes.get(number).node();
    }

    /** {@code HOST:PORT} of a node. */
    public String address(int number) {
        return nodes.get(number).url().substring("http://".length());
    }

    /** Waits until no node's part of a transaction waits for its decision. */
    public void awaitDecided() throws Exception {
        for (ServedNode node : nodes) {
            Await.until(
                    () -> node.engine().participant().inDoubtCount() == 0,
                    () -> "in doubt at " + node.url() + ": "
                            + node.engine().participant().inDoubt());
        }
    }

    private Map<String, RemoteNode> clients() {
        Map<String, RemoteNode> clients = new LinkedHashMap<>();
        for (int i = 0; i < nodes.size(); i++) {
            RemoteSettings settings = RemoteSettings.of(address(i)).withPatience(2_000, 5_000);
            clients.put(settings.name(), new RemoteNode(settings));
        }
        return clients;
    }

    /** The nodes as one client; close it. */
    public NodeClient client() {
        return new Cluster(new LinkedHashMap<>(clients()), replicas);
    }

    /** Imports rows into a new table, as the command line does. */
    public void importRows(TableDef table, List<String> lines) throws Exception {
        Path input = Files.write(directory.resolve(table.name() + ".csv"), lines);
        ImportSettings settings = new ImportSettings(
                InputFormat.DEFAULT,
                new ImportSettings.Resources(
                        Files.createTempDirectory(directory, "work"), 2 * ImportSettings.MIN_MEMORY_BYTES, 2, 0),
                ImportSettings.Rejects.NONE,
                Mode.TWO_PASS,
                ImportSettings.Verification.FULL);
        try (NodeClient client = client()) {
            Object unused = new ImportJob(
                            client,
                            table,
                            InputFiles.resolve(List.of(input.toString())),
                            settings,
                            new ImportProgress(),
                            null,
                            new SampledPlanner(table.indexes().size(), SAMPLE_SEED))
                    .run();
        }
    }

    private ClusterParticipants participants() {
        return new ClusterParticipants(clients());
    }

    /** A coordinator of statements; the caller closes it. */
    public SqlEngine engine() {
        return SqlEngine.onNodes(participants(), SqlSettings.forNodes(), Clock.systemUTC());
    }

    /** Runs statements up to the first that fails; one line per result. */
    public static List<String> run(SqlSession session, String sql) {
        List<StatementText> texts = SqlScript.split(sql, 1, 1);
        return session.execute(texts).stream().map(DistributedCluster::text).toList();
    }

    private static String text(StatementResult result) {
        if (result instanceof StatementResult.Rows rows) {
            return rows.rows().toString();
        }
        if (result instanceof StatementResult.Changed changed) {
            return changed.count() + " changed" + (changed.cascaded().isEmpty() ? "" : " " + changed.cascaded());
        }
        if (result instanceof StatementResult.Done done) {
            return done.what();
        }
        StatementResult.Failed failed = (StatementResult.Failed) result;
        return failed.code().text() + ": " + failed.message();
    }

    @Override
    public void close() {
        nodes.forEach(ServedNode::close);
    }
}
