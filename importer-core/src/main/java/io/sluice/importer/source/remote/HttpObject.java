package io.sluice.importer.source.remote;

import io.sluice.importer.source.origin.Origin;
import io.sluice.importer.source.remote.HttpRequests.Answer;
import io.sluice.importer.source.remote.HttpRequests.Version;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.thread.Backoff;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.channels.SeekableByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * A file on an http(s) server, in the version of the first request. Every later request demands that version by
 * {@code If-Match} or {@code If-Unmodified-Since}, and every answer is checked for it: ETag, Last-Modified, and length.
 * If a server does not support ranges, the file is read from the start again and the known part skipped.
 */
final class HttpObject implements Origin {
    private final HttpRequests requests;
    private final URI uri;
    private final String name;
    private final Backoff backoff;
    private final Version version;

    private HttpObject(HttpRequests requests, URI uri, Backoff backoff, Version version) {
        this.requests = requests;
        this.uri = uri;
        this.name = RemoteInputs.name(uri);
        this.backoff = backoff;
        this.version = version;
    }

    /**
     * Requests the first byte, which tells whether the file exists and may be read, and how long it is. HEAD would do
     * less: addresses that were signed for GET refuse it.
     *
     * @throws BadInputException when the file does not exist, or this user may not read it
     * @throws OperationFailedException when the server does not answer
     */
    static Remote find(HttpRequests requests, URI uri, Backoff backoff) throws IOException {
        Version version = ask(requests, uri, backoff, null);
        return new Remote(RemoteInputs.name(uri), new HttpObject(requests, uri, backoff, version), version.sizeBytes());
    }

    /** Requests the first byte, of one version or any, with retries. */
    private static Version ask(HttpRequests requests, URI uri, Backoff backoff, @Nullable Version demanded)
            throws IOException {
        String name = RemoteInputs.name(uri);
        for (int failures = 0; ; ) {
            try (Answer answer = requests.get(uri, name, "bytes=0-0", demanded)) {
                return answer.version();
            } catch (TransientException e) {
                if (++failures >= backoff.attempts()) {
                    throw new OperationFailedException(
                            name + ": " + e.getMessage() + ", " + failures + " times in a row", e);
                }
                TransientException.pause(backoff, failures, e);
            }
        }
    }

    @Override
    public InputStream open() {
        return new ResumingStream(name, this::from, version.sizeBytes(), backoff, 0);
    }

    @Override
    public SeekableByteChannel openFile() {
        String problem = !version.known()
                ? "names neither ETag nor Last-Modified"
                : version.sizeBytes() < 0 ? "does not tell the length of the file" : null;
        if (problem != null) {
            throw new BadInputException(name + ": this format is read by ranges, and the server " + problem
                    + "; fetch the file first, and import it from there");
        }
        return new RangedChannel(name, this::range, version.sizeBytes(), backoff);
    }

    /** Opens the bytes from an offset on, and refuses to read and drop all bytes before it. */
    private InputStream range(long offset) throws IOException {
        Answer answer = requests.get(uri, name, "bytes=" + offset + "-", version);
        if (answer.firstByte() == offset) {
            return answer.body();
        }
        answer.close();
        if (answer.firstByte() > offset) {
            throw new TransientException("the server sends another range than requested", 0, null);
        }
        throw new BadInputException(name + ": this format is read by ranges, and the server sends only whole files;"
                + " fetch the file first, and import it from there");
    }

    private InputStream from(long offset) throws IOException {
        if (offset > 0 && !version.known()) {
            throw new OperationFailedException(name + ": the connection broke at byte " + offset
                    + ", and the server names neither ETag nor Last-Modified, so that Sluice cannot tell whether the file is"
                    + " still the same; nothing was imported. Fetch the file first, and import it from there");
        }
        Answer answer = requests.get(uri, name, offset == 0 ? null : "bytes=" + offset + "-", version);
        try {
            if (answer.firstByte() > offset) {
                throw new TransientException("the server sends another range than requested", 0, null);
            }
            InputStream body = answer.body();
            // Without range support the answer is the whole file in the known version.
            body.skipNBytes(offset - answer.firstByte());
            return body;
        } catch (IOException | RuntimeException e) {
            answer.close();
            throw e;
        }
    }

    @Override
    public String version() {
        return version.toString();
    }

    @Override
    public void ensureUnchanged() throws IOException {
        if (version.known()) {
            ask(requests, uri, backoff, version);
        }
    }

    @Override
    public boolean repeatable() {
        return version.known();
    }

    @Override
    public boolean remote() {
        return true;
    }

    @Override
    public String toString() {
        return name;
    }
}
