package io.sluice.it.security;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.support.Credentials;
import io.sluice.it.support.Imports;
import io.sluice.it.support.Imports.How;
import io.sluice.it.support.NodeProcess;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.it.support.Stock;
import io.sluice.rest.ServiceException;
import io.sluice.rest.SluiceClient;
import io.sluice.testing.FreePorts;
import io.sluice.testing.SomeTests;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes that want a token and speak TLS with a certificate of their own, and programs that have both or lack one. */
@SuppressWarnings("NullAway.Init") // made before all tests
@SomeTests(3)
class TlsAndTokenIT {
    private static final int ROWS = 5_000;

    @TempDir
    static Path directory;

    private static Path schema;
    private static Path rows;
    private static Credentials credentials;
    private static List<NodeProcess> nodes;

    @BeforeAll
    static void start() throws Exception {
        schema = Files.writeString(directory.resolve("stock.sql"), Stock.SQL);
        rows = Stock.write(directory.resolve("stock.csv"), Stock.shuffled(ROWS, 7));
        credentials = Credentials.make(directory, List.of("127.0.0.1"));
        nodes = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            nodes.add(NodeProcess.start(
                    directory.resolve("node-" + i), credentials.ofServer().toArray(new String[0])));
        }
    }

    @AfterAll
    static void end() {
        nodes.forEach(NodeProcess::close);
    }

    private static String addresses() {
        return String.join(",", nodes.stream().map(NodeProcess::url).toList());
    }

    private static Result tables(String nodes, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("tables", "--nodes", nodes));
        arguments.addAll(List.of(more));
        return SluiceProcess.call(arguments.toArray(new String[0]));
    }

    @Test
    void clientWithTokenAndTrustedCertificateImportsAndReads() throws Exception {
        assertTrue(addresses().startsWith("https://"), addresses());
        String digest = String.valueOf(
                Imports.intoNewStore(directory.resolve("store"), Imports.table(Stock.SQL), How.USUAL, rows)
                        .digest());
        String nodes = addresses();
        Result imported = on(nodes, "import", "--schema", schema.toString(), "--json", rows.toString());
        assertEquals(0, imported.exitCode(), imported.toString());
        assertEquals(digest, imported.report().get("digest").asText());
        Result read = on(nodes, "digest", "stock", "--json");
        assertEquals(digest, read.report().get("digest").asText(), read.toString());
        Result drawn = on(nodes, "lsm", "--table", "stock");
        assertEquals(0, drawn.exitCode(), drawn.toString());
    }

    /** The way of docs/how-to/java.md. */
    @Test
    void javaClientNeedsTheTokenAndTheCertificate() throws Exception {
        Path tokens = Files.writeString(directory.resolve("tokens"), "app read application-0123456789\n");
        List<String> options = new ArrayList<>(credentials.ofServer());
        options.addAll(List.of("--tokens", tokens.toString()));
        SluiceProcess service = SluiceProcess.serve(
                Files.createDirectory(directory.resolve("served")),
                "127.0.0.1:0",
                directory,
                options.toArray(new String[0]));
        try {
            URI url = URI.create(service.url());
            HttpClient http =
                    HttpClient.newBuilder().sslContext(credentials.tls()).build();

            SluiceClient operator = new SluiceClient(http, url, Credentials.TOKEN, Duration.ofMinutes(1));
            String job = operator.submit(Stock.SQL, List.of(rows.toString()), Map.of());
            assertEquals(
                    "succeeded", operator.watch(job, each -> {}).path("state").asText());
            SluiceClient reader = new SluiceClient(http, url, "application-0123456789", Duration.ofMinutes(1));
            assertEquals(List.of("stock"), reader.tables());
            ServiceException forbidden = assertThrows(
                    ServiceException.class, () -> reader.submit(Stock.SQL, List.of(rows.toString()), Map.of()));
            assertEquals(403, forbidden.status());
            ServiceException unknown = assertThrows(
                    ServiceException.class,
                    () -> new SluiceClient(http, url, "wrong-0123456789", Duration.ofMinutes(1)).tables());
            assertEquals(401, unknown.status());
            SluiceClient untrusting =
                    new SluiceClient(HttpClient.newHttpClient(), url, Credentials.TOKEN, Duration.ofMinutes(1));
            assertThrows(UncheckedIOException.class, untrusting::tables);
        } finally {
            service.terminate();
            Result unused = service.await();
        }
    }

    /** Members of a cluster prove to each other who they are: with TLS, and certificates on both sides. */
    @Test
    void membersOfAClusterCheckEachOthersCertificates() throws Exception {
        int[] ports = new int[4];
        for (int i = 0; i < ports.length; i++) {
            ports[i] = FreePorts.next();
        }
        String list = "https://127.0.0.1:" + ports[0] + ",https://127.0.0.1:" + ports[1];
        List<NodeProcess> members = new ArrayList<>();
        try {
            for (int i = 0; i < 2; i++) {
                List<String> options =
                        new ArrayList<>(List.of("--cluster", list, "--raft-listen", "127.0.0.1:" + ports[2 + i]));
                options.addAll(credentials.ofMember());
                members.add(NodeProcess.at(
                        "127.0.0.1:" + ports[i], directory.resolve("member-" + i), options.toArray(new String[0])));
            }
            members.get(1).awaitLine("joined 2 nodes");
            Result status = on(members.get(0).url(), "cluster", "status");
            assertEquals(0, status.exitCode(), status.toString());
            assertEquals(
                    2,
                    status.out().lines().filter(line -> line.contains(" up ")).count(),
                    status.out());
            assertThrows(IOException.class, () -> connectWithoutCertificate(ports[2]));
            servicesOfAClusterAreAsStrict(list);
        } finally {
            members.forEach(NodeProcess::close);
        }
        Result open = SluiceProcess.call(
                "node",
                "--store",
                directory.resolve("x").toString(),
                "--listen",
                "127.0.0.1:" + ports[0],
                "--cluster",
                "127.0.0.1:" + ports[0],
                "--tls-cert",
                credentials.certificate().toString(),
                "--tls-key",
                credentials.key().toString());
        assertEquals(2, open.exitCode(), open.toString());
        assertTrue(open.err().contains("needs --peer-trust"), open.err());
    }

    /** A service in standby has the checks of the one with the jobs, and takes over from it. */
    private static void servicesOfAClusterAreAsStrict(String list) throws Exception {
        List<SluiceProcess> services = new ArrayList<>();
        List<String> urls = new ArrayList<>();
        try {
            for (String name : List.of("runs", "stands-by")) {
                Path own = Files.createDirectory(directory.resolve(name));
                List<String> command = new ArrayList<>(List.of("serve", "--nodes", list, "--listen", "127.0.0.1:0"));
                command.addAll(
                        List.of("--state", own.resolve("state").toString(), "--allow-root", directory.toString()));
                command.addAll(credentials.ofServer());
                command.addAll(List.of("--tls-trust", credentials.certificate().toString()));
                services.add(SluiceProcess.start(own, List.of(), command.toArray(new String[0])));
                urls.add(services.get(services.size() - 1).url());
            }
            String standby = urls.get(1);
            assertTrue(standby.startsWith("https://"), standby);
            HttpClient http =
                    HttpClient.newBuilder().sslContext(credentials.tls()).build();
            for (String url : urls) {
                for (String token : new String[] {"wrong-0123456789", null}) {
                    assertEquals(401, status(http, url + "/v1/imports", token), url);
                    assertEquals(200, status(http, url + "/healthz", token), url);
                }
                assertEquals(200, status(http, url + "/v1/imports", Credentials.TOKEN), url);
                // One that does not trust the certificate sends nothing.
                assertThrows(
                        SSLException.class,
                        () -> status(HttpClient.newHttpClient(), url + "/v1/imports", Credentials.TOKEN));
                assertThrows(
                        IOException.class,
                        () -> status(http, url.replace("https:", "http:") + "/v1/imports", Credentials.TOKEN));
                Result plain = SluiceProcess.call(
                        "tables",
                        "--server",
                        url.replace("https:", "http:"),
                        "--token-file",
                        credentials.token().toString());
                assertEquals(1, plain.exitCode(), plain.toString());
            }
            SluiceClient operator =
                    new SluiceClient(http, URI.create(standby), Credentials.TOKEN, Duration.ofMinutes(1));
            String job = operator.submit(
                    Stock.SQL.replace("TABLE stock", "TABLE other"), List.of(rows.toString()), Map.of());
            assertEquals(
                    "succeeded", operator.watch(job, each -> {}).path("state").asText());

            services.get(0).terminate();
            assertEquals(0, services.get(0).await().exitCode());
            // It tells only those that have the token whether a service runs the jobs.
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            int answer = 0;
            while (answer != 200 && System.nanoTime() - end < 0) {
                try {
                    assertEquals(401, status(http, standby + "/v1/imports", null));
                    answer = status(http, standby + "/v1/imports/" + job, Credentials.TOKEN);
                    assertTrue(answer == 200 || answer == 503, "status " + answer);
                } catch (IOException e) {
                    // It listens anew when it takes over.
                }
                TimeUnit.MILLISECONDS.sleep(50);
            }
            assertEquals(200, answer);
            assertEquals(401, status(http, standby + "/v1/imports/" + job, "wrong-0123456789"));
        } finally {
            for (SluiceProcess service : services) {
                service.kill();
                Result unused = service.await();
            }
        }
    }

    private static int status(HttpClient http, String url, @Nullable String token) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofMinutes(1));
        if (token != null) {
            request.header("authorization", "Bearer " + token);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    /**
     * Speaks HTTP/2 over TLS and trusts the server, but has no certificate. With TLS 1.3 the refusal comes with the
     * first read.
     */
    private static void connectWithoutCertificate(int port) throws Exception {
        try (SSLSocket socket =
                (SSLSocket) credentials.tls().getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port)) {
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {"h2"});
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            socket.getOutputStream().write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            // An empty frame of settings: a server answers with its own.
            socket.getOutputStream().write(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0});
            socket.getOutputStream().flush();
            if (socket.getInputStream().read() < 0) {
                throw new EOFException("the server has closed the connection");
            }
        }
    }

    /** Runs a command on nodes, with the token and the certificate. */
    private static Result on(String addresses, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--nodes", addresses));
        all.addAll(credentials.ofClient());
        return SluiceProcess.call(all.toArray(new String[0]));
    }

    @Test
    void aWrongTokenIsRefused() throws Exception {
        Path wrong = Files.writeString(directory.resolve("wrong"), "another-token-of-thirty-two-chars");
        for (String[] shown : new String[][] {
            {"--tls-trust", credentials.certificate().toString(), "--token-file", wrong.toString()},
            {"--tls-trust", credentials.certificate().toString()}
        }) {
            Result refused = tables(addresses(), shown);
            assertEquals(2, refused.exitCode(), refused.toString());
            assertTrue(refused.err().contains("missing or wrong token"), refused.toString());
            assertTrue(refused.err().contains("--token-file"), refused.toString());
            assertFalse(refused.err().contains(Credentials.TOKEN), "it printed the token");
            assertEquals("", refused.out());
        }
        Result notImported = SluiceProcess.call(
                "import",
                "--schema",
                schema.toString(),
                rows.toString(),
                "--nodes",
                addresses(),
                "--tls-trust",
                credentials.certificate().toString(),
                "--token-file",
                wrong.toString());
        assertEquals(2, notImported.exitCode(), notImported.toString());
        assertTrue(notImported.err().contains("missing or wrong token"), notImported.toString());
    }

    @Test
    void selfSignedCertificateIsNotTrusted() throws Exception {
        Result refused = tables(addresses(), "--token-file", credentials.token().toString());
        assertEquals(2, refused.exitCode(), refused.toString());
        assertTrue(refused.err().contains("--tls-trust"), refused.toString());
    }

    @Test
    void anotherNameThanTheCertificatesIsNotTrusted() throws Exception {
        String other = nodes.get(0).url().replace("127.0.0.1", "localhost");
        Result refused = on(other, "tables");
        assertEquals(2, refused.exitCode(), refused.toString());
        assertTrue(refused.err().contains("certificate"), refused.toString());
    }

    @Test
    void plainHttpGetsNoAnswer() throws Exception {
        Result refused = tables(
                nodes.get(0).address(), "--token-file", credentials.token().toString());
        assertEquals(1, refused.exitCode(), refused.toString());
        assertTrue(refused.err().contains("https://"), refused.toString());
    }
}
