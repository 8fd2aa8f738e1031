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
import java.util.Deque;
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
    /** Chunks in flight; with the server's chunks of 32 KiB at most 256 KiB. */
    private static final int WINDOW = 8;

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
        while (true) {
            HttpData next;
            boolean end;
            Throwable broken;
            synchronized (arrived) {
                next = arrived.poll();
                end = complete;
                broken = done.isDone() ? null : failure;
                if (next == null && !end && broken == null) {
                    writing = false;
                    return;
                }
                if (next == null && done.isDone()) {
                    writing = false;
                    return;
                }
            }
            if (next != null) {
                take(next);
            } else if (broken != null) {
                fail(broken);
            } else {
                finish();
            }
        }
    }

    private void take(HttpData data) {
        try (data) {
            if (done.isDone()) {
                return;
            }
            bytes += data.length();
            if (bytes > announcedBytes) {
                throw new ProblemException(
                        ProblemKind.DAMAGED, "the body is longer than its Content-Length, " + announcedBytes);
            }
            FileChannel to = opened();
            for (ByteBuffer part : data.byteBuf().nioBuffers()) {
                crc.update(part.duplicate());
                while (part.hasRemaining()) {
                    to.write(part);
                }
            }
            request(1);
        } catch (IOException | RuntimeException e) {
            fail(e);
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
