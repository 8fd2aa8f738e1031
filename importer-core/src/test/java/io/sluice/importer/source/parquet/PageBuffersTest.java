package io.sluice.importer.source.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.model.error.BadInputException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.GZIPOutputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputDecompressor;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.junit.jupiter.api.Test;
import org.xerial.snappy.Snappy;

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
    void whatIsKeptAndStoredIsBounded() {
        PageBuffers buffers = new PageBuffers(300 * KIB);
        ByteBuffer stored = buffers.allocate(200 * KIB);
        assertEquals(200 * KIB, stored.capacity());
        byte[] page = buffers.take(200 * KIB);
        buffers.give(page);
        assertNotSame(page, buffers.take(200 * KIB), "beside the stored columns there is no room for it");
        buffers.release(stored);
        stored.put(0, (byte) 7);
        assertEquals(7, buffers.take(200 * KIB)[0], "the array of the stored columns is used again");
    }

    @Test
    void decompressedPagesAreReadWhereTheyAre() throws IOException {
        PageBuffers buffers = new PageBuffers(300 * KIB);
        byte[] stored = Snappy.compress(new byte[1000]);
        BytesInput page = new PageCodecs(buffers)
                .getDecompressor(CompressionCodecName.SNAPPY)
                .decompress(BytesInput.from(ByteBuffer.wrap(stored)), 1000);
        byte[] array = PageCodecs.onHeap(page).array();
        assertSame(array, PageCodecs.onHeap(page).array(), "no copy for each reader");
        buffers.give(array);
        assertSame(array, buffers.take(1000));
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
        BytesInputDecompressor codec = new PageCodecs(new PageBuffers(0)).getDecompressor(CompressionCodecName.GZIP);
        assertThrows(IOException.class, () -> codec.decompress(BytesInput.from(stored), 1000));
    }

    @Test
    void pagesOfUnknownCodecsAreRefused() {
        PageCodecs codecs = new PageCodecs(new PageBuffers(0));
        BadInputException refusal =
                assertThrows(BadInputException.class, () -> codecs.getDecompressor(CompressionCodecName.LZO));
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
