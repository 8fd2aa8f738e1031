package io.sluice.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.RequestHeaders;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The gatekeeper admits clients with the token; without a token it admits this machine, except foreign web pages. */
class GatekeeperTest {
    private static final String TOKEN = "Bearer " + TinyServer.SECRET;
    private static final TinyServer OPEN = TinyServer.open();
    private static final TinyServer GUARDED = TinyServer.withToken();

    @AfterAll
    static void close() {
        OPEN.close();
        GUARDED.close();
    }

    @Test
    void withoutTokenOnlyOpenRequestsOfTheProfileAreAdmitted() throws Exception {
        for (String path : List.of("/things/x", "/lines", "/metrics", "/", "/nope", "/about/", "/ABOUT")) {
            assertEquals(401, GUARDED.get(path).statusCode(), path);
            assertEquals(401, GUARDED.get(path, "authorization", TOKEN + "x").statusCode(), path);
            assertEquals(
                    401, GUARDED.get(path, "authorization", TinyServer.SECRET).statusCode(), path);
        }
        assertEquals(401, GUARDED.send("POST", "/about", "").statusCode());
        assertEquals(200, GUARDED.get("/about").statusCode());
        assertEquals(200, GUARDED.get("/healthz").statusCode());

        HttpResponse<String> none = GUARDED.get("/things/x");
        assertEquals("unauthorized", TinyServer.kind(none));
        assertEquals(
                "send the tiny's token as Authorization: Bearer TOKEN",
                TinyServer.json(none).get("detail").asText());
        assertTrue(none.headers().firstValue("www-authenticate").isPresent());
        assertEquals(200, GUARDED.get("/things/x", "authorization", TOKEN).statusCode());
    }

    @Test
    void withTokenHostAndOriginAreIgnored() throws Exception {
        assertStatus(
                200,
                GUARDED.raw(
                        "GET /things/x HTTP/1.1",
                        "host: import.example",
                        "origin: https://elsewhere.example",
                        "authorization: " + TOKEN));
    }

    @Test
    void withoutTokenHostMustBeLoopback() throws Exception {
        String port = ":" + OPEN.server().address().getPort();
        for (String host : List.of(
                "localhost",
                "localhost" + port,
                "LocalHost" + port,
                "localhost:1",
                "127.0.0.1" + port,
                "127.0.0.1",
                "127.255.0.9" + port,
                "[::1]" + port,
                "[::1]",
                "[0:0:0:0:0:0:0:1]" + port)) {
            assertStatus(200, OPEN.raw("GET /things/x HTTP/1.1", "host: " + host));
        }
        for (String host : List.of(
                "rebound.example",
                "rebound.example" + port,
                "localhost.example",
                "localhost.",
                "127.0.0.1.example" + port,
                "127.1",
                "0.0.0.0" + port,
                "128.0.0.1",
                "192.168.1.1" + port,
                "[::]" + port,
                "[::2]" + port)) {
            assertForbidden(OPEN.raw("GET /things/x HTTP/1.1", "host: " + host));
        }
        // On any path, open or unknown.
        assertForbidden(OPEN.raw("GET /healthz HTTP/1.1", "host: rebound.example"));
        assertForbidden(OPEN.raw("GET /nope HTTP/1.1", "host: rebound.example"));
        for (String nonsense : List.of("", "localhost@rebound.example", "localhost/", "a b", "[::1", "#")) {
            String answer = OPEN.raw("GET /things/x HTTP/1.1", "host: " + nonsense);
            assertFalse(answer.startsWith("HTTP/1.1 2"), () -> "'" + nonsense + "': " + answer);
        }
        for (String head : List.of("GET /things/x HTTP/1.0", "GET http://rebound.example/things/x HTTP/1.1")) {
            String answer = OPEN.raw(head);
            assertFalse(answer.startsWith("HTTP/1.1 2"), () -> head + ": " + answer);
        }
    }

    @Test
    void hostIsCheckedInHttp2Too() {
        WebClient client = WebClient.of(OPEN.server().url().replace("http:", "h2c:"));
        for (String host : List.of("localhost:1", "rebound.example")) {
            RequestHeaders head = RequestHeaders.of(HttpMethod.GET, "/things/x", HttpHeaderNames.AUTHORITY, host);
            int status = client.execute(head).aggregate().join().status().code();
            assertEquals(host.startsWith("localhost") ? 200 : 403, status, host);
        }
    }

    @Test
    void withoutTokenPagesOfOtherOriginsAreRefused() throws Exception {
        String own = OPEN.server().url();
        int port = OPEN.server().address().getPort();
        for (String method : List.of("GET", "POST", "OPTIONS")) {
            for (String origin : List.of(
                    "https://elsewhere.example",
                    "http://elsewhere.example:" + port,
                    "http://127.0.0.1:" + (port == 1 ? 2 : 1),
                    "http://127.0.0.1",
                    "http://localhost:" + port,
                    "https://127.0.0.1:" + port,
                    own + ".elsewhere.example",
                    "null")) {
                HttpResponse<String> answer = OPEN.send(method, "/numbers", "{\"value\":1}", "origin", origin);
                assertEquals(403, answer.statusCode(), method + " from " + origin);
                assertEquals("forbidden", TinyServer.kind(answer));
            }
        }
        HttpResponse<String> answer = OPEN.send("POST", "/numbers", "{\"value\":1}", "origin", own);
        assertEquals(200, answer.statusCode(), answer.body());
        assertStatus(
                200, OPEN.raw("GET /things/x HTTP/1.1", "host: localhost:" + port, "origin: http://localhost:" + port));
    }

    @Test
    void newRequestsAreRefusedWhileServerCloses() throws Exception {
        try (TinyServer tiny = TinyServer.open();
                Socket busy = tiny.socket();
                Socket late = tiny.socket()) {
            String health = "GET /healthz HTTP/1.1";
            assertStatus(200, TinyServer.raw(late, health, "host: localhost"));
            busy.getOutputStream().write(TinyServer.ascii("GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n"));
            tiny.slowBegan.await();
            Thread closing = new Thread(tiny.server()::close, "closing");
            closing.start();
            String answer = TinyServer.raw(late, health, "host: localhost");
            while (answer.startsWith("HTTP/1.1 200")) {
                answer = TinyServer.raw(late, health, "host: localhost");
            }
            assertStatus(503, answer);
            assertTrue(answer.contains("{\"status\":\"closing\"}"), answer);
            String refused = TinyServer.raw(late, "GET /things/x HTTP/1.1", "host: localhost");
            assertStatus(503, refused);
            assertTrue(refused.contains("the tiny is closing; try again when it is back"), refused);
            tiny.slow.countDown();
            // A request in progress gets its response.
            assertTrue(new String(busy.getInputStream().readNBytes(12), StandardCharsets.US_ASCII).endsWith("204"));
            closing.join();
        }
    }

    private static void assertForbidden(String answer) {
        assertStatus(403, answer);
        assertTrue(answer.contains("urn:sluice:problem:forbidden"), answer);
    }

    private static void assertStatus(int status, String answer) {
        assertTrue(answer.startsWith("HTTP/1.1 " + status + " "), answer);
    }
}
