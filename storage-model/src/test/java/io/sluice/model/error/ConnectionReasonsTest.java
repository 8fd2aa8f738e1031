package io.sluice.model.error;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import org.junit.jupiter.api.Test;

/** Tests the words for failed connections: no system calls, error numbers or queries. */
class ConnectionReasonsTest {
    @Test
    void failedConnectionsAreInPlainWords() {
        assertEquals(
                "connection refused",
                Reasons.ofConnection(new ConnectException(
                        "finishConnect(..) failed with error(-111): Connection refused: /127.0.0.1:1")));
        assertEquals("connection refused", Reasons.ofConnection(new ConnectException()));
        assertEquals(
                "connection refused",
                Reasons.ofConnection(new IOException("Connection refused: localhost/127.0.0.1:80")));
        assertEquals(
                "no host has this name",
                Reasons.ofConnection(new IOException(new UnknownHostException("Failed to resolve: [DnsQuestion(h)]"))));
        ConnectException unresolved = new ConnectException();
        unresolved.initCause(new UnresolvedAddressException());
        assertEquals("no host has this name", Reasons.ofConnection(unresolved));
        assertEquals(
                "address already in use",
                Reasons.ofConnection(new IOException("bind(..) failed with error(-98): Address already in use")));
    }
}
