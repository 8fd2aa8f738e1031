package io.sluice.importer.sst;

import io.sluice.api.node.SstBytes;
import io.sluice.importer.sst.table.Table;
import io.sluice.importer.sst.table.TableWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** An SST that {@link TableWriter} writes to memory. */
final class MemorySstOutput implements SstOutput {
    private final ChunkPool pool;
    private final TableWriter table;
    /** All chunks but the last are full and ready to be read. */
    private List<ByteBuffer> chunks = new ArrayList<>();

    MemorySstOutput(ChunkPool pool, UUID id) {
        this.pool = pool;
        table = new TableWriter(new Chunks(), id);
    }

    @Override
    public void add(byte[] buffer, int keyOffset, int keyLength, int valueLength) throws IOException {
        table.add(buffer, keyOffset, keyLength, valueLength);
    }

    @Override
    public Finished finish() throws IOException {
        Table written = table.finish();
        chunks.get(chunks.size() - 1).flip();
        SstBytes bytes = new SstBytes.InMemory(chunks, (int) written.crc32c(), pool::giveBack);
        chunks = List.of();
        return new Finished(bytes, written.bytes());
    }

    @Override
    public void close() {
        chunks.forEach(pool::giveBack);
        chunks = List.of();
    }

    /** Copies what is written into the chunks. */
    private final class Chunks implements WritableByteChannel {
        @Override
        public int write(ByteBuffer source) {
            int length = source.remaining();
            while (source.hasRemaining()) {
                ByteBuffer chunk = lastChunk();
                int part = Math.min(chunk.remaining(), source.remaining());
                chunk.put(source.slice().limit(part));
                source.position(source.position() + part);
            }
            return length;
        }

        private ByteBuffer lastChunk() {
            ByteBuffer last = chunks.isEmpty() ? null : chunks.get(chunks.size() - 1);
            if (last == null || !last.hasRemaining()) {
                if (last != null) {
                    last.flip();
                }
                last = pool.take();
                chunks.add(last);
            }
            return last;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {
            // Holds nothing.
        }
    }
}
