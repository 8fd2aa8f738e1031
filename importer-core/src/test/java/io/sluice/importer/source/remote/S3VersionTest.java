package io.sluice.importer.source.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.model.thread.Backoff;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An object has one version, whether a listing names it or a request does by its key. */
@SuppressWarnings("NullAway.Init") // set up before each test
class S3VersionTest {
    private static final String LISTING = "<ListBucketResult><Name>bucket</Name><IsTruncated>false</IsTruncated>"
            + "<Contents><Key>a.csv</Key><LastModified>2026-03-01T12:00:00.250Z</LastModified><ETag>\"e1\"</ETag>"
            + "<Size>7</Size></Contents></ListBucketResult>";

    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        System.setProperty("aws.accessKeyId", "key");
        System.setProperty("aws.secretAccessKey", "secret");
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", S3VersionTest::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
    }

    /** Answers as a bucket with versioning does: the listing has no version ids. */
    private static void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (exchange.getRequestMethod().equals("GET")) {
                byte[] listing = LISTING.getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, listing.length);
                exchange.getResponseBody().write(listing);
            } else if (exchange.getRequestURI().getPath().equals("/bucket/a.csv")) {
                exchange.getResponseHeaders().set("ETag", "\"e1\"");
                exchange.getResponseHeaders().set("Last-Modified", "Sun, 01 Mar 2026 12:00:00 GMT");
                exchange.getResponseHeaders().set("x-amz-version-id", "v1");
                exchange.getResponseHeaders().set("Content-Length", "7");
                exchange.sendResponseHeaders(200, -1);
            } else {
                exchange.sendResponseHeaders(404, -1);
            }
        }
    }

    @Test
    void listedAndNamedObjectsHaveTheSameVersion() {
        URI endpoint = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        S3Store store = new S3Store(new S3Settings(endpoint, null, true), new Backoff(1, 1, 1));
        List<String> versions = List.of("s3://bucket/*.csv", "s3://bucket/a.csv").stream()
                .map(address -> store.find(address).get(0).origin().version())
                .toList();
        String version = "ETag e1, Last-Modified 2026-03-01T12:00:00Z";
        assertEquals(List.of(version, version), versions);
    }
}
