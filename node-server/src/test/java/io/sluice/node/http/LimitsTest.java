package io.sluice.node.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.SstFile;
import io.sluice.api.wire.ApiHeaders;
import io.sluice.api.wire.ApiPaths;
import io.sluice.engine.admit.AdmissionSettings;
import io.sluice.http.ServerLimits;
import io.sluice.model.schema.Table;
import io.sluice.node.NodeSettings;
import io.sluice.testing.Await;
import io.sluice.testing.LiveFiles;
import io.sluice.testing.TestSsts;
import io.sluice.testing.TestTables;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests a node's limits, and its answers beyond them. */
class LimitsTest {
    private static final UUID IMPORT = UUID.fromString("6f1c2c0e-5d0a-4c58-9a0b-0d5a9f3f1a01");
    private static final long SHORT_MILLIS = 500;
    private static final long PATIENT_MILLIS = 5_000;
    private static final long LONG_MILLIS = 60_000;

    private Path directory;

    @BeforeEach
    void use(@TempDir Path temporary) {
        directory = temporary;
    }

    private ServedNode serve(NodeLimits limits) throws IOException {
        return new ServedNode(directory, NodeSettings.defaults(), limits, null);
    }

    @Test
    void slowHeadersAreDropped() throws Exception {
        NodeLimits limits = NodeLimits.defaults()
                .withServer(ServerLimits.defaults().withTimes(LONG_MILLIS, SHORT_MILLIS, LONG_MILLIS, LONG_MILLIS));
        try (ServedNode served = serve(limits);
                Socket socket = served.socket()) {
            OutputStream out = socket.getOutputStream();
            out.write(ascii("GET /v1/node HTTP/1.1\r\nhost: localhost\r\nx: "));
            assertTrue(droppedWhileTrickling(socket, out), "the server still listens");
        }
    }

    @Test
    void aSlowBodyIsDroppedAndLeavesNoFile() throws Exception {
        // Due a little after the time that any request has; the connection itself would be borne with for longer.
        NodeLimits limits = NodeLimits.defaults()
                .withServer(NodeLimits.defaults().server().withTimes(PATIENT_MILLIS, LONG_MILLIS, 1, 1))
                .withPlaces(1, 1)
                .withPace(1 << 20);
        try (ServedNode served = serve(limits)) {
            Table table = served.begin(IMPORT, TestTables.accounts("accounts"), IngestTiming.AT_END);
            SstFile sst = served.ssts(table, TestTables.accountRows(100)).get(0);
            try (Socket socket = served.socket()) {
                OutputStream out = socket.getOutputStream();
                out.write(ascii(head(sst, ServedNode.headers(sst, IMPORT, 1))));
                assertTrue(droppedWhileTrickling(socket, out), "the server still listens");
            }
            awaitNothingStaged(served);
            // Its place is free again.
            assertEquals(201, served.put(sst, IMPORT).statusCode());
        }
    }

    @Test
    void aConnectionCutInTheMiddleOfABodyLeavesNoFile() throws Exception {
        try (ServedNode served = serve(NodeLimits.defaults())) {
            Table table = served.begin(IMPORT, TestTables.accounts("accounts"), IngestTiming.ON_ARRIVAL);
            SstFile sst = served.ssts(table, TestTables.accountRows(3_000)).get(0);
            byte[] body = Files.readAllBytes(sst.path());
            for (int part = 0; part < 4; part++) {
                try (Socket socket = served.socket()) {
                    OutputStream out = socket.getOutputStream();
                    out.write(ascii(head(sst, ServedNode.headers(sst, IMPORT, 1))));
                    out.write(body, 0, body.length * part / 4);
                    out.flush();
                    Thread.sleep(50);
                }
            }
            awaitNothingStaged(served);
            assertEquals(201, served.put(sst, IMPORT).statusCode());
        }
    }

    /** Writes a byte now and then until the other side has had enough. */
    private static boolean droppedWhileTrickling(Socket socket, OutputStream out) throws Exception {
        for (int i = 0; i < 600; i++) {
            try {
                out.write('x');
                out.flush();
                if (socket.getInputStream().available() > 0) {
                    return answered(socket);
                }
            } catch (SocketException e) {
                return true;
            }
            Thread.sleep(50);
        }
        return false;
    }

