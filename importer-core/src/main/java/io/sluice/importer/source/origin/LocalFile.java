package io.sluice.importer.source.origin;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file of this machine, or a pipe that has a name here.
 *
 * @param path where it lies
 * @param access opens it
 */
public record LocalFile(Path path, Access access) implements Origin {
    /** A file that the user of this process may read. */
    public LocalFile(Path path) {
        this(path, Access.ALL);
    }

    @Override
    public InputStream open() throws IOException {
        return new ChannelStream(access.open(path));
    }

    @Override
    public boolean repeatable() {
        return Files.isRegularFile(path);
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
