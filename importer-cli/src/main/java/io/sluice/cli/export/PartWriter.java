package io.sluice.cli.export;

import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.api.node.TableSource;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Table;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Writes the rows of a scan into one file, and syncs it. Usable by several threads.
 *
 * @param columns positions of the columns to write
 * @param stopped whether another part has failed; checked for every row
 */
record PartWriter(
        TableSource source, Table table, List<Integer> columns, ExportFormat format, BooleanSupplier stopped) {
    private static final int BUFFER_BYTES = 256 << 10;

    /**
     * A part that was written.
     *
     * @param file its file
     * @param sum checksum of its rows, as of the primary index
     */
    record Part(ExportManifest.File file, KvChecksum sum) {}

    /**
     * Writes the file under its temporary name.
     *
     * @return what was written; null if another part has failed
     */
    @Nullable
    Part write(ScanRequest scan, Path file) {
        CRC32C crc = new CRC32C();
        try (FileChannel channel = ExportTarget.create(file);
                OutputStream out = new CheckedOutputStream(
                        new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES), crc);
                RowCursor rows = source.scan(scan);
                RowWriter writer = format.open(table.def(), columns, out)) {
            TypedRows typed = new TypedRows(table);
            long count = 0;
            for (List<@Nullable String> row = rows.next(); row != null; row = rows.next()) {
                if (stopped.getAsBoolean()) {
                    return null;
                }
                writer.write(row, typed.add(row));
                count++;
            }
            writer.finish();
            out.flush();
            channel.force(true);
            String name = String.valueOf(file.getFileName());
            String checksum = String.format("%08x", (int) crc.getValue());
            return new Part(new ExportManifest.File(name, count, channel.size(), checksum), typed.sum());
        } catch (IOException e) {
            if (e instanceof ClosedByInterruptException) {
                throw new OperationFailedException("the export was interrupted", e);
            }
            throw ExportTarget.failed(file, e);
        }
    }
}
