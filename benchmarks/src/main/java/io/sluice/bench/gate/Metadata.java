package io.sluice.bench.gate;

import java.nio.ByteBuffer;

/**
 * The trickle of writes that are not the import's: a third below all tables, as node-local keys are, a third among the
 * rows, as the records of transactions and ranges are, and a third above, as the tables of others are.
 */
final class Metadata {
    private static final byte BELOW = 0x01;
    private static final byte ABOVE = (byte) 0xf9;
    private static final int VALUE_BYTES = 100;

    private final Node node;
    private final Items items;
    private final long flushEvery;
    private long count;
    private volatile long written;

    Metadata(Node node, Items items, Settings settings) {
        this.node = node;
        this.items = items;
        flushEvery = Math.max(
                1, settings.metadata().flushMillis() * settings.metadata().perSecond() / 1000);
    }

    void put() {
        long number = count++;
        if (node.putMetadata(key(number), new byte[VALUE_BYTES])) {
            written = count;
        }
        if (count % flushEvery == 0) {
            node.flushMetadata();
        }
    }

    /** Number of metadata KVs written. */
    long written() {
        return written;
    }

    private byte[] key(long number) {
        return switch ((int) (number % 3)) {
            case 0 -> outside(BELOW, number);
            case 1 -> outside(ABOVE, number);
            default -> {
                byte[] row = items.key(Items.mix(number));
                yield ByteBuffer.allocate(row.length + 1).put(row).put(BELOW).array();
            }
        };
    }

    private static byte[] outside(byte first, long number) {
        return ByteBuffer.allocate(1 + Long.BYTES)
                .put(first)
                .putLong(Items.mix(number))
                .array();
    }
}
