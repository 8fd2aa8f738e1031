package io.sluice.importer.source.remote;

import io.sluice.importer.source.origin.Access;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.Reasons;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Sends GET requests, follows redirects, and words refusals. Knows nothing of files. Thread-safe. */
final class HttpRequests {
    private static final int MAX_REDIRECTS = 5;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(25);
    private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);
    private static final int PRECONDITION_FAILED = 412;
    private static final Set<Integer> TRANSIENT = Set.of(408, 425, 429, 500, 502, 503, 504);
    private static final Pattern CONTENT_RANGE = Pattern.compile("bytes (?:(\\d+)-\\d+|\\*)/(\\d+|\\*)");

    /** Does not follow redirects itself: it would send the password along to any target. */
    private volatile HttpClient client = client();

    private final Access access;

    /** @param access which addresses may be asked */
    HttpRequests(Access access) {
        this.access = access;
    }

    private static HttpClient client() {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(CONNECT_TIMEOUT)
                .build();
    }

    /**
     * Identifies one version of a file.
     *
     * @param etag or null
     * @param lastModified or null
     * @param sizeBytes length of the file, or -1
     */
    record Version(@Nullable String etag, @Nullable String lastModified, long sizeBytes) {
        private static final String WEAK = "W/";

        /** Whether a request can demand this version. A weak ETag does not promise the same bytes. */
        boolean known() {
            return hasStrongEtag() || lastModified != null;
        }

        private boolean hasStrongEtag() {
            return etag != null && !etag.startsWith(WEAK);
        }

        /** Makes a request conditional on this version (RFC 9110, section 13.1). */
        void demand(HttpRequest.Builder request) {
            if (hasStrongEtag()) {
                request.header("If-Match", String.valueOf(etag));
            } else if (lastModified != null) {
                request.header("If-Unmodified-Since", lastModified);
            }
        }

        /**
         * Whether an answer is of this version. The answer must repeat the validators, since some servers ignore
         * conditions. It may leave out the date if the ETag is strong, as some servers do.
         */
        boolean isOf(Version answer) {
            boolean sameEtag = etag == null || opaque(etag).equals(opaque(answer.etag));
            boolean sameDate = lastModified == null
                    || lastModified.equals(answer.lastModified)
                    || (answer.lastModified == null && hasStrongEtag());
            boolean sameSize = sizeBytes < 0 || answer.sizeBytes < 0 || sizeBytes == answer.sizeBytes;
            return sameEtag && sameDate && sameSize;
        }

        /**
         * Strips the weak mark: some servers send a young file's ETag as weak, and a second later the same one as
         * strong.
         */
        private static String opaque(@Nullable String etag) {
            return etag == null ? "" : etag.startsWith(WEAK) ? etag.substring(WEAK.length()) : etag;
        }

        /** ETag and Last-Modified; empty if a request cannot demand the version. */
        @Override
        public String toString() {
            if (!known()) {
                return "";
            }
            String tag = etag == null ? "" : "ETag " + opaque(etag);
            String date = lastModified == null ? "" : "Last-Modified " + lastModified;
            return tag.isEmpty() || date.isEmpty() ? tag + date : tag + ", " + date;
        }
    }

    /**
     * An answer with the requested bytes, or all of them.
     *
     * @param version the file's version in the answer
     * @param firstByte offset of the first byte of the body
     * @param body the body; the caller closes it
     */
    record Answer(Version version, long firstByte, InputStream body) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            body.close();
        }
    }

    /**
     * Requests a file or a range of it.
     *
     * @param name the file's name in messages
     * @param range value of {@code Range}, or null for all
     * @param version the version to demand; null: any
     * @throws TransientException when a retry may help
     * @throws BadInputException when a retry cannot help
     */
    Answer get(URI uri, String name, @Nullable String range, @Nullable Version version) throws IOException {
        URI at = uri;
        for (int redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
            access.check(at);
            HttpResponse<InputStream> response = send(request(uri, at, range, version));
            checkAgain(at, response);
            if (!REDIRECTS.contains(response.statusCode())) {
                Answer answer = answer(response, name, range != null);
                if (version != null && !version.isOf(answer.version())) {
                    answer.close();
                    throw changed(name);
                }
                return answer;
            }
            response.body().close();
            at = target(at, response.headers(), name);
        }
        throw new BadInputException(name + ": redirected more than " + MAX_REDIRECTS + " times; check the address");
    }

    /**
     * Checks the address of an answer before reading it, since the name may have got another network address since the
     * first check. The JVM caches a name's addresses for 30 s, longer than an answer may take, so this check sees the
     * address that was connected to.
     */
    private void checkAgain(URI at, HttpResponse<InputStream> response) throws IOException {
        try {
            access.check(at);
        } catch (BadInputException e) {
            response.body().close();
            // A new client, since the old one's connections must not be reused.
            client = client();
            throw e;
        }
    }

    private static HttpRequest request(URI first, URI at, @Nullable String range, @Nullable Version version) {
        HttpRequest.Builder request = HttpRequest.newBuilder(withoutUser(at))
                .timeout(ANSWER_TIMEOUT)
                // Ranges count uncompressed bytes.
                .header("Accept-Encoding", "identity");
        if (range != null) {
            request.header("Range", range);
        }
        if (version != null) {
            version.demand(request);
        }
        String user = first.getUserInfo();
        if (user != null && sameServer(first, at)) {
            byte[] credentials = user.getBytes(StandardCharsets.UTF_8);
            request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(credentials));
        }
        return request.build();
    }

    private static boolean sameServer(URI a, URI b) {
        return a.getScheme().equalsIgnoreCase(b.getScheme())
                && a.getHost().equalsIgnoreCase(b.getHost())
                && a.getPort() == b.getPort();
    }

    private static URI withoutUser(URI uri) {
        String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
        String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
        return URI.create(uri.getScheme() + "://" + uri.getHost() + port + path + query);
    }

    private HttpResponse<InputStream> send(HttpRequest request) throws IOException {
        try {
            return client.send(request, TimedBody.handler());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for an answer");
        } catch (IOException e) {
            // The client's own messages may hold the address.
            throw new TransientException("no answer from the server: " + reason(e), 0, e);
        }
    }

    private static String reason(IOException failure) {
        if (failure instanceof HttpConnectTimeoutException) {
            return "it takes no connection";
        }
        if (failure instanceof HttpTimeoutException) {
            return "it took the request and sends nothing";
        }
        if (failure instanceof SSLException) {
            return "there is no TLS connection: " + Reasons.plain(failure);
        }
        return failure instanceof ConnectException ? Reasons.ofConnection(failure) : "the connection broke";
    }

    private static URI target(URI from, HttpHeaders headers, String name) {
        // An empty reference resolves to the directory of an address, which is another file.
        String location = headers.firstValue("Location").orElse("");
        if (location.isEmpty()) {
            throw new BadInputException(name + ": the server redirects and names no address; name the target address");
        }
        URI to;
        try {
            to = from.resolve(location);
        } catch (IllegalArgumentException e) {
            throw new BadInputException(name + ": redirected to an invalid address", e);
        }
        boolean known = "https".equalsIgnoreCase(to.getScheme())
                || ("http".equalsIgnoreCase(to.getScheme()) && !"https".equalsIgnoreCase(from.getScheme()));
        if (!known || to.getHost() == null) {
            throw new BadInputException(name + ": redirected to " + to.getScheme()
                    + ", which is not followed from there; name the target address");
        }
        return to;
    }

    private static Answer answer(HttpResponse<InputStream> response, String name, boolean ranged) throws IOException {
        HttpHeaders headers = response.headers();
        int status = response.statusCode();
        Matcher contentRange =
                CONTENT_RANGE.matcher(headers.firstValue("Content-Range").orElse(""));
        if (status == 200) {
            long length = headers.firstValueAsLong("Content-Length").orElse(-1);
            if (length < 0 && !isChunked(headers)) {
                response.body().close();
                throw new BadInputException(name
                        + ": the server tells neither the length of the file nor its end, so that a part of it would"
                        + " look whole; fetch the file first, compare its length, and import it from there");
            }
            return new Answer(version(headers, length), 0, response.body());
        }
        if (status == 206 && ranged && contentRange.matches() && contentRange.group(1) != null) {
            long first = Long.parseLong(contentRange.group(1));
            return new Answer(version(headers, total(contentRange)), first, response.body());
        }
        response.body().close();
        if (status == 416 && contentRange.matches() && total(contentRange) == 0) {
            return new Answer(version(headers, 0), 0, InputStream.nullInputStream());
        }
        if (status == PRECONDITION_FAILED) {
            throw changed(name);
        }
        if (TRANSIENT.contains(status)) {
            throw new TransientException("the server answers " + status, afterMillis(headers), null);
        }
        throw new BadInputException(name + ": the server answers " + status + advice(status));
    }

    /**
     * Whether a body ends with a mark of its own (RFC 9112, section 6.3). Without it and a length, the body ends where
     * the connection does.
     */
    private static boolean isChunked(HttpHeaders headers) {
        return headers.allValues("Transfer-Encoding").stream()
                .anyMatch(coding -> coding.toLowerCase(Locale.ROOT).contains("chunked"));
    }

    private static BadInputException changed(String name) {
        return new BadInputException(
                name + ": the file was changed while it was read; nothing was imported. Import it again");
    }

    private static long total(Matcher contentRange) {
        String total = contentRange.group(2);
        return total.equals("*") ? -1 : Long.parseLong(total);
    }

    private static Version version(HttpHeaders headers, long sizeBytes) {
        return new Version(
                headers.firstValue("ETag").orElse(null),
                headers.firstValue("Last-Modified").orElse(null),
                sizeBytes);
    }

    private static long afterMillis(HttpHeaders headers) {
        try {
            return 1000 * headers.firstValueAsLong("Retry-After").orElse(0);
        } catch (NumberFormatException e) {
            // A date, which is ignored.
            return 0;
        }
    }

    private static String advice(int status) {
        return switch (status) {
            case 401, 403 ->
                ": it wants other credentials; give them as https://USER:PASSWORD@HOST/…, or sign the address";
            case 404, 410 -> ": there is no such file; check the address";
            default -> "; check the address";
        };
    }
}
