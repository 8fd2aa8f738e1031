package io.sluice.importer.sst.table;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;

/** The properties of a table on their way into its properties block, which holds them sorted by name. */
final class Properties {
    private static final String PREFIX = "rocksdb.";

    private final SortedMap<String, byte[]> values = new TreeMap<>();

    /** A number of variable width. */
    Properties number(String name, long value) {
        byte[] bytes = new byte[Varint.MAX_LONG_BYTES];
        values.put(PREFIX + name, Arrays.copyOf(bytes, Varint.put(bytes, 0, value)));
        return this;
    }

    Properties text(String name, String value) {
        values.put(PREFIX + name, value.getBytes(StandardCharsets.US_ASCII));
        return this;
    }

    /** A number of four bytes. */
    Properties fixedInt(String name, int value) {
        byte[] bytes = new byte[Integer.BYTES];
        int unused = LittleEndian.putInt(bytes, 0, value);
        values.put(PREFIX + name, bytes);
        return this;
    }

    /** A number of eight bytes. */
    Properties fixedLong(String name, long value) {
        byte[] bytes = new byte[Long.BYTES];
        int unused = LittleEndian.putLong(bytes, 0, value);
        values.put(PREFIX + name, bytes);
        return this;
    }

    /** The finished block, which has a single restart point. */
    Block block() {
        Block block = new Block(Integer.MAX_VALUE, 2 << 10);
        values.forEach(block::add);
        block.finish();
        return block;
    }
}
