package io.sluice.cli.lsm;

import io.sluice.engine.lsm.LsmEvent;
import io.sluice.engine.lsm.LsmEvents;
import io.sluice.engine.lsm.LsmLogSettings;
import io.sluice.engine.lsm.SstShape;
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
    private final List<SstShape> live = new ArrayList<>();
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
            List<SstShape> tower = tower();
            if (tower.size() >= MERGE_AT) {
                merge(tower);
                done += 2;
            }
        }
        record(new LsmEvent.Failure(0, "compaction", "no space left on device; tried again in 2 s"));
        merge(List.copyOf(live));
        record(new LsmEvent.Publish());
    }

    private SstShape arriving(int maxWidth) {
        int from = random.nextInt(KEYS - 100);
        int to = Math.min(KEYS, from + 50 + random.nextInt(maxWidth));
        SstShape file = file(BOTTOM, from, to, 400_000L + (to - from) * 90L);
        int top = live.stream()
                .filter(file::overlaps)
                .mapToInt(SstShape::level)
                .min()
                .orElse(BOTTOM + 1);
        SstShape placed =
                new SstShape(file.name(), top - 1, file.smallest(), file.largest(), file.bytes(), file.entries());
        live.add(placed);
        return placed;
    }

    /** The files above the key where most are. */
    private List<SstShape> tower() {
        List<SstShape> best = List.of();
        for (SstShape at : live) {
            List<SstShape> over = live.stream()
                    .filter(file -> file.smallest().compareTo(at.smallest()) <= 0
                            && file.largest().compareTo(at.smallest()) >= 0)
                    .toList();
            if (over.size() > best.size()) {
                best = over;
            }
        }
        return best;
    }

    private void merge(List<SstShape> some) {
        List<SstShape> inputs = closure(some);
        List<String> names = inputs.stream().map(SstShape::name).toList();
        long job = ++jobs;
        record(new LsmEvent.CompactionBegin(job, names, BOTTOM));
        live.removeAll(inputs);
        long bytes = inputs.stream().mapToLong(SstShape::bytes).sum();
        int from = inputs.stream().mapToInt(file -> key(file.smallest())).min().orElseThrow();
        int to = inputs.stream().mapToInt(file -> key(file.largest())).max().orElseThrow();
        int parts = (int) Math.max(1, bytes / 30_000_000);
        List<SstShape> outputs = new ArrayList<>();
        for (int i = 0; i < parts; i++) {
            int left = from + (int) ((long) (to - from) * i / parts);
            int right = from + (int) ((long) (to - from) * (i + 1) / parts) - 1;
            outputs.add(file(BOTTOM, left, Math.max(left, right), bytes / parts));
        }
        live.addAll(outputs);
        record(new LsmEvent.CompactionEnd(job, names, outputs));
    }

    /** With all that lies below, and so must be merged too. */
    private List<SstShape> closure(List<SstShape> some) {
        List<SstShape> inputs = new ArrayList<>(some);
        boolean grown = true;
        while (grown) {
            grown = false;
            for (SstShape file : live) {
                boolean below = inputs.stream().anyMatch(input -> input.overlaps(file) && input.level() < file.level());
                if (below && !inputs.contains(file)) {
                    inputs.add(file);
                    grown = true;
                }
            }
        }
        inputs.sort(Comparator.comparing(SstShape::name));
        return inputs;
    }

    private SstShape file(int level, int from, int to, long bytes) {
        return SstShape.of(
                String.format(Locale.ROOT, "%06d.sst", ++files), level, bytesOf(from), bytesOf(to), bytes, bytes / 300);
    }

    private static byte[] bytesOf(int key) {
        return ByteBuffer.allocate(7)
                .put((byte) 0xbe)
                .putShort((short) 0x89f7)
                .putInt(key)
                .array();
    }

    private static int key(String hex) {
        return Integer.parseInt(hex.substring(6), 16);
    }

    private void record(LsmEvent event) {
        log.record("t1", "stock", event);
    }
}
