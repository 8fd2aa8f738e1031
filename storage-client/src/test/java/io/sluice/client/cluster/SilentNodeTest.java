package io.sluice.client.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpServer;
import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.JobsBody;
import io.sluice.client.RemoteSettings;
import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A cluster whose first node takes connections and does not answer, as a stopped process does. */
@SuppressWarnings("NullAway.Init") // opened before each test
class SilentNodeTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final long RENEW_MILLIS = 2_000;
    private static final JobsBody JOBS =
            new JobsBody(new JobsBody.Lease("service", "http://127.0.0.1:8080", 1, 7, false), List.of());

    private final AtomicInteger requests = new AtomicInteger();
    private ServerSocket silent;
    private HttpServer answering;

    @BeforeEach
    void open() throws IOException {
        silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        answering = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        answering.createContext("/", exchange -> {
            requests.incrementAndGet();
            boolean jobs = exchange.getRequestURI().getPath().endsWith("/jobs")
                    || exchange.getRequestURI().getPath().endsWith("/lease");
            byte[] body = JSON.writeValueAsBytes(jobs ? JOBS : cluster());
            exchange.getResponseHeaders().set("content-type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        answering.start();
    }

    @AfterEach
    void close() throws IOException {
        silent.close();
        answering.stop(0);
    }

    private ClusterBody cluster() {
        return cluster("b");
    }

    private ClusterBody cluster(String leader) {
        List<ClusterBody.Member> members = List.of(
                new ClusterBody.Member("a", "n1", "http://127.0.0.1:" + silent.getLocalPort(), "127.0.0.1:11"),
                new ClusterBody.Member(
                        "b", "n2", "http://127.0.0.1:" + answering.getAddress().getPort(), "127.0.0.1:12"));
        return new ClusterBody("c", "b", leader, 1, members, List.of(), List.of(), List.of());
    }

    /** Each request to it would take 10 s, after those that it took to find it silent. */
    @Test
    void leaderThatIsLeftOutIsNotAskedToWriteThat() throws IOException {
        ClusterLog log = new ClusterLog(cluster("a"), RemoteSettings::of);
        assertTrue(log.leaveOut("a"));
        silent.setSoTimeout(1);
        assertThrows(SocketTimeoutException.class, silent::accept, "a request to the silent node");
    }

    /** A lease is lost after 8 s, so a renewal must not begin with the same silent node again and again. */
    @Test
    @Timeout(60)
    void silentNodeIsNotAskedFirstAgain() {
        try (ClusterJobs jobs = new ClusterJobs(cluster(), RemoteSettings::of)) {
            JobsBody found = null;
            int tries = 0;
            while (found == null) {
                tries++;
                try {
                    found = jobs.read(true, RENEW_MILLIS);
                } catch (OperationFailedException e) {
                    assertTrue(tries < 2, "the other node is not asked: " + e.getMessage());
                }
            }
            assertEquals(JOBS.lease(), Objects.requireNonNull(found).lease());
            assertTrue(requests.get() > 0);
        }
    }
}
