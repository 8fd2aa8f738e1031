package io.sluice.sampler;

import io.sluice.importer.encode.KvTarget;

/** A buffer for one KV, which is offered to a sample before the next KV overwrites it. */
final class SampledTarget implements KvTarget {
    private static final int FIRST_BYTES = 4 << 10;

    private final ByteSample sample;
    private byte[] buffer = new byte[FIRST_BYTES];

    SampledTarget(ByteSample sample) {
        this.sample = sample;
    }

    @Override
    public byte[] room(int maxBytes) {
        if (maxBytes > buffer.length) {
            buffer = new byte[Math.max(maxBytes, 2 * buffer.length)];
        }
        return buffer;
    }

    @Override
    public int position() {
        return 0;
    }

    @Override
    public void added(long lengths) {
        sample.offer(buffer, 0, (int) (lengths >>> 32), (int) lengths);
    }

    ByteSample sample() {
        return sample;
    }
}
