package io.sluice.importer.bundle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.Reject;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.ReadSpan;
import io.sluice.importer.source.ReadSpans;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.schema.Ddl;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a bundle can be created or continued. */
class BundleWriterTest {
    private static final String DDL = "CREATE TABLE t (id INT8 PRIMARY KEY)";
    private static final BundleJob JOB = new BundleJob(UUID.randomUUID(), List.of(), ReadSpans.NONE, 0);

    private static BundleWriter create(Path directory) {
        return create(directory, JOB);
    }

    private static BundleWriter create(Path directory, BundleJob job) {
        BundleSettings settings = new BundleSettings(directory, DDL, "test");
        return BundleWriter.create(settings, "direct", Ddl.parse(DDL, "test").get(0), InputFormat.DEFAULT, job);
    }

    /** A pause interrupts the import's thread, and an interrupted channel closes itself. */
    @Test
    void bundleWhoseCreationWasInterruptedIsCreatedAgain(@TempDir Path directory) {
        Thread.currentThread().interrupt();
        try {
            assertThrows(OperationFailedException.class, () -> create(directory));
        } finally {
            assertTrue(Thread.interrupted());
        }
        create(directory).close();
        assertEquals(Manifest.State.FAILED, Manifest.read(directory).state());
    }

    @Test
    void bundleIsContinuedByItsImportOnly(@TempDir Path directory) throws Exception {
        create(directory).close();
        create(directory).close();
        Files.delete(directory.resolve(Manifest.FILE));
        BadInputException refusal = assertThrows(BadInputException.class, () -> create(directory));
        assertTrue(String.valueOf(refusal.getMessage()).contains("is not empty; name a new directory"));
    }

    @Test
    void recordsOfDirectoriesThatNameValuesStayApart(@TempDir Path above) throws Exception {
        // Data files have names that begin like this.
        Path directory = above.resolve("rejects");
        Path data = directory.resolve("id=7/rejects.csv");
        try (BundleWriter begun = create(directory)) {
            begun.write(input("t/id=7/a.csv"), null, 1, reject("seven", 0));
            begun.write(input("t/id=8/a.csv"), null, 1, reject("eight", 0));
            begun.sync();
            // As a process that dies leaves it.
            Files.writeString(data, "half a rec", StandardOpenOption.APPEND);
        }
        try (BundleWriter continued = create(directory)) {
            continued.write(input("t/other=9/id=7/b.csv"), null, 2, reject("more", 9));
            continued.write(input("t/other=9/b.csv"), null, 3, reject("none", 19));
        }
        assertEquals(List.of("seven", "more"), Files.readAllLines(data));
        assertEquals(List.of("eight"), Files.readAllLines(directory.resolve("id=8/rejects-2.csv")));
        assertEquals(List.of("none"), Files.readAllLines(directory.resolve("rejects-3.csv")));
        create(directory).remove();
        assertFalse(Files.exists(directory.resolve("id=7")));
    }

    /** Both have found it free before either has begun. */
    @Test
    void importsThatChoseTheSameDefaultDirectoryGetOneEach(@TempDir Path above) throws Exception {
        Path chosen = above.resolve("sluice-rejects/t-1");
        try (BundleWriter one = createByDefault(chosen);
                BundleWriter other = createByDefault(chosen)) {
            one.write(input("a.csv"), null, 1, reject("of a", 0));
            other.write(input("b.csv"), null, 1, reject("of b", 0));
            one.sync();
            other.sync();
        }
        assertEquals(List.of("of a"), Files.readAllLines(chosen.resolve("rejects.csv")));
        assertEquals(
                List.of("of b"), Files.readAllLines(chosen.resolveSibling("t-2").resolve("rejects.csv")));
    }

    private static BundleWriter createByDefault(Path directory) {
        BundleSettings settings = new BundleSettings(directory, DDL, "test", BundleSettings.Choice.COMMAND);
        return BundleWriter.create(settings, "merge", Ddl.parse(DDL, "test").get(0), InputFormat.DEFAULT, null);
    }

