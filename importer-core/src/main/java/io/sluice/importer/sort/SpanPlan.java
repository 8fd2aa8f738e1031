package io.sluice.importer.sort;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Cuts the keys of runs into parts of about equal bytes that can be merged independently. */
public final class SpanPlan {
    private SpanPlan() {}

    /**
     * A part of the keys; null stands for no bound.
     *
     * @param from first key of the part
     * @param to first key after the part
     */
    @SuppressWarnings("ArrayRecordComponent")
    public record Part(byte @Nullable [] from, byte @Nullable [] to) {
        /** All keys. */
        public static final Part ALL = new Part(null, null);
    }

    @SuppressWarnings("ArrayRecordComponent")
    private record Sampled(byte[] key, long bytes) {}

    /**
     * Plans parts of about {@code targetBytes} that together hold all keys.
     *
     * @param cuts keys at which a part must end, whatever its size
     * @param border moves a key to where keys may be cut
     */
    public static List<Part> of(
            List<? extends Run> runs, long targetBytes, List<byte[]> cuts, UnaryOperator<byte[]> border) {
        List<Sampled> samples = new ArrayList<>();
        for (Run run : runs) {
            run.sample((key, bytes) -> samples.add(new Sampled(border.apply(key), bytes)));
        }
        for (byte[] cut : cuts) {
            samples.add(new Sampled(border.apply(cut), -1));
        }
        samples.sort((a, b) -> Arrays.compareUnsigned(a.key(), b.key()));
        long total = samples.stream().mapToLong(s -> Math.max(0, s.bytes())).sum();
        long share = total / Math.max(1, Math.round((double) total / targetBytes)) + 1;

        List<Part> parts = new ArrayList<>();
        byte[] from = null;
        long bytes = 0;
        for (Sampled sample : samples) {
            boolean cut = sample.bytes() < 0;
            bytes += cut ? 0 : sample.bytes();
            boolean isNew = from == null || Arrays.compareUnsigned(from, sample.key()) < 0;
            if (isNew && (cut || bytes >= share)) {
                parts.add(new Part(from, sample.key()));
                from = sample.key();
                bytes = 0;
            }
        }
        parts.add(new Part(from, null));
        return parts;
    }
}