    /** An answer is fine, if the connection then ends. */
    private static boolean answered(Socket socket) throws IOException {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
            String status = in.readLine();
            assertTrue(status != null && status.contains(" 503 "), "answered: " + status);
            while (in.readLine() != null) {
                // until it ends
            }
        } catch (SocketException e) {
            return true;
        }
        return true;
    }

    private void awaitNothingStaged(ServedNode served) throws Exception {
        Await.until(
                () -> LiveFiles.below(directory.resolve("store/staging")).isEmpty()
                        && served.node.status().load().stagedBytes() == 0,
                () -> "something is left in staging");
    }

    private static String head(SstFile sst, Map<String, String> headers) {
        StringBuilder head = new StringBuilder("PUT " + ApiPaths.sst(sst.id())
                + " HTTP/1.1\r\nhost: localhost\r\ncontent-length: " + sst.fileBytes() + "\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        return head.append("\r\n").toString();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void uploadsAreLimited() throws Exception {
        try (ServedNode served = serve(NodeLimits.defaults().withPlaces(1, 1))) {
            Table table = served.begin(IMPORT, TestTables.accounts("accounts"), IngestTiming.AT_END);
            List<SstFile> ssts = served.ssts(table, TestTables.accountRows(100));
            try (Socket socket = served.socket()) {
                OutputStream out = socket.getOutputStream();
                out.write(ascii(head(ssts.get(0), ServedNode.headers(ssts.get(0), IMPORT, 1))));
                out.flush();
                Await.until(
                        () -> served.get(ApiPaths.METRICS).body().contains("sluice_uploads_in_flight 1.0"),
                        () -> "the first upload does not begin");
                HttpResponse<String> second = served.put(ssts.get(1), IMPORT);
                assertEquals(503, second.statusCode(), second.body());
                assertEquals("uploads", ServedNode.json(second).get("limiter").asText());
                assertEquals("1", second.headers().firstValue("retry-after").orElseThrow());
                out.write(Files.readAllBytes(ssts.get(0).path()));
                out.flush();
                String status = new BufferedReader(
                                new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
                        .readLine();
                assertEquals("HTTP/1.1 201 Created", status);
            }
        }
    }

    @Test
    void bodiesAndHeadersThatAreTooLargeAreRefused() throws Exception {
        try (ServedNode served = serve(NodeLimits.defaults().withSstBytes(1000))) {
            Table table = served.begin(IMPORT, TestTables.accounts("accounts"), IngestTiming.AT_END);
            SstFile sst = served.ssts(table, TestTables.accountRows(3_000)).get(0);
            assertEquals("too-large", ServedNode.kind(served.put(sst, IMPORT)));

            String large = "x".repeat(3 << 20);
            HttpResponse<String> note = served.send(
                    "PUT",
                    ApiPaths.checkpoint(IMPORT, "n"),
                    BodyPublishers.ofString(large),
                    Map.of(ApiHeaders.ATTEMPT, "1"));
            assertEquals(413, note.statusCode());

            HttpResponse<String> header =
                    served.send("GET", ApiPaths.NODE, BodyPublishers.noBody(), Map.of("x", "y".repeat(70 << 10)));
            assertEquals(431, header.statusCode());
            assertEquals(200, served.get(ApiPaths.HEALTH).statusCode());
        }
    }

    @Test
    void aBodyWithoutLengthIsRefused() throws Exception {
        try (ServedNode served = serve(NodeLimits.defaults())) {
            HttpResponse<String> answer = served.send(
                    "PUT",
                    ApiPaths.sst(IMPORT),
                    BodyPublishers.ofInputStream(() -> new java.io.ByteArrayInputStream(new byte[10])),
                    Map.of());
            assertEquals(411, answer.statusCode(), answer.body());
        }
    }

    @Test
    void aClosedGateSays429BeforeTheBody() throws Exception {
        AdmissionSettings gate = NodeSettings.defaults().ingest().admission();
        NodeSettings crowded = withAdmission(new AdmissionSettings(
                gate.hardHeight(),
                1,
                gate.compactionBytes(),
                gate.stagedBytes(),
                gate.disk(),
                gate.decay(),
                gate.waits()));
        try (ServedNode served = new ServedNode(directory, crowded, NodeLimits.defaults(), null)) {
            HttpResponse<String> answer = untilTurnedAway(served);
            assertEquals(429, answer.statusCode(), answer.body());
            assertEquals("deferred", ServedNode.kind(answer));
            assertEquals("files", ServedNode.json(answer).get("limiter").asText());
            assertTrue(answer.headers().firstValue("retry-after").isPresent());
            assertTrue(served.get(ApiPaths.METRICS).body().contains("sluice_ssts_deferred_total{limiter=\"files\"}"));
        }
    }

    @Test
    void aDiskBelowItsReserveSays503AndAtLast507() throws Exception {
        AdmissionSettings gate = NodeSettings.defaults().ingest().admission();
        AdmissionSettings full = gate.withDisk(new AdmissionSettings.Disk(1L << 61, 1L << 60));
        try (ServedNode served = new ServedNode(directory, withAdmission(full), NodeLimits.defaults(), null)) {
            HttpResponse<String> answer = untilTurnedAway(served);
            assertEquals(503, answer.statusCode(), answer.body());
            assertEquals("disk", ServedNode.json(answer).get("limiter").asText());
        }
        directory = directory.resolve("impatient");
        NodeSettings impatient =
                withAdmission(full).withIngest(withAdmission(full).ingest().withDiskPatienceMillis(0));
        try (ServedNode served = new ServedNode(directory, impatient, NodeLimits.defaults(), null)) {
            HttpResponse<String> answer = untilTurnedAway(served);
            assertEquals(507, answer.statusCode(), answer.body());
            assertEquals("disk-full", ServedNode.kind(answer));
        }
    }

    private static NodeSettings withAdmission(AdmissionSettings gate) {
        NodeSettings settings = NodeSettings.defaults();
        return settings.withIngest(settings.ingest().withSmallSstBytes(0).withAdmission(gate));
    }

    /** Offers SSTs until the node refuses one, and returns that response. Only admitted SSTs send their bodies. */
    private static HttpResponse<String> untilTurnedAway(ServedNode served) throws Exception {
        Table table = served.begin(IMPORT, TestTables.accounts("accounts"), IngestTiming.ON_ARRIVAL);
        for (int i = 0; i < 10; i++) {
            for (SstFile sst : served.ssts(table, rows(i))) {
                HttpResponse<String> answer = served.put(sst, IMPORT);
                if (answer.statusCode() >= 400) {
                    return answer;
                }
            }
        }
        throw new AssertionError("everything was admitted");
    }

    private static List<List<@Nullable String>> rows(int from) {
        return TestTables.accountRows(100 * (from + 1)).subList(100 * from, 100 * (from + 1));
    }

    @Test
    void aBrokenPipeFreesItsPermit() throws Exception {
        NodeLimits one = NodeLimits.defaults()
                .withServer(NodeLimits.defaults().server().withTimes(LONG_MILLIS, LONG_MILLIS, LONG_MILLIS, 1))
                .withPlaces(4, 1)
                .withPace(1);
        try (ServedNode served = serve(one)) {
            Table table = served.begin(IMPORT, TestTables.accounts("accounts"), IngestTiming.AT_END);
            List<SstFile> ssts = served.ssts(table, TestTables.accountRows(200_000));
            for (SstFile sst : ssts) {
                assertEquals(201, served.put(sst, IMPORT).statusCode());
            }
            var session = served.node.session(IMPORT);
            assertNotEquals(null, session);
            if (session != null) {
                session.finalizeIngest();
                session.publish(TestSsts.sums(table, ssts));
            }
            try (Socket socket = served.socket()) {
                socket.getOutputStream()
                        .write(ascii("GET /v1/tables/accounts/rows HTTP/1.1\r\nhost: localhost\r\n\r\n"));
                assertNotEquals(-1, socket.getInputStream().read());
                // 7 MB of rows do not fit into the sockets' buffers, so the scan is under way.
                assertEquals(503, served.get(ApiPaths.rows("accounts")).statusCode());
            }
            Map<Integer, Integer> answers = new HashMap<>();
            for (int i = 0; i < 600 && !answers.containsKey(200); i++) {
                answers.merge(served.get(ApiPaths.rows("accounts") + "?limit=1").statusCode(), 1, Integer::sum);
                Thread.sleep(20);
            }
            assertTrue(answers.containsKey(200), "answers: " + answers);
        }
    }
}
