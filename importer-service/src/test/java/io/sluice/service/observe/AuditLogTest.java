package io.sluice.service.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.service.observe.AuditLog.Sender;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditLogTest {
    private static final Sender SENDER = new Sender("r", "127.0.0.1", null);

    /** A directory in the place of the earlier log makes its replacement fail; the log wrote nothing from then on. */
    @Test
    void logThatCannotBeReplacedIsWrittenFurther(@TempDir Path directory) throws IOException {
        Path log = directory.resolve("audit.jsonl");
        Path earlier = directory.resolve("audit.1.jsonl");
        try (RandomAccessFile full = new RandomAccessFile(log.toFile(), "rw")) {
            full.setLength(AuditLog.MOST_BYTES);
        }
        Path obstacle = Files.createDirectories(earlier.resolve("obstacle"));
        try (AuditLog audit = new AuditLog(directory, Clock.systemUTC())) {
            audit.log(SENDER, "cancel", "first", 202, null);
            assertTrue(Files.size(log) > AuditLog.MOST_BYTES, "bytes: " + Files.size(log));
            Files.delete(obstacle);
            Files.delete(earlier);
            audit.log(SENDER, "cancel", "second", 202, null);
        }
        assertTrue(Files.size(earlier) > AuditLog.MOST_BYTES, "bytes: " + Files.size(earlier));
        assertEquals(1, Files.readAllLines(log).size());
        assertTrue(Files.readString(log).contains("\"job\":\"second\""), Files.readString(log));
    }
}
