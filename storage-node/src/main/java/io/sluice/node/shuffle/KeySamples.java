package io.sluice.node.shuffle;

import io.sluice.api.kv.KeySpan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * First keys of some of the batches that came, for dividing what they hold among threads. Every n-th batch is
 * remembered; when there are too many, every second one is forgotten and n doubles. Usable by several threads.
 */
final class KeySamples {
    private static final int MOST = 1024;

    private final List<byte[]> keys = new ArrayList<>();
    private int every = 1;
    private int untilNext;

    /** A batch came that begins with this key; the array is copied. */
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

    /** Cuts a span into at most so many parts that hold about the same, in key order. */
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
