package io.sluice.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for servers whose addresses must be known before they start, or that start again at the same address. They are
 * below the ports that Linux chooses (32768 and above, {@code ip_local_port_range}), and each test JVM of a module has
 * a range of its own: otherwise a connection or a listener of another test could take the port meanwhile.
 */
public final class FreePorts {
    private static final int FIRST = 10_000;
    private static final int PORTS = 22_768;
    /** Maven numbers the JVMs of a module from 1; a test in an IDE has no number. */
    private static final int JVMS = 8;

    private static final int OWN_PORTS = PORTS / JVMS;
    private static final int OWN_FIRST = FIRST + Integer.getInteger("sluice.test.jvm", 0) % JVMS * OWN_PORTS;
    private static final int MOST_TRIES = 1_000;

    private static final Set<Integer> TAKEN = ConcurrentHashMap.newKeySet();

    private FreePorts() {}

    /** A {@linkplain #next port} with its host, {@code 127.0.0.1:PORT}. */
    public static String nextAddress() throws IOException {
        return "127.0.0.1:" + next();
    }

    /**
     * A port of the loopback address at which nothing listens. This process never gets the same one twice.
     *
     * @throws IOException if none was found
     */
    public static int next() throws IOException {
        IOException last = new IOException("all ports were taken");
        for (int i = 0; i < MOST_TRIES; i++) {
            int port = ThreadLocalRandom.current().nextInt(OWN_FIRST, OWN_FIRST + OWN_PORTS);
            if (!TAKEN.add(port)) {
                continue;
            }
            try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return probe.getLocalPort();
            } catch (IOException e) {
                last = e;
            }
        }
        throw last;
    }
}
