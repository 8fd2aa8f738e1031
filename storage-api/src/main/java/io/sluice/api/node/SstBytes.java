package io.sluice.api.node;

import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** The bytes of a finished SST. Thread-safe. */
public sealed interface SstBytes {
    int crc32c();

    /** An SST in a file. */
    final class OnDisk implements SstBytes {
        private static final long MAPPED_BYTES = 256L << 20;

        private final Path path;
        private @Nullable Integer crc32c;

        /** A file whose checksum is computed when it is needed. */
        public OnDisk(Path path) {
            this.path = path;
        }

        /** A file whose writer has computed the checksum. */
        public OnDisk(Path path, int crc32c) {
            this.path = path;
            this.crc32c = crc32c;
        }

        public Path path() {
            return path;
        }

        @Override
        public synchronized int crc32c() {
            Integer known = crc32c;
            if (known == null) {
                known = read();
                crc32c = known;
            }
            return known;
        }

        /** Reads the file through a mapping, while it is still in the page cache. */
        private int read() {
            CRC32C crc = new CRC32C();
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
                long size = channel.size();
                for (long at = 0; at < size; at += MAPPED_BYTES) {
                    crc.update(channel.map(FileChannel.MapMode.READ_ONLY, at, Math.min(MAPPED_BYTES, size - at)));
                }
            } catch (IOException e) {
                throw new OperationFailedException(path + " could not be read: " + e.getMessage(), e);
            }
            return (int) crc.getValue();
        }

        @Override
        public String toString() {
            return path.toString();
        }
    }

    /** An SST in memory, for nodes that get a copy of its bytes. */
    final class InMemory implements SstBytes {
        private final List<ByteBuffer> chunks;
        private final int crc32c;
        private final Consumer<ByteBuffer> recycler;
        private boolean reusable = true;
        private boolean released;

        /**
         * Takes ownership of the chunks.
         *
         * @param chunks heap buffers, each readable from its position to its limit
         * @param crc32c checksum, as the writer computed it
         * @param recycler takes each chunk that may be used again
         */
        public InMemory(List<ByteBuffer> chunks, int crc32c, Consumer<ByteBuffer> recycler) {
            this.chunks = List.copyOf(chunks);
            this.crc32c = crc32c;
            this.recycler = recycler;
        }

        @Override
        public int crc32c() {
            return crc32c;
        }

        /** Views of the chunks, in order. They share the chunks' memory: do not write to them. */
        public List<ByteBuffer> chunks() {
            return chunks.stream().map(ByteBuffer::duplicate).toList();
        }

        /** Keeps the memory from being used again, since a connection may still send from it. */
        public synchronized void sendBroken() {
            reusable = false;
        }

        /** Gives the memory back; only {@linkplain #sendBroken broken sends} may still use views of it. */
        public synchronized void release() {
            if (!released && reusable) {
                chunks.forEach(recycler);
            }
            released = true;
        }
    }

    /** An SST in an object store, which keeps it. */
    final class InStore implements SstBytes {
        private final StoredObject object;
        private final int crc32c;

        /**
         * An object that is known to exist.
         *
         * @param crc32c checksum that its bytes must have
         */
        public InStore(StoredObject object, int crc32c) {
            this.object = object;
            this.crc32c = crc32c;
        }

        public StoredObject object() {
            return object;
        }

        @Override
        public int crc32c() {
            return crc32c;
        }

        @Override
        public String toString() {
            return object.toString();
        }
    }

    /** An object of an object store; its text is its address without credentials. */
    interface StoredObject {
        /** An address from which its holder can read the object for an hour, without other credentials: a secret. */
        URI address();

        /**
         * Copies the object to a new file; on failure there is no file.
         *
         * @throws io.sluice.model.error.BadInputException if it does not have the length and the checksum that it must
         * @throws io.sluice.model.error.OperationFailedException if the store does not answer
         * @throws IOException if the file cannot be written
         */
        void copyTo(Path file) throws IOException;
    }
}
