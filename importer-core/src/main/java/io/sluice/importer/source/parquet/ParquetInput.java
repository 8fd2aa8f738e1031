package io.sluice.importer.source.parquet;

import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import org.apache.parquet.io.DelegatingSeekableInputStream;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.SeekableInputStream;

/**
 * A channel as a file for the Parquet library. Closing its streams leaves the channel open.
 *
 * @param file the bytes
 * @param name the file's name in messages
 */
record ParquetInput(SeekableByteChannel file, String name) implements InputFile {
    @Override
    public String toString() {
        return name;
    }

    @Override
    public long getLength() throws IOException {
        return file.size();
    }

    @Override
    public SeekableInputStream newStream() {
        return new DelegatingSeekableInputStream(Channels.newInputStream(file)) {
            @Override
            public long getPos() throws IOException {
                return file.position();
            }

            @Override
            public void seek(long position) throws IOException {
                if (position < 0 || position > file.size()) {
                    throw new EOFException("byte " + position + " is not in the file");
                }
                file.position(position);
            }

            @Override
            public void close() {
                // The owner of the channel closes it.
            }
        };
    }
}
