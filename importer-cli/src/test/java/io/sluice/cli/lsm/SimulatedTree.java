package io.sluice.cli.lsm;

import io.sluice.engine.lsm.LsmEvent;
import io.sluice.engine.lsm.LsmEvents;
import io.sluice.engine.lsm.LsmLogSettings;
import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** An import out of order as a node would log it: files fall as deep as they can, and tall stacks are merged. */
final class SimulatedTree {
    private static final int KEYS = 1_000_000;
    private static final int BOTTOM = 63;
    private static final int MERGE_AT = 9;
    private static final long STEP_MILLIS = 180;

    private final Random random;
    private final LsmEvents log;
    private final List<LsmFile> live = new ArrayList<>();
    private int files;
    private long jobs;

    /** Goes on by a fixed time per look. */
    private static final class SteppingClock extends Clock {
        private long millis = 1_780_000_000_000L;

        @Override
        public long millis() {
            millis += STEP_MILLIS;
            return millis;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(millis);
        }
    }

    private SimulatedTree(Random random, LsmEvents log) {
        this.random = random;
        this.log = log;
    }

    /** Writes the event log of an import of about so many events into a directory. */
    static void write(Path store, int events, long seed) {
        SteppingClock clock = new SteppingClock();
        try (LsmEvents log = LsmEvents.open(store, clock, new LsmLogSettings(1L << 30, 100_000, 10_000))) {
            new SimulatedTree(new Random(seed), log).run(events);
        }
    }

    private void run(int events) {
        record(new LsmEvent.Snapshot(List.of()));
        int done = 1;
        while (done < events - 3) {
            if (random.nextInt(12) == 0) {
                record(new LsmEvent.Put(200 + random.nextInt(800), 20_000 + random.nextInt(60_000)));
            } else if (random.nextInt(25) == 0) {
                record(new LsmEvent.SmallSstFlush(4_000, List.of(arriving(KEYS / 5))));
            } else {
                record(new LsmEvent.Ingest(List.of(arriving(random.nextInt(6) == 0 ? KEYS / 3 : KEYS / 12))));
            }
            done++;
            List<LsmFile> tower = tower();
            if (tower.size() >= MERGE_AT) {
                merge(tower);
                done += 2;
            }
        }
        record(new LsmEvent.Failure(0, "compaction", "no space left on device; tried again in 2 s"));
        merge(List.copyOf(live));
        record(new LsmEvent.Publish());
    }

    private LsmFile arriving(int maxWidth) {
        int from = random.nextInt(KEYS - 100);
        int to = Math.min(KEYS, from + 50 + random.nextInt(maxWidth));
        LsmFile file = file(BOTTOM, from, to, 400_000L + (to - from) * 90L);
        int top = live.stream()
                .filter(other -> other.bounds().overlaps(file.bounds()))
                .mapToInt(LsmFile::level)
                .min()
                .orElse(BOTTOM + 1);
        LsmFile placed = new LsmFile(file.name(), top - 1, file.bounds(), file.entries(), file.fileBytes(), 0);
        live.add(placed);
        return placed;
    }

    /** The files above the key where most are. */
    private List<LsmFile> tower() {
        List<LsmFile> best = List.of();
        for (LsmFile at : live) {
            List<LsmFile> over = live.stream()
                    .filter(file -> file.bounds()
                            .overlaps(new KeyBounds(
                                    at.bounds().smallest(), at.bounds().smallest())))
                    .toList();
            if (over.size() > best.size()) {
                best = over;
            }
        }
        return best;
    }

    private void merge(List<LsmFile> some) {
        List<LsmFile> inputs = closure(some);
        List<String> names = inputs.stream().map(LsmFile::name).toList();
        long job = ++jobs;
        record(new LsmEvent.CompactionBegin(job, names, BOTTOM));
        live.removeAll(inputs);
        long bytes = inputs.stream().mapToLong(LsmFile::fileBytes).sum();
        int from = inputs.stream()
                .mapToInt(file -> key(file.bounds().smallest()))
                .min()
                .orElseThrow();
        int to = inputs.stream()
                .mapToInt(file -> key(file.bounds().largest()))
                .max()
                .orElseThrow();
        int parts = (int) Math.max(1, bytes / 30_000_000);
        List<LsmFile> outputs = new ArrayList<>();
        for (int i = 0; i < parts; i++) {
            int left = from + (int) ((long) (to - from) * i / parts);
            int right = from + (int) ((long) (to - from) * (i + 1) / parts) - 1;
            outputs.add(file(BOTTOM, left, Math.max(left, right), bytes / parts));
        }
        live.addAll(outputs);
        record(new LsmEvent.CompactionEnd(job, names, outputs));
    }

    /** With all that lies below, and so must be merged too. */
    private List<LsmFile> closure(List<LsmFile> some) {
        List<LsmFile> inputs = new ArrayList<>(some);
        boolean grown = true;
        while (grown) {
            grown = false;
            for (LsmFile file : live) {
                boolean below = inputs.stream()
                        .anyMatch(input -> input.bounds().overlaps(file.bounds()) && input.level() < file.level());
                if (below && !inputs.contains(file)) {
                    inputs.add(file);
                    grown = true;
                }
            }
        }
        inputs.sort(Comparator.comparing(LsmFile::name));
        return inputs;
    }

    private LsmFile file(int level, int from, int to, long bytes) {
        KeyBounds bounds = new KeyBounds(bytesOf(from), bytesOf(to));
        return new LsmFile(String.format(Locale.ROOT, "%06d.sst", ++files), level, bounds, bytes / 300, bytes, 0);
    }

    private static byte[] bytesOf(int key) {
        return ByteBuffer.allocate(7)
                .put((byte) 0xbe)
                .putShort((short) 0x89f7)
                .putInt(key)
                .array();
    }

    private static int key(byte[] key) {
        return ByteBuffer.wrap(key).getInt(3);
    }

    private void record(LsmEvent event) {
        log.record("t1", "stock", event);
    }
}
