package io.sluice.model.error;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import org.junit.jupiter.api.Test;

/** Tests the words for failures: no system calls, error numbers or queries. */
class ReasonsTest {
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

    @Test
    void aFullDiskIsNoBadInput() {
        assertEquals(
                BadInputException.class,
                Reasons.ofPlace("p", new AccessDeniedException("p")).getClass());
        assertEquals(
                BadInputException.class,
                Reasons.ofPlace("p", new FileSystemException("p", null, "Read-only file system"))
                        .getClass());
        assertEquals(
                OperationFailedException.class,
                Reasons.ofPlace("p", new FileSystemException("p", null, "No space left on device"))
                        .getClass());
        assertEquals(
                OperationFailedException.class,
                Reasons.ofPlace("p", new IOException("No space left on device")).getClass());
    }
}
