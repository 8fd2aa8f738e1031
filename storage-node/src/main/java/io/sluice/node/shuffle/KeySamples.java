package io.sluice.node.shuffle;

import io.sluice.model.kv.KeySpan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A sample of the first keys of batches, to split their KVs among threads. It keeps the key of every n-th batch; when
 * there are too many, it drops every second one and doubles n. Usable by several threads.
 */
final class KeySamples {
    private static final int MOST = 1024;

    private final List<byte[]> keys = new ArrayList<>();
    private int every = 1;
    private int untilNext;

    /** Offers the first key of a batch. Copies the key. */
    synchronized void offer(byte[] kvs, int keyOffset, int keyLength) {
        if (untilNext-- > 0) {
            return;
        }
        untilNext = every - 1;
        keys.add(Arrays.copyOfRange(kvs, keyOffset, keyOffset + keyLength));
        if (keys.size() == MOST) {
            for (int i = 0; i < MOST / 2; i++) {
                keys.set(i, keys.get(2 * i));
            }
            keys.subList(MOST / 2, MOST).clear();
            every *= 2;
        }
    }

    /** Cuts a span into at most {@code parts} parts of about equal size, in key order. */
    synchronized List<KeySpan> cut(KeySpan span, int parts) {
        List<byte[]> inside = keys.stream()
                .filter(key -> span.contains(key) && !Arrays.equals(key, span.start()))
                .sorted(Arrays::compareUnsigned)
                .toList();
        List<KeySpan> cut = new ArrayList<>();
        byte[] from = span.start();
        for (int part = 1; part < parts && !inside.isEmpty(); part++) {
            byte[] at = inside.get((int) ((long) part * inside.size() / parts));
            if (Arrays.compareUnsigned(from, at) < 0) {
                cut.add(new KeySpan(from, at));
                from = at;
            }
        }
        cut.add(new KeySpan(from, span.end()));
        return cut;
    }
}
