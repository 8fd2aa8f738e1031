package io.sluice.importer.source.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
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
    void anArrayIsGivenBackOnce() {
        PageBuffers buffers = new PageBuffers(300 * KIB);
        byte[] page = buffers.take(1);
        buffers.give(page);
        assertThrows(IllegalStateException.class, () -> buffers.give(page));
    }
}
