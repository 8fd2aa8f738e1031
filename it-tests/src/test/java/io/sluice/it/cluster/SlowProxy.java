package io.sluice.it.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A TCP proxy that limits the rate of each connection, in bytes per second, or damages bytes. It uses real sockets, so
 * the sender's buffer fills up. A connection that breaks on one side is reset on the other.
 */
final class SlowProxy implements AutoCloseable {
    private static final int CHUNK_BYTES = 8 << 10;
    private static final int SOCKET_BYTES = 64 << 10;
    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final long POLL_MILLIS = 10;

    private final ServerSocket listening;
    private final InetSocketAddress target;
    private final long bytesPerSecond;
    private final byte[] damaged;
    private final AtomicLong passed = new AtomicLong();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    private SlowProxy(ServerSocket listening, InetSocketAddress target, long bytesPerSecond, byte[] damaged) {
        this.listening = listening;
        this.target = target;
        this.bytesPerSecond = bytesPerSecond;
        this.damaged = damaged;
    }

    /**
     * Begins to pass on.
     *
     * @param target {@code HOST:PORT}
     * @param bytesPerSecond of each connection, towards the target; what comes back is not held up
     */
    static SlowProxy to(String target, long bytesPerSecond) throws IOException {
        return to(target, bytesPerSecond, new byte[0]);
    }

    /**
     * Begins to pass on at any speed, and flips a bit wherever a text comes by.
     *
     * @param target {@code HOST:PORT}
     */
    static SlowProxy damaging(String target, String text) throws IOException {
        return to(target, Long.MAX_VALUE, text.getBytes(StandardCharsets.UTF_8));
    }

    private static SlowProxy to(String target, long bytesPerSecond, byte[] damaged) throws IOException {
        int colon = target.lastIndexOf(':');
        ServerSocket listening = new ServerSocket();
        // What waits in the sockets must be little against what a test sends.
        listening.setReceiveBufferSize(SOCKET_BYTES);
        listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        SlowProxy proxy = new SlowProxy(
                listening,
                new InetSocketAddress(target.substring(0, colon), Integer.parseInt(target.substring(colon + 1))),
                bytesPerSecond,
                damaged);
        begin(proxy::accept);
        return proxy;
    }

    /** {@code HOST:PORT} of this port. */
    String address() {
        return listening.getInetAddress().getHostAddress() + ":" + listening.getLocalPort();
    }

    /** Waits until so many bytes were passed on towards the target. */
    void awaitBytes(long bytes) throws InterruptedException {
        while (passed.get() < bytes) {
            Thread.sleep(POLL_MILLIS);
        }
    }

    private static void begin(Runnable work) {
        Thread thread = new Thread(work, "slow-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                open.add(client);
                begin(() -> connect(client));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void connect(Socket client) {
        Socket server = new Socket();
        open.add(server);
        try {
            server.connect(target);
            begin(() -> pass(server, client, Long.MAX_VALUE, new byte[0]));
            pass(client, server, bytesPerSecond, damaged);
        } catch (IOException e) {
            reset(client);
            reset(server);
        }
    }

    private void pass(Socket from, Socket to, long mostPerSecond, byte[] text) {
        byte[] chunk = new byte[CHUNK_BYTES];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            long dueNanos = System.nanoTime();
            for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
                damage(chunk, read, text);
                out.write(chunk, 0, read);
                if (mostPerSecond < Long.MAX_VALUE) {
                    passed.addAndGet(read);
                    dueNanos = Math.max(dueNanos, System.nanoTime()) + read * NANOS_PER_SECOND / mostPerSecond;
                    LockSupport.parkNanos(dueNanos - System.nanoTime());
                }
            }
            to.shutdownOutput();
        } catch (IOException e) {
            reset(from);
            reset(to);
        }
    }

    /** A text that two chunks share gets away; there are others. */
    private static void damage(byte[] chunk, int length, byte[] text) {
        for (int i = 0; text.length > 0 && i + text.length <= length; i++) {
            if (Arrays.equals(chunk, i, i + text.length, text, 0, text.length)) {
                chunk[i] ^= 1;
            }
        }
    }

    private void reset(Socket socket) {
        open.remove(socket);
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException e) {
            // It was closed already, which is what this is for.
            return;
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        open.forEach(this::reset);
    }
}