    /** In one file they would be the rest of the open field, repaired or not. */
    @Test
    void recordsAfterOneWithoutAnEndHaveAFileOfTheirOwn(@TempDir Path directory) throws Exception {
        try (BundleWriter begun = create(directory)) {
            begun.write(input("a.csv"), null, 1, reject("1,\"end of\nfile\"", 0));
            begun.write(input("a.csv"), null, 3, reject("2,\"end of", 20));
            begun.sync();
        }
        try (BundleWriter continued = create(directory)) {
            continued.write(input("b.csv"), null, 1, reject("x3", 30));
            continued.write(input("b.csv"), null, 2, reject("x4", 40));
            continued.write(input("b.csv"), null, 3, reject("5,\"end\nof", 50));
            continued.write(input("c.csv"), null, 1, reject("x6", 60));
            continued.prepare();
            continued.published();
        }
        assertEquals("1,\"end of\nfile\"\n2,\"end of\n", Files.readString(directory.resolve("rejects.csv")));
        assertEquals("x3\nx4\n5,\"end\nof\n", Files.readString(directory.resolve("rejects-2.csv")));
        assertEquals("x6\n", Files.readString(directory.resolve("rejects-3.csv")));
        Bundle bundle = Bundle.open(directory);
        BundleCheck check = BundleCheck.of(bundle, bundle.inputs(), 1 << 20);
        assertEquals(new BundleCheck(6, 6, 6, List.of()), check);
    }

    @Test
    void recordThatBeginsLikeACompressedFileIsText(@TempDir Path directory) throws Exception {
        try (BundleWriter written = create(directory)) {
            written.write(input("a.csv"), null, 1, reject("BZh91AY&SY", 0));
            written.sync();
        }
        Bundle bundle = Bundle.open(directory);
        BundleCheck check = BundleCheck.of(bundle, bundle.inputs(), 1 << 20);
        assertEquals(new BundleCheck(1, 1, 1, List.of()), check);
    }

    /** Messages leave queries of addresses out, so exports by pages have one name. */
    @Test
    void rejectsOfInputsWithOneNameAreToldApart(@TempDir Path directory) throws Exception {
        List<InputFile> inputs =
                List.of(new InputFile(0, "http://h/rows?…", null, -1), new InputFile(1, "http://h/rows?…", null, -1));
        BundleJob begins = new BundleJob(JOB.id(), inputs, ReadSpans.NONE, 0);
        try (BundleWriter begun = create(directory, begins)) {
            begun.write(inputs.get(0), null, 1, reject("of the first", 0));
            begun.write(inputs.get(1), null, 1, reject("of the second", 0));
            begun.sync();
        }
        // Of the first input all is done, of the second one nothing.
        ReadSpans first = new ReadSpans(Map.of(0, List.of(new ReadSpan(0, 100, 9, 0, 0, true, true))));
        try (BundleWriter continued = create(directory, new BundleJob(JOB.id(), inputs, first, 1))) {
            continued.write(inputs.get(1), null, 1, reject("of the second", 0));
            continued.write(inputs.get(1), null, 2, reject("more", 20));
        }
        assertEquals(
                List.of("of the first", "of the second", "more"), Files.readAllLines(directory.resolve("rejects.csv")));
    }

    /** They may be rows: that lines which begin like them are comments was a guess. */
    @Test
    void rejectedLinesLikeCommentsAreCounted(@TempDir Path directory) throws Exception {
        InputFormat format =
                new InputFormat.Csv(CsvDialect.DEFAULT.withComment('#').with(CsvDialect.Trait.GUESSED_COMMENT), null);
        BundleSettings settings = new BundleSettings(directory, DDL, "test");
        try (BundleWriter written =
                BundleWriter.create(settings, "direct", Ddl.parse(DDL, "test").get(0), format, JOB)) {
            written.write(input("a.csv"), null, 1, reject("#1", 0));
            written.write(input("a.csv"), null, 2, reject("#2", 3));
            written.write(input("a.csv"), null, 3, reject("x", 6));
            written.sync();
        }
        Bundle bundle = Bundle.open(directory);
        BundleCheck check = BundleCheck.of(bundle, bundle.inputs(), 1 << 20);
        assertEquals(new BundleCheck(3, 3, 3, List.of()), check);
        Path data = directory.resolve("rejects.csv");
        Files.writeString(data, Files.readString(data).replace("#1", "1") + "# remark\n\n");
        check = BundleCheck.of(bundle, bundle.inputs(), 1 << 20);
        assertEquals(new BundleCheck(3, 2, 3, List.of()), check);
    }

    private static InputFile input(String name) {
        return new InputFile(0, name, null, -1);
    }

    private static Reject reject(String record, long at) {
        return new Reject(
                new Reject.Place(Reject.Unit.LINE, 0, at),
                1,
                Reject.Problem.ofRecord(Reject.Code.MALFORMED, ""),
                record.getBytes(StandardCharsets.UTF_8),
                false,
                null);
    }
}
