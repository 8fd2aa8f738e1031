package io.sluice.importer.source.origin;

import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A local file in the version that was found first, or a named pipe.
 *
 * @param path path of the file
 * @param access opens the file
 * @param found version of the file; null if it is not a regular file
 */
public record LocalFile(Path path, Access access, @Nullable FileVersion found) implements Origin {
    /** Creates an origin for the current version of a file. */
    public LocalFile(Path path, Access access) {
        this(path, access, FileVersion.find(path));
    }

    /** Creates an origin for the current version of a file, without access limits. */
    public LocalFile(Path path) {
        this(path, Access.ALL);
    }

    @Override
    public InputStream open() throws IOException {
        ReadableByteChannel channel = access.open(path);
        try {
            ensureUnchanged();
        } catch (RuntimeException e) {
            channel.close();
            throw e;
        }
        return new ChannelStream(channel);
    }

    @Override
    public String version() {
        return found == null ? "" : found.toString();
    }

    @Override
    public void ensureUnchanged() {
        if (found != null && !found.equals(FileVersion.find(path))) {
            throw new BadInputException(
                    path + ": the file was changed while it was read; nothing was imported. Import it again");
        }
    }

    @Override
    public boolean repeatable() {
        return found != null;
    }

    @Override
    public boolean remote() {
        return false;
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
