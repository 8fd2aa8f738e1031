package io.sluice.importer.source.origin;

import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Decides which files and addresses may be read. Called for each opening and each request, not only when inputs are
 * named.
 */
public interface Access {
    /** Allows everything that the user of this process may read. */
    Access ALL = new Access() {
        @Override
        public ReadableByteChannel open(Path file) throws IOException {
            return FileChannel.open(file, StandardOpenOption.READ);
        }

        @Override
        public void check(URI address) {
            // All addresses are allowed.
        }
    };

    /**
     * Opens a file to read it from its start. The opened file is an allowed one, even if other processes change its
     * path meanwhile.
     *
     * @throws BadInputException when the file is not allowed
     * @throws IOException when it cannot be opened
     */
    ReadableByteChannel open(Path file) throws IOException;

    /**
     * Checks an address and the network addresses of its host. Called for each hop of a request before the request is
     * sent, and again before its answer is read.
     *
     * @throws BadInputException when the address is not allowed
     */
    void check(URI address);
}
