package io.sluice.node.read;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.TableDigest;
import io.sluice.engine.store.Family;
import io.sluice.engine.store.FamilyView;
import io.sluice.engine.store.KvCursor;
import io.sluice.engine.store.LsmFile;
import io.sluice.engine.store.ReadPattern;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.kv.CorruptKvException;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.kv.RowDecoder;
import io.sluice.model.schema.Table;
import io.sluice.model.thread.Daemons;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/** Reads every KV of a table in parallel by span, checks its CRC, and computes checksums per index. */
public final class TableSweep {
    /** Parts per thread, so that a thread that finishes small parts takes more. */
    private static final int PARTS_PER_THREAD = 4;
    /** KVs between checks for a stop, about a millisecond. */
    private static final int BATCH_KVS = 2048;

    public static final List<KeySpan> EVERYTHING = List.of(KeySpan.ofPrefix(new byte[0]));

    private final Family family;
    private final Table table;
    private final RowDecoder decoder;
    private final List<IndexDigest> digests;
    private final List<LsmFile> files;
    private final AtomicBoolean stop = new AtomicBoolean();

    private TableSweep(Family family, Table table) {
        this.family = family;
        this.table = table;
        decoder = new RowDecoder(table);
        digests = IndexDigest.ofAll(table);
        files = family.files();
    }

    /**
     * Computes the digest of a table at a snapshot.
     *
     * @param family column family of its KVs, possibly shared
     * @param threads number of threads
     * @throws OperationFailedException when a KV does not match its CRC
     */
    public static TableDigest digest(Family family, Table table, int threads) {
        return digest(family, table, EVERYTHING, threads);
    }

    /**
     * Computes the digest of a table's KVs within spans.
     *
     * @param spans disjoint key spans
     * @throws io.sluice.model.error.BadInputException when spans overlap
     */
    public static TableDigest digest(Family family, Table table, List<KeySpan> spans, int threads) {
        return read(family, table, spans, threads).digest();
    }

    /**
     * The digest of a table at one snapshot.
     *
     * @param digest the digest
     * @param tableId its id
     * @param version the store's sequence number of the read
     */
    public record Result(TableDigest digest, int tableId, long version) {}

    /** Computes a digest as {@link #digest(Family, Table, List, int)} does, and returns the version with it. */
    public static Result read(Family family, Table table, List<KeySpan> spans, int threads) {
        Spans.checkApart(spans);
        return new TableSweep(family, table).run(spans, threads);
    }

    /** A unit of work for one thread. */
    private record Part(int ordinal, KeySpan span) {}

    private Result run(List<KeySpan> spans, int threads) {
        List<Part> parts = new ArrayList<>();
        IndexKeys keys = new IndexKeys(table);
        for (int i = 0; i < table.indexes().size(); i++) {
            List<KeySpan> wanted = Spans.within(keys.span(i), spans);
            int most = Math.max(1, threads * PARTS_PER_THREAD / Math.max(1, wanted.size()));
            for (KeySpan span : wanted) {
                for (KeySpan cut : Spans.cut(span, files, most)) {
                    parts.add(new Part(i, cut));
                }
            }
        }
        KvChecksum[] sums = new KvChecksum[table.indexes().size()];
        Arrays.fill(sums, KvChecksum.EMPTY);
        List<KvChecksum> partSums = new ArrayList<>();
        long version = sweepAll(parts, threads, partSums);
        for (int i = 0; i < parts.size(); i++) {
            int ordinal = parts.get(i).ordinal();
            sums[ordinal] = sums[ordinal].plus(partSums.get(i));
        }
        List<IndexChecksum> indexes = new ArrayList<>();
        for (int i = 0; i < sums.length; i++) {
            indexes.add(new IndexChecksum(table.indexes().get(i).def().name(), sums[i]));
        }
        return new Result(new TableDigest(table.name(), indexes), table.id(), version);
    }

    /** Adds the checksum of each part to {@code sums}; returns the sequence number of the read. */
    private long sweepAll(List<Part> parts, int threads, List<KvChecksum> sums) {
        ExecutorService pool = Executors.newFixedThreadPool(threads, Daemons.named("sluice-sweep"));
        try (FamilyView view = family.view()) {
            List<Future<KvChecksum>> running = new ArrayList<>();
            for (Part part : parts) {
                running.add(pool.submit(() -> sweep(view, part)));
            }
            for (Future<KvChecksum> future : running) {
                sums.add(future.get());
            }
            return view.sequence();
        } catch (ExecutionException e) {
            throw unwrapped(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OperationFailedException("reading table " + table.name() + " was interrupted", e);
        } finally {
            stop.set(true);
            pool.shutdownNow();
        }
    }

    private static RuntimeException unwrapped(ExecutionException e) {
        Throwable cause = e.getCause();
        if (cause instanceof SluiceException known) {
            // The exception of the worker thread: the stack trace of this thread adds nothing.
            return known;
        }
        return new IllegalStateException(cause == null ? e : cause);
    }

    private KvChecksum sweep(FamilyView view, Part part) {
        KvChecksum.Accumulator sum = new KvChecksum.Accumulator(digests.get(part.ordinal()));
        try (KvCursor cursor = view.cursor(part.span(), ReadPattern.SWEEP)) {
            int visited;
            do {
                visited = cursor.visit(BATCH_KVS, (key, value) -> add(part.ordinal(), key, value, sum));
            } while (visited > 0 && !stop.get());
        }
        return sum.sum();
    }

    private void add(int ordinal, byte[] key, byte[] value, KvChecksum.Accumulator sum) {
        if (!owned(ordinal, key)) {
            return;
        }
        if (!sum.addIntact(key, value)) {
            throw Damage.failure(table, ordinal, key, "does not agree with its checksum", files);
        }
    }

    private boolean owned(int ordinal, byte[] key) {
        try {
            return decoder.owns(ordinal, key);
        } catch (CorruptKvException e) {
            throw Damage.failure(table, ordinal, key, "cannot be decoded (" + e.getMessage() + ")", files);
        }
    }
}
