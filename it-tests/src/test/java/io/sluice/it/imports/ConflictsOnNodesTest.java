package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.NodeClient;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.Cluster;
import io.sluice.importer.bundle.BundleSettings;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.ImportSettings.Mode;
import io.sluice.importer.source.InputFiles;
import io.sluice.importer.sst.SstFormat;
import io.sluice.it.support.ClosingWith;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.ServedNode;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.TableDef;
import io.sluice.sampler.SampledPlanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows with the same keys on their way to several nodes: policies and reports are those of one node. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class ConflictsOnNodesTest {
    private static final int NODES = 3;
    private static final int ROWS = 3000;
    private static final long SEED = Seeds.of(ConflictsOnNodesTest.class);
    /** In several column families if the seed is even. */
    private static final TableDef THINGS = ConflictModel.table((int) (SEED & 1));

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(Mode.class)
    void policyResolvesConflictsAcrossNodes(Mode mode) throws Exception {
        Path one = Files.write(directory.resolve("one.csv"), rows());
        Path two = Files.write(
                directory.resolve("two.csv"),
                List.of("9000,c17,1,code taken", "40,c9001,1,id taken", "9002,c9002,1,fine"));
        try (NodeClient nodes = nodes()) {
            BadInputException refused =
                    assertThrows(BadInputException.class, () -> run(nodes, mode, ConflictPolicy.ERROR, one, two));
            String message = String.valueOf(refused.getMessage());
            assertTrue(message.contains("index by_code"), message);
            assertTrue(message.contains(one + ", line 18 (byte "), message);
            assertTrue(message.contains(two + ", line 1 (byte 0)"), message);
            assertTrue(message.contains(one + ", line 41 (byte "), message);
            assertTrue(message.contains(two + ", line 2 (byte 22)"), message);

            ImportReport report = run(nodes, mode, ConflictPolicy.CAPTURE, one, two);
            assertEquals(ROWS + 1, report.rows().imported());
            assertEquals(2, report.rows().dropped());
            assertEquals(report.digest(), nodes.digest("things").digest());
            assertEquals(List.of("40", "c40", "1", "note"), nodes.get("things", List.of("40")));
            assertEquals(
                    "9000,c17,1,code taken\n40,c9001,1,id taken\n",
                    Files.readString(directory.resolve("rejects/rejects.csv")));
        }
    }

    private static List<String> rows() {
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            rows.add(i + ",c" + i + ",1,note");
        }
        return rows;
    }

    private NodeClient nodes() {
        Map<String, NodeClient> nodes = new LinkedHashMap<>();
        List<ServedNode> all = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            ServedNode served = ServedNode.open(directory.resolve("node" + i));
            RemoteSettings settings = RemoteSettings.of(served.url());
            nodes.put(settings.name(), new RemoteNode(settings));
            all.add(served);
        }
        return new ClosingWith(new Cluster(nodes, 1), all);
    }

    private ImportReport run(NodeClient node, Mode mode, ConflictPolicy policy, Path... inputs)
            throws IOException, InterruptedException {
        ImportSettings settings = new ImportSettings(
                InputFormat.DEFAULT,
                new ImportSettings.Resources(
                        Files.createTempDirectory(directory, "work"), 2 * ImportSettings.MIN_MEMORY_BYTES, 2, 0),
                new ImportSettings.Rejects(
                        RejectLimit.NONE,
                        policy == ConflictPolicy.CAPTURE
                                ? new BundleSettings(directory.resolve("rejects"), "", "test")
                                : null),
                mode,
                policy,
                false,
                ImportSettings.Verification.FULL,
                SstFormat.Writer.JAVA);
        List<String> names = List.of(inputs).stream().map(Path::toString).toList();
        return new ImportJob(
                        node,
                        THINGS,
                        InputFiles.resolve(names),
                        settings,
                        new ImportProgress(),
                        UUID.randomUUID(),
                        new SampledPlanner(THINGS.indexes().size(), SEED))
                .run();
    }
}
