package io.sluice.testing;

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
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A TCP proxy that delays bytes, limits their rate, or damages them. It uses real sockets, so the sender's buffer fills
 * up. A connection that breaks on one side is reset on the other.
 */
public final class TcpProxy implements AutoCloseable {
    private static final int CHUNK_BYTES = 8 << 10;
    private static final int SOCKET_BYTES = 64 << 10;
    /** Chunks on their way with a delay, 64 MiB; beyond, the sender waits. */
    private static final int MOST_CHUNKS = 8 << 10;
    /** Bound on the oversleep of a parked thread. The proxy spins for the rest, so that short delays are exact. */
    private static final long AWAKE_NANOS = 100_000;

    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final long POLL_MILLIS = 10;

    private final ServerSocket listening = new ServerSocket();
    private final InetSocketAddress target;
    private final long delayNanos;
    private final long bytesPerSecond;
    private final byte[] damaged;
    private final AtomicLong passed = new AtomicLong();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    private TcpProxy(String target, long delayNanos, long bytesPerSecond, String damaged) throws IOException {
        int colon = target.lastIndexOf(':');
        this.target = new InetSocketAddress(target.substring(0, colon), Integer.parseInt(target.substring(colon + 1)));
        this.delayNanos = delayNanos;
        this.bytesPerSecond = bytesPerSecond;
        this.damaged = damaged.getBytes(StandardCharsets.UTF_8);
        // What waits in the sockets must be little against what a test sends.
        listening.setReceiveBufferSize(SOCKET_BYTES);
        listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        begin(this::accept);
    }

    /**
     * Limits the rate towards the target; what comes back is not held up.
     *
     * @param target {@code HOST:PORT}
     * @param bytesPerSecond of each connection
     */
    public static TcpProxy slow(String target, long bytesPerSecond) throws IOException {
        return new TcpProxy(target, 0, bytesPerSecond, "");
    }

    /**
     * Flips a bit wherever a text comes by towards the target.
     *
     * @param target {@code HOST:PORT}
     */
    public static TcpProxy damaging(String target, String text) throws IOException {
        return new TcpProxy(target, 0, Long.MAX_VALUE, text);
    }

    /**
     * Passes everything on some time later, as a longer cable would: what is sent close together arrives close
     * together. Connecting takes no longer than it does.
     *
     * @param target {@code HOST:PORT}
     * @param roundTripMillis half of it for each direction
     */
    public static TcpProxy delaying(String target, double roundTripMillis) throws IOException {
        return new TcpProxy(target, (long) (roundTripMillis * 1e6 / 2), Long.MAX_VALUE, "");
    }

    /** {@code HOST:PORT} of this port. */
    public String address() {
        return listening.getInetAddress().getHostAddress() + ":" + listening.getLocalPort();
    }

    /** Waits until so many bytes were passed on towards the target. */
    public void awaitBytes(long bytes) throws InterruptedException {
        while (passed.get() < bytes) {
            Thread.sleep(POLL_MILLIS);
        }
    }

    private static void begin(Runnable work) {
        Thread thread = new Thread(work, "tcp-proxy");
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
                // Closing the port is the only way to report it.
                return;
            }
        }
    }

    private void connect(Socket client) {
        Socket server = new Socket();
        open.add(server);
        try {
            server.connect(target);
            server.setTcpNoDelay(true);
            client.setTcpNoDelay(true);
            begin(() -> pass(server, client, false));
            pass(client, server, true);
        } catch (IOException e) {
            reset(client);
            reset(server);
        }
    }

    /** Bytes and when they are to arrive; none: the end. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Chunk(byte[] bytes, long dueNanos) {}

    private void pass(Socket from, Socket to, boolean towards) {
        byte[] buffer = new byte[CHUNK_BYTES];
        BlockingQueue<Chunk> delayed = new LinkedBlockingQueue<>(MOST_CHUNKS);
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            if (delayNanos > 0) {
                begin(() -> write(delayed, to));
            }
            long dueNanos = System.nanoTime();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (delayNanos > 0) {
                    delayed.put(new Chunk(Arrays.copyOf(buffer, read), System.nanoTime() + delayNanos));
                    continue;
                }
                if (towards) {
                    damage(buffer, read);
                }
                out.write(buffer, 0, read);
                if (towards && bytesPerSecond < Long.MAX_VALUE) {
                    passed.addAndGet(read);
                    dueNanos = Math.max(dueNanos, System.nanoTime()) + read * NANOS_PER_SECOND / bytesPerSecond;
                    LockSupport.parkNanos(dueNanos - System.nanoTime());
                }
            }
            if (delayNanos > 0) {
                delayed.put(new Chunk(new byte[0], System.nanoTime() + delayNanos));
            } else {
                to.shutdownOutput();
            }
        } catch (IOException e) {
            reset(from);
            reset(to);
            // The writer ends, too.
            boolean unused = delayed.offer(new Chunk(new byte[0], 0));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(BlockingQueue<Chunk> delayed, Socket to) {
        try {
            OutputStream out = to.getOutputStream();
            for (Chunk chunk = delayed.take(); chunk.bytes().length > 0; chunk = delayed.take()) {
                await(chunk.dueNanos());
                out.write(chunk.bytes());
            }
            to.shutdownOutput();
        } catch (IOException e) {
            reset(to);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void await(long dueNanos) {
        for (long left = dueNanos - System.nanoTime(); left > 0; left = dueNanos - System.nanoTime()) {
            if (left > AWAKE_NANOS) {
                LockSupport.parkNanos(left - AWAKE_NANOS);
            } else {
                Thread.onSpinWait();
            }
        }
    }

    /** A text that two chunks share gets away; there are others. */
    private void damage(byte[] chunk, int length) {
        for (int i = 0; damaged.length > 0 && i + damaged.length <= length; i++) {
            if (Arrays.equals(chunk, i, i + damaged.length, damaged, 0, damaged.length)) {
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
