package io.sluice.cli.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.wire.JobsBody;
import io.sluice.client.RemoteSettings;
import io.sluice.http.BearerToken;
import io.sluice.http.HttpSettings;
import io.sluice.http.ServerLimits;
import io.sluice.http.Tokens;
import io.sluice.model.error.ChangeRefusedException;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.service.ImportService;
import io.sluice.service.ServiceSettings;
import io.sluice.service.StateDirectory;
import io.sluice.service.job.JobCatalog;
import io.sluice.service.run.RunSettings;
import io.sluice.service.run.Target;
import io.sluice.service.spec.SourceRoots;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A service that stands by, in front of real services that run jobs. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class StandbyServerTest {
    private static final String SECRET = "correct-horse-battery-staple";
    private static final long MEMORY_BYTES = 256L << 20;

    @TempDir
    Path directory;

    private final AtomicReference<@Nullable String> running = new AtomicReference<>();
    private final HttpClient client = HttpClient.newHttpClient();
    private StandbyServer standby;

    @BeforeEach
    void start() {
        standby = StandbyServer.start(any(), ServerLimits.defaults(), running::get, RemoteSettings::of);
    }

    @AfterEach
    void close() {
        standby.close();
    }

    private static HttpSettings any() {
        return new HttpSettings(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Tokens.of(new BearerToken(SECRET)), null);
    }

    /** A service with its store, which runs the jobs. */
    private record Running(StorageNode node, StateDirectory state, ImportService service) implements AutoCloseable {
        static Running in(Path directory) {
            return in(directory, null);
        }

        static Running in(Path directory, @Nullable JobCatalog catalog) {
            StorageNode node = StorageNode.open(directory.resolve("store"), NodeSettings.defaults());
            StateDirectory state = StateDirectory.open(directory.resolve("state"));
            ServiceSettings settings = new ServiceSettings(
                    state,
                    catalog,
                    new RunSettings(1, MEMORY_BYTES, 1, "test"),
                    1,
                    new SourceRoots(List.of(directory.toString())),
                    any(),
                    ServerLimits.defaults(),
                    Clock.systemUTC());
            Target target = new Target(node, 1, node.workDirectory(), null, table -> null, List::of);
            return new Running(node, state, ImportService.start(settings, target, (routes, audited) -> {}));
        }

        @Override
        public void close() {
            service.close();
            state.close();
            node.close();
        }
    }

    private HttpResponse<String> get(String path, @Nullable String token) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(standby.url() + path));
        if (token != null) {
            request.header("authorization", "Bearer " + token);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private void assertAnswers(int status, String text, HttpResponse<String> answer) {
        assertEquals(status, answer.statusCode(), answer.body());
        assertTrue(answer.body().contains(text), answer.body());
    }

    /** It lives as long as it listens; it is ready while a service runs the jobs. */
    @Test
    void readinessIsThatOfTheServiceThatRunsTheJobs() throws Exception {
        assertAnswers(200, "standing by", get("/healthz", null));
        assertAnswers(503, "none runs the jobs", get("/readyz", null));
        try (Running first = Running.in(directory.resolve("first"))) {
            running.set(first.service.url());
            assertAnswers(200, "ready", get("/readyz", null));
        }
        assertAnswers(200, "standing by", get("/healthz", null));
        assertAnswers(503, "which runs the jobs, does not answer", get("/readyz", null));
        try (Running second = Running.in(directory.resolve("second"))) {
            running.set(second.service.url());
            assertAnswers(200, "ready", get("/readyz", null));
        }
    }

    /** No request without a token is sent on, nor told the address of the service that runs the jobs. */
    @Test
    void tokensAreCheckedAlsoWhileNoServiceRunsTheJobs() throws Exception {
        running.set("http://127.0.0.1:9");
        for (String token : new String[] {null, SECRET + "r"}) {
            HttpResponse<String> refused = get("/v1/imports", token);
            assertAnswers(401, "token", refused);
            assertFalse(refused.body().contains("127.0.0.1:9"), refused.body());
        }
        assertAnswers(503, "does not answer", get("/v1/imports", SECRET));
    }

    /** The service that runs the jobs checks tokens again. */
    @Test
    void requestsAreSentOnWithTheirTokens() throws Exception {
        try (Running first = Running.in(directory.resolve("first"))) {
            running.set(first.service.url());
            assertAnswers(200, "\"imports\"", get("/v1/imports", SECRET));
            assertAnswers(401, "token", get("/v1/imports", null));
            assertAnswers(401, "token", get("/v1/imports", SECRET + "r"));
        }
    }

    /** Another service at this address had the lease, and has not released it; a request was sent on in a circle. */
    @Test
    void noRequestIsSentOnToItself() throws Exception {
        running.set(standby.url());
        assertAnswers(503, "none runs the jobs", get("/readyz", null));
    }

    /** It has lost the jobs, and does not know it yet: a client that tries again reaches the one that has them. */
    @Test
    void serviceThatHasLostTheJobsIsBusy() throws Exception {
        JobCatalog lost = new JobCatalog() {
            @Override
            public List<JobsBody.Job> all() {
                return List.of();
            }

            @Override
            public void put(JobsBody.Job job) {
                throw new ChangeRefusedException("another import service has taken over the jobs of the cluster");
            }

            @Override
            public void remove(JobsBody.Job job) {}
        };
        try (Running first = Running.in(directory.resolve("first"), lost)) {
            running.set(first.service.url());
            HttpRequest request = HttpRequest.newBuilder(URI.create(standby.url() + "/v1/imports"))
                    .header("authorization", "Bearer " + SECRET)
                    .header("content-type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString("{\"schema\": \"CREATE TABLE t (a INT8 PRIMARY KEY)\","
                            + " \"inputs\": [\"" + directory.resolve("first") + "\"]}"))
                    .build();
            HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
            assertAnswers(503, "another import service has taken over", answer);
            assertTrue(answer.body().contains("retryAfterMillis"), answer.body());
        }
    }

    /** A statement whose answer is lost may be committed; a client runs again what was not started. */
    @Test
    void requestThatWasSentIsNotTakenForOneThatWasNot() throws Exception {
        try (ServerSocket lost = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread server = new Thread(() -> {
                try (Socket connection = lost.accept()) {
                    InputStream request = connection.getInputStream();
                    StringBuilder read = new StringBuilder();
                    for (int next = request.read();
                            next >= 0 && !read.append((char) next).toString().endsWith("UPDATE");
                            next = request.read()) {
                        // The whole request is to arrive.
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            server.start();
            running.set("http://127.0.0.1:" + lost.getLocalPort());
            HttpRequest request = HttpRequest.newBuilder(URI.create(standby.url() + "/v1/sql"))
                    .header("authorization", "Bearer " + SECRET)
                    .POST(HttpRequest.BodyPublishers.ofString("UPDATE"))
                    .build();
            HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
            server.join(TimeUnit.MINUTES.toMillis(1));
            assertAnswers(503, "not known whether the request was done", answer);
            assertTrue(answer.body().contains("urn:sluice:problem:timeout"), answer.body());
        }
        HttpResponse<String> refused = get("/v1/imports", SECRET);
        assertTrue(refused.body().contains("urn:sluice:problem:busy"), refused.body());
    }
}
