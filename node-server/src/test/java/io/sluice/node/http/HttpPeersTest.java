package io.sluice.node.http;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.sluice.api.transaction.LastAgent;
import io.sluice.api.transaction.Outcome;
import io.sluice.grammar.StatementException;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A node's token goes to nodes that the operator has named, and to no address that a request names. */
class HttpPeersTest {
    private static final String NODE = "the right one";
    private static final String TOKEN = "a token of at least thirty-two chars";

    /** A server that answers in the name of a node, and keeps the authorization that it was shown. */
    private static final class Listener implements AutoCloseable {
        private final List<String> shown = new ArrayList<>();
        private final HttpServer server;

        Listener(String node) throws Exception {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/", exchange -> {
                shown.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
                byte[] body =
                        ("{\"node\":\"" + node + "\",\"outcome\":\"committed\"}").getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
                exchange.close();
            });
            server.start();
        }

        String url() {
            return "http://127.0.0.1:" + server.getAddress().getPort();
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }

    private static HttpPeers peers(String token, String... nodes) {
        return new HttpPeers(token.isEmpty() ? null : token, null, List.of(nodes));
    }

    @Test
    void theTokenGoesToNamedNodesOnly() throws Exception {
        UUID transaction = UUID.randomUUID();
        try (Listener named = new Listener(NODE);
                Listener other = new Listener("another one")) {
            LastAgent lies = new LastAgent(NODE, other.url());
            HttpPeers toNamed = peers(TOKEN, named.url());
            toNamed.ensureAskable(lies);
            assertEquals(Outcome.COMMITTED, toNamed.outcome(lies, transaction));
            assertEquals(List.of("Bearer " + TOKEN), named.shown);
            HttpPeers toNone = peers(TOKEN);
            StatementException refused = assertThrows(StatementException.class, () -> toNone.ensureAskable(lies));
            assertTrue(refused.text().contains("--peers"), refused.text());
            assertThrows(OperationFailedException.class, () -> toNone.outcome(lies, transaction));
            assertTrue(other.shown.isEmpty());
            HttpPeers toAny = peers("");
            OperationFailedException wrong =
                    assertThrows(OperationFailedException.class, () -> toAny.outcome(lies, transaction));
            assertTrue(String.valueOf(wrong.getMessage()).contains("not that of node"), wrong.getMessage());
            assertEquals(List.of("null"), other.shown);
        }
    }

    @Test
    void onlyNamedNodesOfOtherMachinesAreAsked() {
        assertThrows(StatementException.class, () -> peers("")
                .ensureAskable(new LastAgent(NODE, "http://169.254.169.254:80")));
    }

    @Test
    void noTokenGoesOverANetworkWithoutTls() {
        BadInputException refused =
                assertThrows(BadInputException.class, () -> peers(TOKEN, "http://node.example:7001"));
        assertTrue(String.valueOf(refused.getMessage()).contains("TLS"), refused.getMessage());
        assertFalse(String.valueOf(refused.getMessage()).contains(TOKEN));
        assertDoesNotThrow(() -> peers(TOKEN, "https://node.example:7001"));
    }
}
