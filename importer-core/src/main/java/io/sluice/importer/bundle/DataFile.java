package io.sluice.importer.bundle;

import io.sluice.model.file.OwnerOnly;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** A data file that is appended to. */
final class DataFile {
    final String name;
    long records;
    long bytes;
    private @Nullable OutputStream out;

    DataFile(Manifest.Data kept) {
        this(kept.file());
        records = kept.records();
        bytes = kept.bytes();
    }

    DataFile(String name) {
        this.name = name;
    }

    void open(Path directory) throws IOException {
        out = appending(directory.resolve(name));
    }

    void write(byte[] more) throws IOException {
        if (out == null) {
            throw new IllegalStateException(name + " is not open");
        }
        out.write(more);
        bytes += more.length;
    }

    void flush() throws IOException {
        if (out != null) {
            out.flush();
        }
    }

    void close() throws IOException {
        if (out != null) {
            out.close();
            out = null;
        }
    }

    /** Opens a file to append to, which only its owner may read. */
    static OutputStream appending(Path file) throws IOException {
        return appending(file, StandardOpenOption.CREATE);
    }

    /** Creates a file as {@link #appending(Path)} opens one; fails if it exists. */
    static OutputStream created(Path file) throws IOException {
        return appending(file, StandardOpenOption.CREATE_NEW);
    }

    private static OutputStream appending(Path file, OpenOption creation) throws IOException {
        return new BufferedOutputStream(Channels.newOutputStream(
                OwnerOnly.open(file, creation, StandardOpenOption.WRITE, StandardOpenOption.APPEND)));
    }
}
