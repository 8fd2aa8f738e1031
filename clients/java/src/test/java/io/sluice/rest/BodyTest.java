package io.sluice.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow.Subscription;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BodyTest {
    /** A connection that delivers one chunk of a body per request; {@code end} simulates a lost connection. */
    private static final class Chunks implements Subscription {
        private final Body body;
        private final byte[] bytes;
        private final int size;
        private final @Nullable IOException end;
        private int at;
        private boolean over;

        Chunks(Body body, String text, int size, @Nullable IOException end) {
            this.body = body;
            this.bytes = text.getBytes(StandardCharsets.UTF_8);
            this.size = size;
            this.end = end;
        }

        @Override
        public void request(long n) {
            if (at < bytes.length) {
                int length = Math.min(size, bytes.length - at);
                body.onNext(List.of(ByteBuffer.wrap(bytes, at, length)));
                at += length;
            } else if (!over) {
                over = true;
                if (end == null) {
                    body.onComplete();
                } else {
                    body.onError(end);
                }
            }
        }

        @Override
        public void cancel() {
            over = true;
        }
    }

    private static Body body(String text, int chunkBytes, @Nullable IOException end) {
        Body body = new Body(10_000);
        body.onSubscribe(new Chunks(body, text, chunkBytes, end));
        return body;
    }

    @Test
    void linesAreTheSameHoweverTheyAreCut() throws Exception {
        String text = "a: é\r\n\n\nlast";
        for (int size = 1; size <= text.length() + 2; size++) {
            try (Body body = body(text, size, null)) {
                List<String> got = new ArrayList<>();
                for (String line = body.line(6); line != null; line = body.line(6)) {
                    got.add(line);
                }
                assertEquals(List.of("a: é", "", "", "last"), got, "chunks of " + size);
                assertNull(body.line(6));
            }
        }
    }

    @Test
    void aBreakIsNoEnd() throws Exception {
        try (Body body = body("one\ntwo", 4, new IOException("gone"))) {
            assertEquals("one", body.line(100));
            assertThrows(IOException.class, () -> body.line(100));
        }
    }

    @Test
    void silenceIsNotWaitedOutAndBodiesAreBounded() throws Exception {
        try (Body silent = new Body(1)) {
            assertThrows(HttpTimeoutException.class, silent::next);
        }
        try (Body body = body("x".repeat(100), 9, null)) {
            assertThrows(IOException.class, () -> body.all(99));
        }
        try (Body body = body("x".repeat(100), 9, null)) {
            assertEquals(100, body.all(100).length);
        }
        try (Body body = body("x".repeat(100) + "\n", 9, null)) {
            assertThrows(IOException.class, () -> body.line(50));
        }
    }
}
