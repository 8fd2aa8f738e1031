package io.sluice.importer.source;

import io.sluice.importer.source.origin.LocalFile;
import io.sluice.importer.source.origin.Origin;
import io.sluice.importer.source.origin.StandardInput;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * One input of an import.
 *
 * @param ordinal its place among the inputs, from 0
 * @param name how messages call it; holds no credentials
 * @param origin where it lies
 * @param sizeBytes its length as it is stored there, or -1 when it is not known beforehand
 * @param encoding how its text became bytes
 */
public record InputFile(int ordinal, String name, Origin origin, long sizeBytes, Encoding encoding) {
    /** A local file, or standard input (without a path), of UTF-8 text that may be compressed. */
    public InputFile(int ordinal, String name, @Nullable Path path, long sizeBytes) {
        this(ordinal, name, path == null ? new StandardInput() : new LocalFile(path), sizeBytes, Encoding.DEFAULT);
    }

    /** Where it lies on this machine, or null. */
    public @Nullable Path path() {
        return origin instanceof LocalFile local ? local.path() : null;
    }

    /** Identifies the version of its bytes, besides their length; empty when nothing tells versions apart. */
    public String version() {
        return origin.version();
    }

    /** Whether it can be read again, and gives the same bytes. */
    public boolean repeatable() {
        return origin.repeatable();
    }

    /** Whether reading it is expected to take more than copying, and to be worth a thread beside the decoders. */
    boolean looksCostly() {
        return origin.remote() || encoding.looksCostly(name);
    }
}
