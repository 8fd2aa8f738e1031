package io.sluice.importer.sst;

import io.sluice.importer.sst.table.TableWriter;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/** An SST that {@link TableWriter} writes. */
final class JavaSstOutput implements SstOutput {
    private final boolean synced;
    private final FileChannel file;
    private final TableWriter table;

    JavaSstOutput(Path path, UUID id, boolean synced) throws IOException {
        this.synced = synced;
        file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        table = new TableWriter(file, id);
    }

    @Override
    public void add(byte[] buffer, int keyOffset, int keyLength, int valueLength) throws IOException {
        table.add(buffer, keyOffset, keyLength, valueLength);
    }

    @Override
    public long finish() throws IOException {
        long bytes = table.finish().bytes();
        if (synced) {
            file.force(true);
        }
        return bytes;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
