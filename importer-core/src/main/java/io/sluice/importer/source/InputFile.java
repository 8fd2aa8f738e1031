package io.sluice.importer.source;

import io.sluice.importer.source.origin.LocalFile;
import io.sluice.importer.source.origin.Origin;
import io.sluice.importer.source.origin.StandardInput;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * One input of an import.
 *
 * @param ordinal position among the inputs, from 0
 * @param name name in messages; without credentials
 * @param origin opens the input
 * @param sizeBytes stored length, or -1 if not known beforehand
 * @param encoding compression and charset
 */
public record InputFile(int ordinal, String name, Origin origin, long sizeBytes, Encoding encoding) {
    /** Compressed text has a third to a sixth of its length, and so do tables of numbers in Parquet. */
    private static final int TEXT_PER_STORED = 4;

    /** Creates an input of UTF-8 text that may be compressed: a local file, or standard input if the path is null. */
    public InputFile(int ordinal, String name, @Nullable Path path, long sizeBytes) {
        this(ordinal, name, path == null ? new StandardInput() : new LocalFile(path), sizeBytes, Encoding.DEFAULT);
    }

    /** The local path, or null. */
    public @Nullable Path path() {
        return origin instanceof LocalFile local ? local.path() : null;
    }

    /** Identifies the version of the bytes, apart from their length; empty if the origin cannot tell versions apart. */
    public String version() {
        return origin.version();
    }

    /**
     * A guess of the input's bytes as text: a compressed file or one of Parquet becomes longer. Negative: not known.
     */
    public long textBytes() {
        return encoding.isCostly(name) ? sizeBytes * TEXT_PER_STORED : sizeBytes;
    }

    /** Sum of the bytes of inputs; -1 when those of one are not known. */
    public static long sum(List<InputFile> inputs, ToLongFunction<InputFile> bytes) {
        return inputs.stream().mapToLong(bytes).reduce(0, (a, b) -> a < 0 || b < 0 ? -1 : a + b);
    }

    /** Whether the input can be read again with the same bytes. */
    public boolean repeatable() {
        return origin.repeatable();
    }

    /** Whether reading likely takes more than copying, so that read-ahead by a separate thread is worth it. */
    boolean isCostly() {
        return origin.remote() || encoding.isCostly(name);
    }
}
