package io.sluice.node.read;

import io.sluice.engine.store.LiveSst;
import io.sluice.model.kv.KeySpan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Cuts a key span at first keys of SSTs into parts with about equal numbers of files, for parallel reads. */
final class SpanCuts {
    private SpanCuts() {}

    /**
     * Cuts a span.
     *
     * @param most largest number of parts
     * @return parts in key order that cover the span
     */
    static List<KeySpan> cut(KeySpan span, List<LiveSst> files, int most) {
        List<byte[]> starts = files.stream()
                .map(LiveSst::smallestKey)
                .filter(key -> span.contains(key) && !Arrays.equals(key, span.start()))
                .sorted(Arrays::compareUnsigned)
                .toList();
        List<KeySpan> parts = new ArrayList<>();
        byte[] from = span.start();
        for (int part = 1; part < most; part++) {
            int at = (int) ((long) part * starts.size() / most);
            if (at < starts.size() && Arrays.compareUnsigned(from, starts.get(at)) < 0) {
                parts.add(new KeySpan(from, starts.get(at)));
                from = starts.get(at);
            }
        }
        parts.add(new KeySpan(from, span.end()));
        return parts;
    }
}
