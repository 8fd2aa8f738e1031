package io.sluice.bench.gate;

import io.sluice.api.node.IndexChecksum;
import io.sluice.bench.ProcessIo;
import io.sluice.model.kv.KvChecksum;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * One node's share of the experiment, in a process of its own:
 *
 * <ol>
 *   <li>open the node in a directory of its own and link the SSTs beside it;
 *   <li>offer them in order, several at a time, while metadata trickles, rows are read and the tree is watched;
 *   <li>wait until nothing is left to merge;
 *   <li>check that the store has all ingested SSTs.
 * </ol>
 */
final class NodeRun {
    private static final long SAMPLE_MICROS = 100_000;
    private static final long READ_MICROS = 1_000;
    private static final int CHECKED_ROWS = 1_000;

    private final Settings settings;
    private final Candidate candidate;
    private final Input input;
    private final Path directory;
    private final int tableId;
    private final Latencies takes = new Latencies();
    private final Latencies waits = new Latencies();
    private final AtomicLong waitedNanos = new AtomicLong();
    private final AtomicLong directBytes = new AtomicLong();
    private final AtomicInteger taken = new AtomicInteger();
    private final Trees watch = new Trees();

    NodeRun(Settings settings, Candidate candidate, Path inputDirectory, Path directory, int tableId)
            throws IOException {
        this.settings = settings;
        this.candidate = candidate;
        this.directory = directory;
        this.tableId = tableId;
        input = Input.read(inputDirectory);
    }

    /**
     * Runs it.
     *
     * @param tell gets the result before the node is closed, which may take long when it did not finish
     */
    void run(Consumer<Result> tell) throws IOException, RocksDBException {
        RocksDB.loadLibrary();
        Path offered = directory.resolve("offered");
        input.linkInto(offered);
        try (Node node = open()) {
            tell.accept(measure(node, offered));
        }
    }

    private Node open() throws IOException, RocksDBException {
        Path store = directory.resolve("store");
        return switch (candidate) {
            case STOCK, STOCK_PUTS, STOCK_APART ->
                new StockNode(
                        Files.createDirectory(store),
                        settings,
                        candidate != Candidate.STOCK,
                        candidate == Candidate.STOCK_APART);
            case SLUICE, SLUICE_UNCUT -> new SluiceNode(store, settings);
        };
    }

    private Result measure(Node node, Path offered) {
        Deadline patience = new Deadline(settings.maxSeconds());
        PointReads reads = new PointReads(node, items(), settings.input().seed());
        Metadata metadata = new Metadata(node, items(), settings);
        double importSeconds = -1;
        double quietSeconds = -1;
        long putMicros = 1_000_000L / settings.metadata().perSecond();
        long wroteBefore = ProcessIo.bytesWritten();
        long begun = System.nanoTime();
        PeriodicTask watching = new PeriodicTask("watch", SAMPLE_MICROS, () -> watch.look(node.tree()));
        PeriodicTask trickle = new PeriodicTask("metadata", putMicros, metadata::put);
        PeriodicTask reading = new PeriodicTask("reads", READ_MICROS, reads::read);
        try {
            try {
                offerAll(node, offered, patience, reads);
                importSeconds = seconds(begun);
            } finally {
                reading.close();
                trickle.close();
            }
            node.finalizeIngest(patience);
            quietSeconds = seconds(begun);
        } catch (Deadline.OverException e) {
            // The result says what was not reached.
        } finally {
            watching.close();
        }
        String verified = quietSeconds < 0 ? "not finished" : verify(node);
        long written = node.bytesWritten();
        return new Result(
                candidate.letter(),
                candidate.title(),
                new Result.Arrival(
                        input.ssts().size(),
                        taken.get(),
                        importSeconds,
                        quietSeconds,
                        waits.quantile(1) / 1e6,
                        waitedNanos.get() / 1e9,
                        Result.Quantiles.of(takes)),
                new Result.Tree(
                        Math.max(watch.tallest(), node.tallestSeen()),
                        watch.mostLevel0(),
                        watch.mostFiles(),
                        watch.drawing()),
                new Result.Written(
                        input.fileBytes(),
                        written < 0 ? -1 : (written + directBytes.get()) / (double) input.fileBytes(),
                        ProcessIo.bytesWritten() - wroteBefore,
                        metadata.written()),
                new Result.Reads(reads.latencies().count(), reads.found(), Result.Quantiles.of(reads.latencies())),
                verified,
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    private Items items() {
        return new Items(
                tableId, settings.input().primaryInOrder(), settings.input().seed());
    }

    private static double seconds(long begunNanos) {
        return (System.nanoTime() - begunNanos) / 1e9;
    }

    private void offerAll(Node node, Path offered, Deadline patience, PointReads reads) {
        AtomicInteger next = new AtomicInteger();
        ExecutorService senders = Executors.newFixedThreadPool(settings.senders());
        try {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < settings.senders(); i++) {
                all.add(CompletableFuture.runAsync(
                        () -> {
                            int index = next.getAndIncrement();
                            while (index < input.ssts().size()) {
                                offer(node, input.ssts().get(index), offered, patience, reads);
                                index = next.getAndIncrement();
                            }
                        },
                        senders));
            }
            all.forEach(CompletableFuture::join);
        } catch (CompletionException e) {
            if (e.getCause() instanceof Deadline.OverException over) {
                throw over;
            }
            throw e;
        } finally {
            senders.shutdown();
        }
    }

    private void offer(Node node, Input.Sst sst, Path offered, Deadline patience, PointReads reads) {
        long begun = System.nanoTime();
        long waited = node.take(sst.in(offered), patience);
        takes.add(System.nanoTime() - begun);
        waits.add(waited);
        waitedNanos.addAndGet(waited);
        taken.incrementAndGet();
        if (!becamePuts(sst)) {
            directBytes.addAndGet(sst.fileBytes());
        }
        if (sst.indexId() == 1) {
            reads.taken(sst);
        }
    }

    /** Then it is not the file that came to stay, and what was written for it is counted by the node. */
    private boolean becamePuts(Input.Sst sst) {
        return candidate != Candidate.STOCK && sst.fileBytes() < settings.smallSstBytes();
    }

    /** Reads some rows of a stock node, or computes checksums of the whole storage node. */
    private String verify(Node node) {
        if (node instanceof SluiceNode sluice) {
            KvChecksum expected =
                    input.ssts().stream().map(Input.Sst::checksum).reduce(KvChecksum.EMPTY, KvChecksum::plus);
            KvChecksum present =
                    sluice.present().stream().map(IndexChecksum::sum).reduce(KvChecksum.EMPTY, KvChecksum::plus);
            return present.count() == expected.count() && present.crcSum() == expected.crcSum()
                    ? "all " + present.count() + " KVs present"
                    : "WRONG: " + present + " instead of " + expected;
        }
        Items items = items();
        long rows = Items.rows(settings.input().kvBytes());
        int missing = 0;
        for (int i = 0; i < CHECKED_ROWS; i++) {
            if (node.get(items.key(rows * i / CHECKED_ROWS)) == null) {
                missing++;
            }
        }
        return missing == 0 ? CHECKED_ROWS + " rows read back" : "WRONG: " + missing + " rows missing";
    }
}
