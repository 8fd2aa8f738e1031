package io.sluice.importer.job.staged;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.InputFiles;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class StagedBuildTest {
    private static final int THREADS = 4;
    private static final int ROUNDS = 1_000;

    @TempDir
    Path directory;

    /** The lock's file is deleted when a build ends, while others may have opened it. */
    @Test
    void oneBuildAtATimeHoldsADirectory() throws Exception {
        String ddl = "CREATE TABLE t (a INT8 PRIMARY KEY);";
        List<TableDef> tables = Ddl.parse(ddl, "test");
        StagedManifest.Target target = StagedManifest.Target.ofTable(ddl, tables, tables.get(0));
        AtomicInteger holders = new AtomicInteger();
        AtomicInteger opened = new AtomicInteger();
        Path output = directory.resolve("set");
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        List<Future<?>> builders = IntStream.range(0, THREADS)
                .<Future<?>>mapToObj(each -> threads.submit(() -> {
                    for (int i = 0; i < ROUNDS; i++) {
                        try (StagedBuild build = StagedBuild.open(
                                SetPlace.of(output),
                                target,
                                "csv",
                                ConflictPolicy.ERROR,
                                RejectLimit.NONE,
                                List.of())) {
                            assertFalse(build.isComplete());
                            assertEquals(1, holders.incrementAndGet(), "two builds hold the directory");
                            opened.incrementAndGet();
                            holders.decrementAndGet();
                        } catch (BadInputException e) {
                            assertTrue(String.valueOf(e.getMessage()).contains("another process builds"), e.toString());
                        }
                    }
                }))
                .toList();
        try {
            for (Future<?> builder : builders) {
                builder.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertTrue(opened.get() > 0);
        assertFalse(Files.exists(output.resolve("LOCK")), "the lock's file is left");
    }

    /** SSTs that a checkpoint names are not read again; all others are, and lengths are compared in any case. */
    @Test
    void brokenOffVerificationGoesOn() throws Exception {
        StagedSet set = built("set");
        Path checkpoint = directory.resolve("checkpoint");
        List<Path> files = set.manifest().ssts().stream()
                .map(sst -> directory.resolve("set").resolve(sst.file()))
                .toList();
        assertEquals(2, files.size());
        byte[] content = Files.readAllBytes(files.get(1));
        Files.write(files.get(1), changed(content));
        assertEquals(1, set.problems(2, checkpoint).size());
        List<String> lines = Files.readAllLines(checkpoint);
        assertEquals(List.of(String.valueOf(files.get(0).getFileName())), lines.subList(1, lines.size()));
        // Damage that the first run could not see: the second one does not read this file.
        byte[] verified = Files.readAllBytes(files.get(0));
        Files.write(files.get(0), changed(verified));
        assertEquals(1, set.problems(2, checkpoint).size());
        // A line that was not written to its end.
        Files.write(checkpoint, Arrays.copyOf(Files.readAllBytes(checkpoint), (int) Files.size(checkpoint) - 1));
        assertEquals(2, set.problems(2, checkpoint).size());
        Files.write(files.get(0), verified);
        Files.write(files.get(1), Arrays.copyOf(content, content.length - 1));
        assertEquals(1, set.problems(2, checkpoint).size());
        Files.write(files.get(1), content);
        BadInputException refused =
                assertThrows(BadInputException.class, () -> built("other").problems(2, checkpoint));
        assertTrue(String.valueOf(refused.getMessage()).contains("is no checkpoint of this set"));
        assertEquals(List.of(), set.problems(2, checkpoint));
        assertFalse(Files.exists(checkpoint), "all files are whole");
    }

    /** The process was killed while it wrote the first line of the checkpoint. */
    @Test
    void checkpointWithoutItsFirstLineIsANewOne() throws Exception {
        StagedSet set = built("set");
        Path checkpoint = directory.resolve("checkpoint");
        String head = "sluice verify, format 1, set " + set.manifest().id();
        for (int length : new int[] {0, 1, head.length() - 1, head.length()}) {
            Files.writeString(checkpoint, head.substring(0, length));
            assertEquals(List.of(), set.problems(2, checkpoint), length + " bytes of the line");
            assertFalse(Files.exists(checkpoint), "all files are whole");
        }
        Files.writeString(checkpoint, "notes");
        assertThrows(BadInputException.class, () -> set.problems(2, checkpoint));
        assertEquals("notes", Files.readString(checkpoint));
    }

    /** Nothing reads a set with a longer manifest. */
    @Test
    void tooLongManifestIsNotWritten() throws Exception {
        StagedManifest manifest = built("set").manifest();
        int length = ManifestFile.toBytes(manifest).length;
        assertEquals(length, ManifestFile.toBytes(manifest, length).length);
        BadInputException refused =
                assertThrows(BadInputException.class, () -> ManifestFile.toBytes(manifest, length - 1));
        assertTrue(String.valueOf(refused.getMessage()).contains("build several sets"), refused.getMessage());
    }

    /** Sets of earlier builds have no such member. */
    @Test
    void setWithoutANumberOfRejectsIsRead() throws Exception {
        StagedSet set = built("set");
        edit(set, text -> {
            String earlier = text.replace(",\"rejected\":0", "");
            assertFalse(earlier.contains("rejected"), earlier);
            return earlier;
        });
        assertEquals(set.manifest(), StagedSet.open(set.place()).manifest());
    }

    /** Their checksum is right: another program wrote them. */
    @Test
    void manifestsThatNoBuildWritesAreRefusedByTheirName() throws Exception {
        StagedSet set = built("set");
        Path file = directory.resolve("set").resolve(ManifestFile.NAME);
        String whole = Files.readString(file);
        StagedManifest.Sst first = set.manifest().ssts().get(0);
        String again = whole.substring(whole.indexOf("\"ssts\":[") + 8, whole.indexOf("}},{") + 2)
                .replace(first.id(), UUID.randomUUID().toString())
                .replaceFirst("\"count\":.*", "\"count\":0,\"bytes\":0,\"crcSum\":\"0000000000000000\"}}");
        String total = "{\"index\":\"more\",\"count\":0,\"bytes\":0,\"crcSum\":\"0000000000000000\"}";
        List<String[]> edits = List.of(
                new String[] {"\"ssts\":\\[", "\"ssts\":[null,", "is not a manifest"},
                new String[] {"\"samples\":\\[\\]", "\"samples\":[null]", "is not a manifest"},
                new String[] {"\"totals\":\\[", "\"totals\":[null,", "is not a manifest"},
                new String[] {"\"replicas\":0", "\"replicas\":null", "is not a manifest"},
                new String[] {"\"samples\":\\[\\]", "\"samples\":[\"\"]", "is naming samples that are not keys"},
                new String[] {"\\],\"totals\"", "," + again + "],\"totals\"", "is naming SSTs that overlap"},
                new String[] {"\\],\"rejected\"", "," + total + "],\"rejected\"", "is contradicting itself"},
                new String[] {"\"crc32c\":\"..", "\"crc32c\":\"", "crc32c: not eight hexadecimal digits"},
                new String[] {"\"table\":\"t\"", "\"table\":\"u\"", "the schema of the set declares no table u"});
        for (String[] each : edits) {
            Files.writeString(file, whole);
            edit(set, text -> text.replaceFirst(each[0], each[1]));
            BadInputException refused =
                    assertThrows(BadInputException.class, () -> StagedSet.open(set.place()), each[1]);
            assertTrue(
                    String.valueOf(refused.getMessage()).startsWith(file + ": " + each[2]), () -> refused.toString());
        }
    }

    /** Changes the text of a manifest, and its checksum. */
    private static void edit(StagedSet set, UnaryOperator<String> change) throws Exception {
        Path file = Path.of(set.place().toString()).resolve(ManifestFile.NAME);
        String text = Files.readString(file);
        String head = text.substring(0, text.indexOf('\n') + 1);
        String edited = change.apply(text.substring(head.length(), text.length() - 2));
        byte[] sum = MessageDigest.getInstance("SHA-256").digest(edited.getBytes(StandardCharsets.UTF_8));
        Files.writeString(
                file,
                head.replaceFirst("[0-9a-f]{64}", HexFormat.of().formatHex(sum))
                        + edited
                        + text.substring(text.length() - 2));
    }

    private static byte[] changed(byte[] content) {
        byte[] changed = content.clone();
        changed[changed.length / 2] ^= 1;
        return changed;
    }

    /** A set of a table with two indexes. */
    private StagedSet built(String name) throws Exception {
        String ddl = "CREATE TABLE t (a INT8 PRIMARY KEY, b INT8, INDEX (b));";
        List<TableDef> tables = Ddl.parse(ddl, "test");
        Path csv = Files.writeString(directory.resolve(name + ".csv"), "1,2\n3,4\n");
        List<InputFile> inputs = InputFiles.resolve(List.of(csv.toString()));
        try (StagedBuild build = StagedBuild.open(
                SetPlace.of(directory.resolve(name)),
                StagedManifest.Target.ofTable(ddl, tables, tables.get(0)),
                "csv",
                ConflictPolicy.ERROR,
                RejectLimit.NONE,
                inputs)) {
            ImportSettings settings = new ImportSettings(
                    InputFormat.DEFAULT,
                    new ImportSettings.Resources(build.workDirectory(), ImportSettings.MIN_MEMORY_BYTES, 1, 0),
                    ImportSettings.Rejects.NONE,
                    ImportSettings.Mode.MERGE,
                    ImportSettings.Verification.SUMS);
            new ImportJob(build, tables.get(0), inputs, settings, new ImportProgress()).run();
            return build.set();
        }
    }
}
