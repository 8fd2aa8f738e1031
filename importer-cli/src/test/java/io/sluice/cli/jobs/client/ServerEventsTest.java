package io.sluice.cli.jobs.client;

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

class ServerEventsTest {
    private static final String TEXT = """
            : a comment

            event: import
            data: {"a":"é"}

            data:one\r
            data\r
            data:  two\r
            id: 7\r
            \r
            event: nothing

            event: end
            data: x

            data: cut off
            """;

    private static final List<String> EVENTS = List.of("import {\"a\":\"é\"}", "message one\n\n two", "end x");

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

    private static ServerEvents events(String text, int chunkBytes, int mostBytes, @Nullable IOException end) {
        Body body = new Body(10_000);
        body.onSubscribe(new Chunks(body, text, chunkBytes, end));
        return new ServerEvents(body, mostBytes);
    }

    @Test
    void eventsAreTheSameHoweverTheyAreCut() throws Exception {
        for (int size = 1; size <= TEXT.length() + 2; size++) {
            try (ServerEvents events = events(TEXT, size, 1000, null)) {
                List<String> got = new ArrayList<>();
                for (ServerEvents.Event event = events.next(); event != null; event = events.next()) {
                    got.add(event.name() + " " + event.data());
                }
                assertEquals(EVENTS, got, "chunks of " + size);
                assertNull(events.next());
            }
        }
    }

    @Test
    void aBreakIsNoEnd() throws Exception {
        try (ServerEvents events = events("data: 1\n\ndata: 2\n", 4, 1000, new IOException("gone"))) {
            ServerEvents.Event first = events.next();
            assertEquals("1", first == null ? null : first.data());
            assertThrows(IOException.class, events::next);
        }
    }

    @Test
    void eventsAreBounded() {
        for (String text : List.of("data: " + "x".repeat(100) + "\n\n", "data: xxxxx\n".repeat(100) + "\n")) {
            try (ServerEvents events = events(text, 7, 50, null)) {
                assertThrows(IOException.class, events::next);
            }
        }
    }

    @Test
    void silenceIsNotWaitedOutAndBodiesAreBounded() throws Exception {
        try (Body silent = new Body(1)) {
            assertThrows(HttpTimeoutException.class, silent::next);
        }
        try (Body body = new Body(10_000)) {
            body.onSubscribe(new Chunks(body, "x".repeat(100), 9, null));
            assertThrows(IOException.class, () -> body.all(99));
        }
        try (Body body = new Body(10_000)) {
            body.onSubscribe(new Chunks(body, "x".repeat(100), 9, null));
            assertEquals(100, body.all(100).length);
        }
    }
}
