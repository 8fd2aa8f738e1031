package io.sluice.importer.source.remote;

import io.sluice.api.error.BadInputException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.importer.source.origin.Origin;
import io.sluice.importer.source.remote.HttpRequests.Answer;
import io.sluice.importer.source.remote.HttpRequests.Version;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;

/**
 * One file behind http or https, in the version that it had when it was first asked for. Every later answer must be of
 * that version, told by a strong ETag or else by the time of its last change; ranges are asked for with
 * {@code If-Range} (RFC 9110, section 13.1.5). A server that does not know ranges is read from the beginning again and
 * what is known passed over.
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
        String name = Redaction.name(uri);
        for (int failures = 0; ; ) {
            try (Answer answer = requests.get(uri, name, "bytes=0-0", null)) {
                Version version = answer.version();
                return new Remote(name, new HttpObject(requests, uri, backoff, version), version.sizeBytes());
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
        String validator = version.validator();
        if (offset > 0 && validator == null) {
            throw new OperationFailedException(name + ": the connection broke at byte " + offset
                    + ", and the server names neither ETag nor Last-Modified, so that nobody can tell whether the file is"
                    + " still the same; nothing was imported. Fetch the file first, and import it from there");
        }
        Answer answer = requests.get(uri, name, offset == 0 ? null : "bytes=" + offset + "-", validator);
        try {
            if (!version.admits(answer.version())) {
                throw new BadInputException(
                        name + ": the file was changed while it was read; nothing was imported. Import it again");
            }
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
    public boolean repeatable() {
        return version.validator() != null;
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
