package io.sluice.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.http.ServerLimits.ConnectionLimits;
import io.sluice.model.error.BadInputException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Invalid server settings are refused. */
class HttpSettingsTest {
    private static final HttpSettings.TlsFiles TLS = new HttpSettings.TlsFiles(Path.of("cert.pem"), Path.of("key.pem"));

    @Test
    void networkAddressNeedsTlsAndToken() {
        InetSocketAddress everywhere = new InetSocketAddress("0.0.0.0", 0);
        Tokens token = Tokens.of(new BearerToken(TinyServer.SECRET));
        assertThrows(BadInputException.class, () -> new HttpSettings(everywhere, null, null));
        assertThrows(BadInputException.class, () -> new HttpSettings(everywhere, token, null));
        assertThrows(BadInputException.class, () -> new HttpSettings(everywhere, null, TLS));
        assertEquals(everywhere, new HttpSettings(everywhere, token, TLS).listen());
    }

    @Test
    void unknownAddressIsRefused() {
        InetSocketAddress unknown = InetSocketAddress.createUnresolved("nowhere.example", 1);
        Tokens token = Tokens.of(new BearerToken(TinyServer.SECRET));
        assertThrows(BadInputException.class, () -> new HttpSettings(unknown, token, TLS));
    }

    @Test
    void tokensAreLongPrintableAndNotInToString() {
        assertThrows(BadInputException.class, () -> new BearerToken("short"));
        assertThrows(BadInputException.class, () -> new BearerToken("x".repeat(5000)));
        assertThrows(BadInputException.class, () -> new BearerToken("with a blank in the middle"));
        assertFalse(new BearerToken(TinyServer.SECRET).toString().contains(TinyServer.SECRET));
    }

    @Test
    void allInvalidLimitsAreNamed() {
        BadInputException wrong = assertThrows(
                BadInputException.class, () -> new ServerLimits(ConnectionLimits.of(0, 1), 1, 1, -1, 1, 1, 0));
        assertEquals(
                "limits of the server: connections, connections per client, body bytes: must be positive",
                wrong.getMessage());
    }
}
