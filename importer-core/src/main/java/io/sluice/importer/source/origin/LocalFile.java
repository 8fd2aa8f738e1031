package io.sluice.importer.source.origin;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file of this machine, or a pipe that has a name here.
 *
 * @param path where it lies
 */
public record LocalFile(Path path) implements Origin {
    @Override
    public InputStream open() throws IOException {
        return new ChannelStream(FileChannel.open(path, StandardOpenOption.READ));
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
