package io.sluice.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.model.error.NodeUnreachableException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Requests to a node that accepts connections and never answers, such as a stopped process. */
class LinkTest {
    @Test
    void silenceLongerThanThePatienceIsNotAwaitedTwice() throws Exception {
        AtomicInteger connections = new AtomicInteger();
        List<Socket> open = new ArrayList<>();
        Thread accepting;
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            accepting = new Thread(() -> {
                while (true) {
                    try {
                        open.add(silent.accept());
                        connections.incrementAndGet();
                    } catch (IOException e) {
                        return;
                    }
                }
            });
            accepting.start();
            RemoteSettings settings = RemoteSettings.of("127.0.0.1:" + silent.getLocalPort())
                    .withPatience(100, 100)
                    .withAnswerMillis(1_000);
            try (RemoteNode node = new RemoteNode(settings)) {
                assertThrows(NodeUnreachableException.class, node::status);
            }
        }
        accepting.join();
        for (Socket each : open) {
            each.close();
        }
        assertEquals(1, connections.get());
    }
}
