package io.sluice.node.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.server.Route;
import com.linecorp.armeria.server.ServiceConfig;
import io.sluice.api.wire.ApiPaths;
import io.sluice.http.BearerToken;
import io.sluice.node.NodeSettings;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests without the token are refused on every path. */
class GatekeeperTest {
    private static final String SECRET = "correct-horse-battery-staple";

    /** The paths come from the server itself, so the test covers new routes without a change. */
    @Test
    void noRouteAnswersWithoutTheToken(@TempDir Path directory) throws Exception {
        try (ServedNode served = withToken(directory)) {
            List<ServiceConfig> routes = served.server.routes();
            assertTrue(routes.size() > 20, "only " + routes.size() + " routes");
            for (ServiceConfig config : routes) {
                Route route = config.route();
                String path = route.patternString().replaceAll("[{:][A-Za-z]+}?", "x");
                for (HttpMethod method : route.methods()) {
                    boolean open = path.equals(ApiPaths.HEALTH) && method == HttpMethod.GET;
                    for (Map<String, String> headers : wrongTokens()) {
                        HttpResponse<String> answer =
                                served.send(method.name(), path, BodyPublishers.noBody(), headers);
                        assertEquals(open ? 200 : 401, answer.statusCode(), method + " " + path + " " + headers);
                    }
                }
            }
            for (String path : List.of("/", "/nope", "/v1/nope", "/healthz/", "/HEALTHZ", "/metrics?x=/healthz")) {
                assertEquals(401, served.get(path).statusCode(), path);
            }
            // Not even looked up.
            assertEquals(400, served.get("/healthz/../metrics").statusCode());
            assertEquals(401, served.post(ApiPaths.HEALTH, "", Map.of()).statusCode());
        }
    }

    /** All routes again: none is left to pages from elsewhere because a node on loopback has no token. */
    @Test
    void noRouteAnswersPagesOfOtherOriginsWithoutAToken(@TempDir Path directory) throws Exception {
        try (ServedNode served = ServedNode.open(directory)) {
            for (ServiceConfig config : served.server.routes()) {
                String path = config.route().patternString().replaceAll("[{:][A-Za-z]+}?", "x");
                for (HttpMethod method : config.route().methods()) {
                    HttpResponse<String> answer = served.send(
                            method.name(),
                            path,
                            BodyPublishers.noBody(),
                            Map.of("origin", "https://elsewhere.example"));
                    assertEquals(403, answer.statusCode(), method + " " + path);
                }
            }
            HttpResponse<String> own =
                    served.send("GET", ApiPaths.NODE, BodyPublishers.noBody(), Map.of("origin", served.server.url()));
            assertEquals(200, own.statusCode(), own.body());
        }
    }

    private static List<Map<String, String>> wrongTokens() {
        return List.of(
                Map.of(),
                Map.of("authorization", "Bearer wrong-" + SECRET),
                Map.of("authorization", "Bearer " + SECRET.substring(1)),
                Map.of("authorization", "Basic " + SECRET),
                Map.of("authorization", SECRET),
                Map.of("authorization", "Bearer "));
    }

    @Test
    void theTokenOpens(@TempDir Path directory) throws Exception {
        try (ServedNode served = withToken(directory)) {
            Map<String, String> right = Map.of("authorization", "bearer " + SECRET);
            assertEquals(
                    200,
                    served.send("GET", ApiPaths.NODE, BodyPublishers.noBody(), right)
                            .statusCode());
            HttpResponse<String> none = served.get(ApiPaths.NODE);
            assertEquals("unauthorized", ServedNode.kind(none));
            assertTrue(none.headers().firstValue("www-authenticate").isPresent());
            assertFalse(none.body().contains(SECRET));
        }
    }

    private static ServedNode withToken(Path directory) throws Exception {
        return new ServedNode(directory, NodeSettings.defaults(), NodeLimits.defaults(), new BearerToken(SECRET));
    }
}
