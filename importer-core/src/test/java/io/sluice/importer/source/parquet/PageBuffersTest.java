package io.sluice.importer.source.parquet;

import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.model.error.BadInputException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.zip.GZIPOutputStream;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.junit.jupiter.api.Test;

class PageBuffersTest {
    private static final int KIB = 1 << 10;

    @Test
    void arraysOfAboutTheLengthAreUsedAgain() {
        PageBuffers buffers = new PageBuffers(10_000 * KIB);
        byte[] small = buffers.take(100 * KIB);
        byte[] large = buffers.take(1000 * KIB);
        buffers.give(large);
        assertNotSame(large, buffers.take(100 * KIB), "much longer than asked for");
        buffers.give(small);
        assertSame(small, buffers.take(90 * KIB));
        assertSame(large, buffers.take(1001 * KIB));
        assertNotSame(large, buffers.take(1001 * KIB), "it is in use");
    }

    @Test
    void theShortestThatFitsIsTaken() {
        PageBuffers buffers = new PageBuffers(10_000 * KIB);
        byte[] longer = buffers.take(1500 * KIB);
        byte[] shorter = buffers.take(1000 * KIB);
        buffers.give(longer);
        buffers.give(shorter);
        assertSame(shorter, buffers.take(900 * KIB));
    }

    @Test
    void whatIsKeptIsBounded() {
        PageBuffers buffers = new PageBuffers(300 * KIB);
        byte[] first = buffers.take(200 * KIB);
        byte[] second = buffers.take(200 * KIB);
        buffers.give(first);
        buffers.give(second);
        assertSame(first, buffers.take(200 * KIB));
        assertNotSame(second, buffers.take(200 * KIB), "there was no room for it");
    }

    /** The last eight bytes of GZIP are a checksum and the length. */
    @Test
    void theChecksumOfGzipIsCompared() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(new byte[1000]);
        }
        byte[] stored = out.toByteArray();
        stored[stored.length - 8] ^= 1;
        assertThrows(
                IOException.class,
                () -> PageCodecs.decompress(CompressionCodecName.GZIP, stored, 0, stored.length, new byte[1000], 1000));
    }

    @Test
    void pagesOfUnknownCodecsAreRefused() {
        BadInputException refusal =
                assertThrows(BadInputException.class, () -> PageCodecs.requireKnown(CompressionCodecName.LZO));
        assertTrue(
                String.valueOf(refusal.getMessage())
                        .startsWith("its pages are compressed with lzo, which is not supported"),
                refusal.toString());
    }

    @Test
    void anArrayIsGivenBackOnce() {
        PageBuffers buffers = new PageBuffers(300 * KIB);
        byte[] page = buffers.take(1);
        buffers.give(page);
        assertThrows(IllegalStateException.class, () -> buffers.give(page));
    }
}
