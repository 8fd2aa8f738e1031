package io.sluice.importer.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the inputs of arguments, their order, and the errors for invalid arguments. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class InputFilesTest {
    @TempDir
    Path directory;

    @BeforeEach
    void makeFiles() throws IOException {
        for (String name : List.of("b.csv", "a.csv", "c.txt", ".hidden", "sub/d.csv", "sub/e.csv", "odd[1].csv")) {
            Path file = directory.resolve(name);
            Files.createDirectories(file.getParent());
            Files.writeString(file, name);
        }
        Files.createDirectory(directory.resolve("empty"));
    }

    private List<String> resolve(String... names) {
        List<String> arguments = new ArrayList<>();
        for (String name : names) {
            arguments.add(name.equals("-") ? name : directory + "/" + name);
        }
        List<InputFile> files = InputFiles.resolve(arguments);
        for (int i = 0; i < files.size(); i++) {
            assertEquals(i, files.get(i).ordinal());
        }
        return files.stream()
                .map(file -> file.path() == null
                        ? "-"
                        : directory.relativize(file.path()).toString())
                .toList();
    }

    @Test
    void addressOfALocalFileIsThatFile() {
        Path file = directory.resolve("odd[1].csv");
        assertEquals(
                file,
                InputFiles.resolve(List.of(file.toUri().toString())).get(0).path());
        for (String other : List.of("file:a.csv", "file://host/a.csv", "gs://bucket/a.csv", "ftp://host/a.csv")) {
            BadInputException refused = assertThrows(BadInputException.class, () -> InputFiles.resolve(List.of(other)));
            assertTrue(refused.toString().contains(other.startsWith("file:") ? "local file" : "are not supported"));
        }
    }

    @Test
    void filesComeInTheOrderOfTheArguments() {
        assertEquals(List.of("b.csv", "a.csv", "b.csv"), resolve("b.csv", "a.csv", "b.csv"));
    }

    @Test
    void markersOfCompleteDirectoriesAreNoInputs() throws IOException {
        Path output = Files.createDirectories(directory.resolve("output/dt=1"));
        for (String name : List.of("_SUCCESS", "_committed_12", ".part-0.csv.crc", "part-0.csv", "_own.csv")) {
            Files.writeString(output.resolve(name), "x");
        }
        for (String argument : List.of("output/dt=1", "output/dt=1/*", "output/**", "output")) {
            assertEquals(List.of("output/dt=1/_own.csv", "output/dt=1/part-0.csv"), resolve(argument));
        }
        assertEquals(List.of("output/dt=1/.part-0.csv.crc"), resolve("output/*/.part*"));
        assertEquals(List.of("output/dt=1/_SUCCESS"), resolve("output/dt=1/_SUCCESS"));
        Files.createDirectories(directory.resolve("deep/er"));
        BadInputException refused = assertThrows(BadInputException.class, () -> resolve("deep"));
        assertTrue(refused.toString().contains("only directories; name their files as"), refused.toString());
    }

    @Test
    void aDirectoryIsItsVisibleFilesByName() {
        assertEquals(List.of("a.csv", "b.csv", "c.txt", "odd[1].csv"), resolve(""));
        assertEquals(List.of("sub/d.csv", "sub/e.csv", "c.txt"), resolve("sub", "c.txt"));
    }

    @Test
    void aGlobIsWhatItMatchesByName() {
        assertEquals(List.of("a.csv", "b.csv", "odd[1].csv"), resolve("*.csv"));
        assertEquals(List.of("a.csv", "b.csv"), resolve("[ab].csv"));
        assertEquals(List.of("c.txt", "sub/d.csv"), resolve("c.*", "sub/{d,x}.csv"));
        assertEquals(List.of("sub/d.csv", "sub/e.csv"), resolve("**/?.csv"));
    }

    @Test
    void aGlobIsBelowWhatItsDirectoryIs() throws IOException {
        Files.createSymbolicLink(directory.resolve("link"), Path.of("sub"));
        assertEquals(List.of("link/d.csv", "link/e.csv"), resolve("link/*.csv"));
        assertEquals(List.of("sub/d.csv"), resolve("empty/../sub/d*"));
        assertEquals(List.of("sub/d.csv", "sub/e.csv"), resolve("**/?.csv"), "a link was followed");
    }

    @Test
    void aGlobMatchesLinksToFiles() throws IOException {
        Files.createSymbolicLink(directory.resolve("linked.csv"), Path.of("sub", "d.csv"));
        Files.createSymbolicLink(directory.resolve("nowhere.csv"), Path.of("missing"));
        assertEquals(List.of("linked.csv"), resolve("*nked.csv"));
        assertEquals(List.of("a.csv", "b.csv", "linked.csv", "odd[1].csv"), resolve("*.csv"));
    }

    /** Rows that were deleted or updated are in the files of earlier versions, which stay for days. */
    @Test
    void aDirectoryWithSeveralVersionsOfATableIsRefused() throws IOException {
        Files.createDirectories(directory.resolve("delta/_delta_log"));
        Files.createDirectories(directory.resolve("hudi/.hoodie"));
        for (String table : List.of("delta", "hudi")) {
            Files.writeString(directory.resolve(table + "/part-0.parquet"), "rows");
            BadInputException refused = assertThrows(BadInputException.class, () -> resolve(table));
            assertTrue(refused.toString().contains("has files of its earlier versions, too"), refused.toString());
            assertEquals(List.of(table + "/part-0.parquet"), resolve(table + "/*.parquet"));
        }
    }

    /** A shell follows them for a name, and not for two stars. */
    @Test
    void aGlobFollowsLinksToDirectories() throws IOException {
        Files.createDirectories(directory.resolve("elsewhere/at"));
        Files.move(directory.resolve("sub/e.csv"), directory.resolve("elsewhere/at/e.csv"));
        Files.createSymbolicLink(directory.resolve("link"), Path.of("elsewhere", "at"));
        Files.createSymbolicLink(directory.resolve("sub/loop"), Path.of("..", "sub"));
        assertEquals(List.of("link/e.csv", "sub/d.csv"), resolve("*/?.csv"));
        assertEquals(List.of(), resolvedRemarks("*/?.csv"));
        assertEquals(List.of("elsewhere/at/e.csv", "sub/d.csv"), resolve("**/?.csv"));
        List<String> remarks = resolvedRemarks("**/?.csv");
        assertEquals(1, remarks.size());
        assertTrue(
                remarks.get(0).contains("** follows no links to directories: " + directory + "/link/"), remarks.get(0));
    }

    /** A shell would pass on the directories, whose files are then read. */
    @Test
    void directoriesThatAGlobMatchesAreNamed() {
        assertEquals(List.of(), resolvedRemarks("*.csv"));
        assertEquals(List.of(), resolvedRemarks("**"));
        List<String> remarks = resolvedRemarks("*");
        assertEquals(1, remarks.size(), remarks.toString());
        assertTrue(
                remarks.get(0).contains(directory + "/sub/; name those that are to be imported")
                        && remarks.get(0).startsWith("input: passed over directories that match "),
                remarks.toString());
        BadInputException none = assertThrows(BadInputException.class, () -> resolve("su*"));
        assertTrue(none.toString().contains("su*: no file matches, only directories;"), none.toString());
    }

    @Test
    void aFileThatALinkNamesAgainIsReadOnce() throws IOException {
        Files.createSymbolicLink(directory.resolve("current"), Path.of("sub"));
        Files.createSymbolicLink(directory.resolve("sub/again.csv"), Path.of("d.csv"));
        assertEquals(List.of("sub/d.csv", "sub/e.csv"), resolve("*/*.csv"));
        assertEquals(List.of("sub/d.csv", "sub/e.csv"), resolve("sub"));
        List<String> remarks = resolvedRemarks("*/e.csv");
        assertEquals(
                List.of("input: read once, since links name them again: " + directory + "/current/e.csv is " + directory
                        + "/sub/e.csv"),
                remarks);
        assertEquals(List.of("sub/d.csv", "sub/again.csv"), resolve("sub/d.csv", "sub/again.csv"));
    }

    private List<String> resolvedRemarks(String glob) {
        List<String> remarks = new ArrayList<>();
        List<InputFile> unused =
                InputFiles.resolve(List.of(directory + "/" + glob), SourceSettings.DEFAULT, remarks::add);
        return remarks;
    }

    /** Directories that other programs remove meanwhile have no files; those that no name can be in are not read. */
    @Test
    void aGlobIsResolvedWhileDirectoriesAreRemoved() throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        Path outer = directory.resolve("outer");
        Path inner = outer.resolve("inner");
        Thread other = new Thread(() -> {
            while (!ended.get()) {
                try {
                    Files.createDirectories(inner);
                    Files.delete(inner);
                    Files.delete(outer);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        });
        other.start();
        try {
            for (int i = 0; i < 2_000; i++) {
                assertEquals(List.of("sub/d.csv", "sub/e.csv"), resolve("**/?.csv"));
            }
        } finally {
            ended.set(true);
            other.join();
        }
    }

    @Test
    void aFileWhoseNameLooksLikeAGlobIsThatFile() {
        assertEquals(List.of("odd[1].csv"), resolve("odd[1].csv"));
        BadInputException refused = assertThrows(BadInputException.class, () -> resolve("odd[2.csv"));
        assertTrue(refused.toString().contains("odd[2.csv: no such file, and no pattern: "), refused.toString());
    }

    /** A shell makes an empty argument of a variable that is not set; Java takes it for the working directory. */
    @Test
    void anEmptyNameIsNoDirectory() {
        BadInputException refused = assertThrows(BadInputException.class, () -> InputFiles.resolve(List.of("")));
        assertTrue(refused.toString().contains("the name of an input is empty"), refused.toString());
    }

    @Test
    void standardInputHasNoPathAndNoSize() {
        InputFile input = InputFiles.resolve(List.of("-")).get(0);
        assertNull(input.path());
        assertEquals(-1, input.sizeBytes());
        assertEquals("-", input.name());
    }

    @Test
    void sizesAreKnown() {
        assertEquals(5, InputFiles.resolve(List.of(directory + "/a.csv")).get(0).sizeBytes());
    }

    @Test
    void everyProblemIsNamed() {
        BadInputException refused = assertThrows(
                BadInputException.class,
                () -> resolve("a.csv", "nothing.csv", "*.avro", "none/*.csv", "empty", "-", "-"));
        List<String> lines = String.valueOf(refused.getMessage()).lines().toList();
        assertEquals(5, lines.size(), refused.getMessage());
        assertTrue(lines.get(0).endsWith("nothing.csv: no such file; check the path"), lines.get(0));
        assertTrue(lines.get(1).endsWith("*.avro: no file matches"), lines.get(1));
        assertTrue(lines.get(2).contains("none/*.csv: no such directory"), lines.get(2));
        assertTrue(lines.get(3).endsWith("empty: the directory holds no files"), lines.get(3));
        assertTrue(lines.get(4).contains("only once"), lines.get(4));
        assertThrows(BadInputException.class, () -> InputFiles.resolve(List.of()));
    }
}
