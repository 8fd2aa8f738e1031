package io.sluice.node.http;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpObject;
import io.sluice.api.wire.ProblemKind;
import io.sluice.http.ProblemException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * Writes a request body to a new file. It requests a few chunks at a time, and more only when those are written, so a
 * slow disk slows the sender instead of filling memory. Writes run on a pool's thread, one at a time.
 */
final class FileSink implements Subscriber<HttpObject> {
    /** Chunks in flight; with the server's chunks of 32 KiB at most 512 KiB. */
    private static final int WINDOW = 16;

    /**
     * Chunks that are requested, and at most written, at once. A request wakes the thread that reads the socket: one
     * for each chunk was an eighth of the time of a node's uploads.
     */
    private static final int BATCH = 8;

    /**
     * The received body, synced to disk.
     *
     * @param bytes its length
     * @param crc32c its checksum
     */
    record Received(long bytes, int crc32c) {}

    private final Path file;
    private final long announcedBytes;
    private final Executor pool;
    private final CompletableFuture<Received> done = new CompletableFuture<>();
    private final CRC32C crc = new CRC32C();

    /** Guarded by itself, as are the three fields below. */
    private final Deque<HttpData> arrived = new ArrayDeque<>();

    private boolean writing;
    private boolean complete;
    private @Nullable Throwable failure;

    private @Nullable Subscription source;
    /** Used by the writing task only. */
    private @Nullable FileChannel channel;

    private long bytes;
    /** Written chunks that were not requested again yet. */
    private int written;

    FileSink(Path file, long announcedBytes, Executor pool) {
        this.file = file;
        this.announcedBytes = announcedBytes;
        this.pool = pool;
    }

    /** Completes when the body is on disk. The file is closed in every case; the caller deletes it after a failure. */
    CompletableFuture<Received> whenDone() {
        return done;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        source = subscription;
        subscription.request(WINDOW);
    }

    @Override
    public void onNext(HttpObject object) {
        if (object instanceof HttpData data) {
            schedule(() -> arrived.add(data));
        } else {
            request(1);
        }
    }

    @Override
    public void onError(Throwable cause) {
        schedule(() -> failure = cause);
    }

    @Override
    public void onComplete() {
        schedule(() -> complete = true);
    }

    /** Records an event and starts the writing task if it is not running. */
    private void schedule(Runnable happened) {
        synchronized (arrived) {
            happened.run();
            if (writing) {
                return;
            }
            writing = true;
        }
        pool.execute(this::write);
    }

    private void write() {
        List<HttpData> next = new ArrayList<>(BATCH);
        while (true) {
            boolean end;
            Throwable broken;
            next.clear();
            synchronized (arrived) {
                while (next.size() < BATCH && !arrived.isEmpty()) {
                    next.add(arrived.remove());
                }
                end = complete;
                broken = done.isDone() ? null : failure;
                boolean idle = !end && broken == null;
                if (next.isEmpty() && (idle || done.isDone())) {
                    writing = false;
                    return;
                }
            }
            if (!next.isEmpty()) {
                take(next);
            } else if (broken != null) {
                fail(broken);
            } else {
                finish();
            }
        }
    }

    private void take(List<HttpData> chunks) {
        try {
            if (!done.isDone()) {
                write(chunks);
                written += chunks.size();
                if (written >= BATCH) {
                    request(written);
                    written = 0;
                }
            }
        } catch (IOException | RuntimeException e) {
            fail(e);
        } finally {
            chunks.forEach(HttpData::close);
        }
    }

    private void write(List<HttpData> chunks) throws IOException {
        List<ByteBuffer> parts = new ArrayList<>();
        for (HttpData chunk : chunks) {
            bytes += chunk.length();
            for (ByteBuffer part : chunk.byteBuf().nioBuffers()) {
                crc.update(part.duplicate());
                parts.add(part);
            }
        }
        if (bytes > announcedBytes) {
            throw new ProblemException(
                    ProblemKind.DAMAGED, "the body is longer than its Content-Length, " + announcedBytes);
        }
        FileChannel to = opened();
        ByteBuffer[] all = parts.toArray(ByteBuffer[]::new);
        int first = 0;
        while (first < all.length) {
            if (all[first].hasRemaining()) {
                long unused = to.write(all, first, all.length - first);
            } else {
                first++;
            }
        }
    }

    private FileChannel opened() throws IOException {
        FileChannel open = channel;
        if (open == null) {
            open = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            channel = open;
        }
        return open;
    }

    private void finish() {
        try (FileChannel open = opened()) {
            open.force(true);
            if (open.size() != bytes) {
                // Some file systems report a full disk only in this way.
                throw new IOException("the file has " + open.size() + " bytes of " + bytes);
            }
            done.complete(new Received(bytes, (int) crc.getValue()));
        } catch (IOException | RuntimeException e) {
            fail(e);
        }
    }

    private void fail(Throwable cause) {
        Subscription from = source;
        if (from != null) {
            from.cancel();
        }
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException closing) {
            cause.addSuppressed(closing);
        }
        done.completeExceptionally(cause);
    }

    private void request(long chunks) {
        Subscription from = source;
        if (from != null) {
            from.request(chunks);
        }
    }
}
