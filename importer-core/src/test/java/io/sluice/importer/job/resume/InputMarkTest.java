package io.sluice.importer.job.resume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.sluice.importer.job.resume.JobDescription.InputMark;
import io.sluice.importer.source.InputFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A mark of an input that an import notes tells whether a later run may go on where it ended. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class InputMarkTest {
    @TempDir
    Path directory;

    private InputMark mark(String content) throws IOException {
        Path file = directory.resolve("input");
        Files.writeString(file, content);
        return InputMark.of(new InputFile(0, "input", file, content.length()));
    }

    @Test
    void positionsInParquetAreThoseOfOneLayout() throws IOException {
        InputMark now = mark("PAR1 and columns");
        assertNull(now.changed(now));
        // The mark of a build that converted to rows.
        InputMark earlier = new InputMark(
                now.name(), now.bytes(), now.encoding().replace(", by column", ""), now.version(), now.head());
        assertEquals(
                "input was read by an earlier version of Sluice, which must also go on with the import",
                earlier.changed(now));
    }

    @Test
    void otherInputsKeepTheirMark() throws IOException {
        InputMark csv = mark("1,2,3");
        assertEquals(csv.encoding(), csv.encoding().replace(", by column", ""));
        assertEquals("input begins with other bytes", csv.changed(mark("1,2,4")));
    }
}
