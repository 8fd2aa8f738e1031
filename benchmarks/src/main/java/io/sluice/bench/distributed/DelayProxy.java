package io.sluice.bench.distributed;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * A port in front of another one that passes everything on some time later, as a longer cable would: what is sent close
 * together arrives close together. Connecting takes no longer than it does.
 */
final class DelayProxy implements AutoCloseable {
    private static final int CHUNK_BYTES = 64 << 10;
    /** Chunks on the cable; beyond, the sender waits. */
    private static final int MOST_CHUNKS = 1024;
    /** Bound on the oversleep of a parked thread. The proxy spins for the rest, so that short delays are exact. */
    private static final long AWAKE_NANOS = 100_000;

    private final ServerSocket listening;
    private final InetSocketAddress target;
    private final long delayNanos;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    private DelayProxy(ServerSocket listening, InetSocketAddress target, long delayNanos) {
        this.listening = listening;
        this.target = target;
        this.delayNanos = delayNanos;
    }

    /**
     * Begins to pass on.
     *
     * @param target {@code HOST:PORT}
     * @param roundTripMillis half of it for each direction
     */
    static DelayProxy to(String target, double roundTripMillis) throws IOException {
        int colon = target.lastIndexOf(':');
        ServerSocket listening = new ServerSocket();
        listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        DelayProxy proxy = new DelayProxy(
                listening,
                new InetSocketAddress(target.substring(0, colon), Integer.parseInt(target.substring(colon + 1))),
                (long) (roundTripMillis * 1e6 / 2));
        begin(proxy::accept);
        return proxy;
    }

    /** {@code HOST:PORT} of this port. */
    String address() {
        return listening.getInetAddress().getHostAddress() + ":" + listening.getLocalPort();
    }

    private static void begin(Runnable work) {
        Thread thread = new Thread(work, "delay-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                connect(listening.accept());
            } catch (IOException e) {
                // Closing the port is the only way to report it.
                return;
            }
        }
    }

    private void connect(Socket client) {
        Socket server = new Socket();
        open.add(client);
        open.add(server);
        try {
            server.connect(target);
            pass(client, server);
            pass(server, client);
        } catch (IOException e) {
            close(client);
            close(server);
        }
    }

    /** Bytes and when they are to arrive; none: the end. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Chunk(byte[] bytes, long dueNanos) {}

    private void pass(Socket from, Socket to) throws IOException {
        from.setTcpNoDelay(true);
        to.setTcpNoDelay(true);
        BlockingQueue<Chunk> cable = new LinkedBlockingQueue<>(MOST_CHUNKS);
        begin(() -> read(from, cable));
        begin(() -> write(cable, to));
    }

    private void read(Socket from, BlockingQueue<Chunk> cable) {
        try {
            byte[] buffer = new byte[CHUNK_BYTES];
            try {
                InputStream in = from.getInputStream();
                for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                    cable.put(new Chunk(Arrays.copyOf(buffer, read), System.nanoTime() + delayNanos));
                }
            } catch (IOException e) {
                close(from);
            }
            cable.put(new Chunk(new byte[0], System.nanoTime() + delayNanos));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(BlockingQueue<Chunk> cable, Socket to) {
        try {
            OutputStream out = to.getOutputStream();
            for (Chunk chunk = cable.take(); chunk.bytes().length > 0; chunk = cable.take()) {
                await(chunk.dueNanos());
                out.write(chunk.bytes());
            }
            to.shutdownOutput();
        } catch (IOException e) {
            close(to);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void await(long dueNanos) {
        for (long left = dueNanos - System.nanoTime(); left > 0; left = dueNanos - System.nanoTime()) {
            if (left > AWAKE_NANOS) {
                LockSupport.parkNanos(left - AWAKE_NANOS);
            } else {
                Thread.onSpinWait();
            }
        }
    }

    private void close(Socket socket) {
        open.remove(socket);
        try {
            socket.close();
        } catch (IOException e) {
            // It was closed already, which is what this is for.
            return;
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        open.forEach(this::close);
    }
}
