package io.sluice.cli.jobs.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Parser of a stream of server-sent events (WHATWG HTML, "Interpreting an event stream"). It reads event names and data
 * only, in UTF-8, with lines that end in LF or CRLF, as the service sends them. Used by one thread.
 */
final class ServerEvents implements AutoCloseable {
    private static final String NAME = "event";
    private static final String DATA = "data";

    private final Body body;
    private final int mostBytes;
    private byte[] unread = {};
    private int at;

    /**
     * One event.
     *
     * @param name what happened
     * @param data its lines, joined by line feeds
     */
    record Event(String name, String data) {}

    /**
     * The events of a body.
     *
     * @param body closed with this
     * @param mostBytes of an event
     */
    ServerEvents(Body body, int mostBytes) {
        this.body = body;
        this.mostBytes = mostBytes;
    }

    /** The next event that has data; null at the end. An event that is cut off is none. */
    @Nullable
    Event next() throws IOException, InterruptedException {
        String name = "message";
        StringBuilder data = null;
        for (String line = line(); line != null; line = line()) {
            if (line.isEmpty()) {
                if (data != null) {
                    return new Event(name, data.toString());
                }
                name = "message";
                continue;
            }
            int colon = line.indexOf(':');
            String field = colon < 0 ? line : line.substring(0, colon);
            String value = colon < 0 ? "" : line.substring(colon + 1);
            value = value.startsWith(" ") ? value.substring(1) : value;
            if (field.equals(NAME)) {
                name = value;
            } else if (field.equals(DATA)) {
                if (data != null && data.length() + value.length() > mostBytes) {
                    throw tooLong();
                }
                data = data == null
                        ? new StringBuilder(value)
                        : data.append('\n').append(value);
            }
        }
        return null;
    }

    private @Nullable String line() throws IOException, InterruptedException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        while (true) {
            int end = at;
            while (end < unread.length && unread[end] != '\n') {
                end++;
            }
            line.write(unread, at, end - at);
            if (line.size() > mostBytes) {
                throw tooLong();
            }
            if (end < unread.length) {
                at = end + 1;
                String text = line.toString(StandardCharsets.UTF_8);
                return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
            }
            byte[] more = body.next();
            if (more == null) {
                unread = new byte[0];
                at = 0;
                return null;
            }
            unread = more;
            at = 0;
        }
    }

    private IOException tooLong() {
        return new IOException("an event is longer than the " + (mostBytes >> 20) + " MiB that are read");
    }

    @Override
    public void close() {
        body.close();
    }
}
