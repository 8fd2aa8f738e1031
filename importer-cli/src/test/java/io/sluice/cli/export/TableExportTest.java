package io.sluice.cli.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.NodeClient;
import io.sluice.cli.Sluice;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.importer.source.remote.S3Settings;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.file.DurableFiles;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.node.ingest.FaultPoints;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Exports of one table that run at once. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class TableExportTest {
    @TempDir
    Path directory;

    @BeforeEach
    void importTable() throws IOException {
        Path schema = Files.writeString(directory.resolve("t.sql"), "CREATE TABLE t (a INT8 PRIMARY KEY)");
        Path rows = Files.writeString(directory.resolve("t.csv"), "1\n2\n3\n");
        Console console = new Console(
                new ByteArrayOutputStream(),
                new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
                false);
        int exitCode = Sluice.execute(
                Sluice.commands(new LocalNodes(console, FaultPoints.none()), console),
                "import",
                "--schema",
                schema.toString(),
                "--store",
                directory.resolve("store").toString(),
                rows.toString());
        assertEquals(0, exitCode);
    }

    private StorageNode open() {
        return StorageNode.openExisting(directory.resolve("store"), NodeSettings.defaults());
    }

    private static ExportManifest export(NodeClient node, String to, ExportFormat format) {
        return new TableExport(
                        node,
                        Objects.requireNonNull(node.table("t")).table().def(),
                        ExportTarget.of(to, to.endsWith("/"), true, S3Settings.DEFAULT),
                        format,
                        null)
                .run(1);
    }

    /** The node, which does something before each scan. */
    private static NodeClient before(NodeClient node, Runnable scan) {
        return (NodeClient) Proxy.newProxyInstance(
                NodeClient.class.getClassLoader(), new Class<?>[] {NodeClient.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("scan")) {
                        scan.run();
                    }
                    try {
                        return method.invoke(node, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"out.csv", "out/"})
    void anotherExportToThePlaceIsRefused(String name) throws IOException {
        String to = directory.resolve("to") + "/" + name;
        Files.createDirectory(directory.resolve("to"));
        List<String> refusals = new ArrayList<>();
        try (StorageNode node = open()) {
            NodeClient busy = before(
                    node,
                    () -> refusals.add(assertThrows(BadInputException.class, () -> export(node, to, ExportFormat.JSONL))
                            .getMessage()));
            export(busy, to, ExportFormat.CSV);
            assertEquals(1, refusals.size());
            assertTrue(refusals.get(0).contains("another export writes there"), refusals.get(0));
            Path file = directory.resolve("to").resolve(name.endsWith("/") ? name + "part-00000.csv" : name);
            assertEquals(List.of("a", "1", "2", "3"), Files.readAllLines(file));
            List<Path> left = DurableFiles.list(file.resolveSibling(""));
            assertTrue(left.stream().noneMatch(each -> each.toString().endsWith(".part")), left.toString());
            export(node, to, ExportFormat.CSV);
        }
    }

    /** A nightly export that fails must not take the one of the night before along. */
    @ParameterizedTest
    @ValueSource(strings = {"out.csv", "out/"})
    void earlierExportStaysWhenANewOneFails(String name) throws IOException {
        String to = directory.resolve("to") + "/" + name;
        Files.createDirectory(directory.resolve("to"));
        Path file = directory.resolve("to").resolve(name.endsWith("/") ? name + "part-00000.csv" : name);
        try (StorageNode node = open()) {
            export(node, to, ExportFormat.CSV);
            List<Path> before = DurableFiles.list(file.resolveSibling(""));
            NodeClient failing = before(node, () -> {
                throw new OperationFailedException("the disk has failed");
            });
            assertThrows(OperationFailedException.class, () -> export(failing, to, ExportFormat.CSV));
            assertEquals(Set.copyOf(before), Set.copyOf(DurableFiles.list(file.resolveSibling(""))));
            assertEquals(List.of("a", "1", "2", "3"), Files.readAllLines(file));
        }
    }

    @Test
    void exportOfAnotherFormatReplacesTheEarlierOne() throws IOException {
        Path to = directory.resolve("out");
        try (StorageNode node = open()) {
            export(node, to + "/", ExportFormat.CSV);
            Files.writeString(to.resolve("part-00007.csv"), "of an earlier export");
            Files.writeString(to.resolve("part-00008.csv.part"), "of an interrupted one");
            Files.writeString(to.resolve("notes.txt"), "not of an export");
            export(node, to + "/", ExportFormat.JSONL);
        }
        assertEquals(
                List.of("manifest.json", "notes.txt", "part-00000.jsonl", "schema.sql"),
                DurableFiles.list(to).stream()
                        .map(each -> String.valueOf(each.getFileName()))
                        .sorted()
                        .toList());
    }

    /** The file of a killed export has no lock. */
    @Test
    void exportTakesThePlaceOfAKilledOne() throws IOException {
        Path to = Files.createDirectory(directory.resolve("to"));
        Files.createFile(to.resolve(".export.part"));
        Files.createFile(to.resolve("part-00007.csv.part"));
        try (StorageNode node = open()) {
            export(node, to + "/", ExportFormat.CSV);
        }
        List<String> names = DurableFiles.list(to).stream()
                .map(file -> file.getFileName().toString())
                .sorted()
                .toList();
        assertEquals(List.of("manifest.json", "part-00000.csv", "schema.sql"), names);
    }
}
