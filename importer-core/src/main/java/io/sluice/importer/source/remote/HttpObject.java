package io.sluice.importer.source.remote;

import io.sluice.api.error.BadInputException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.importer.source.origin.Origin;
import io.sluice.importer.source.remote.HttpRequests.Answer;
import io.sluice.importer.source.remote.HttpRequests.Version;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * One file behind http or https, in the version that it had when it was first asked for. Every later request demands
 * that version, by {@code If-Match} or {@code If-Unmodified-Since}, and every answer is held to it: to ETag, time of
 * the last change, and length. A server that does not know ranges is read from the beginning again and what is known
 * passed over.
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
        this.name = Redaction.name(uri);
        this.backoff = backoff;
        this.version = version;
    }

    /**
     * Asks for the first byte, and so learns whether there is a file, whether it may be read, and how long it is. HEAD
     * would do less: addresses that were signed for GET refuse it.
     *
     * @throws BadInputException when there is no such file, or not for this user
     * @throws OperationFailedException when the server cannot be asked
     */
    static Remote find(HttpRequests requests, URI uri, Backoff backoff) throws IOException {
        Version version = ask(requests, uri, backoff, null);
        return new Remote(Redaction.name(uri), new HttpObject(requests, uri, backoff, version), version.sizeBytes());
    }

    /** Asks for the first byte, of one version or any, as often as it may help. */
    private static Version ask(HttpRequests requests, URI uri, Backoff backoff, @Nullable Version demanded)
            throws IOException {
        String name = Redaction.name(uri);
        for (int failures = 0; ; ) {
            try (Answer answer = requests.get(uri, name, "bytes=0-0", demanded)) {
                return answer.version();
            } catch (TransientException e) {
                if (++failures >= backoff.attempts()) {
                    throw new OperationFailedException(
                            name + ": " + e.getMessage() + ", " + failures + " times in a row", e);
                }
                backoff.pause(failures, e.afterMillis());
            }
        }
    }

    @Override
    public InputStream open() {
        return new ResumingStream(name, this::from, version.sizeBytes(), backoff);
    }

    private InputStream from(long offset) throws IOException {
        if (offset > 0 && !version.known()) {
            throw new OperationFailedException(name + ": the connection broke at byte " + offset
                    + ", and the server names neither ETag nor Last-Modified, so that nobody can tell whether the file is"
                    + " still the same; nothing was imported. Fetch the file first, and import it from there");
        }
        Answer answer = requests.get(uri, name, offset == 0 ? null : "bytes=" + offset + "-", version);
        try {
            if (answer.firstByte() > offset) {
                throw new TransientException("the server sends another range than was asked for", 0, null);
            }
            InputStream body = answer.body();
            // No range: all of the file, from its beginning, in the version that is known.
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
