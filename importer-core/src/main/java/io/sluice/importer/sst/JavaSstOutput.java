package io.sluice.importer.sst;

import io.sluice.api.node.SstBytes;
import io.sluice.importer.sst.table.Table;
import io.sluice.importer.sst.table.TableWriter;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/** An SST that {@link TableWriter} writes to a file. */
final class JavaSstOutput implements SstOutput {
    private final Path path;
    private final boolean synced;
    private final FileChannel file;
    private final TableWriter table;
    private boolean finished;

    JavaSstOutput(Path path, UUID id, boolean synced) throws IOException {
        this.path = path;
        this.synced = synced;
        file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        table = new TableWriter(file, id);
    }

    @Override
    public void add(byte[] buffer, int keyOffset, int keyLength, int valueLength) throws IOException {
        table.add(buffer, keyOffset, keyLength, valueLength);
    }

    @Override
    public Finished finish() throws IOException {
        Table written = table.finish();
        if (synced) {
            file.force(true);
        }
        finished = true;
        return new Finished(new SstBytes.OnDisk(path, (int) written.crc32c()), written.bytes());
    }

    @Override
    public void close() throws IOException {
        file.close();
        if (!finished) {
            Files.deleteIfExists(path);
        }
    }
}
