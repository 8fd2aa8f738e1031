package io.sluice.node.ingest;

import io.sluice.api.node.OverlapReport;
import io.sluice.engine.store.StoreErrors;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The file with the primary KVs of the rows that an append replaces. Key and value each follow their length, an int of
 * four bytes, big-endian. A part that was not synced may be cut off: its sender has no answer, and sends it again.
 */
final class ReplacedRows {
    static final String FILE = "replaced.rows";

    private ReplacedRows() {}

    /** Adds rows durably. */
    static void write(Path file, boolean first, List<OverlapReport.Holder> rows) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes);
                FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            for (OverlapReport.Holder row : rows) {
                out.writeInt(row.key().length);
                out.write(row.key());
                out.writeInt(row.value().length);
                out.write(row.value());
            }
            if (first) {
                channel.truncate(0);
            }
            channel.position(channel.size());
            ByteBuffer rest = ByteBuffer.wrap(bytes.toByteArray());
            while (rest.hasRemaining()) {
                int unused = channel.write(rest);
            }
            channel.force(true);
        } catch (IOException e) {
            throw StoreErrors.failed("write " + file, e);
        }
    }

    /** All rows; none if there is no file. Cuts off a part that was not written whole. */
    static List<OverlapReport.Holder> read(Path file) {
        List<OverlapReport.Holder> rows = new ArrayList<>();
        if (!Files.exists(file)) {
            return rows;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            long whole = 0;
            while (true) {
                byte[] key = next(in, channel.size() - whole);
                byte[] value = key == null ? null : next(in, channel.size() - whole - Integer.BYTES - key.length);
                if (key == null || value == null) {
                    break;
                }
                rows.add(new OverlapReport.Holder(key, value));
                whole += 2 * Integer.BYTES + key.length + value.length;
            }
            channel.truncate(whole);
            return rows;
        } catch (IOException e) {
            throw StoreErrors.failed("read " + file, e);
        }
    }

    private static byte @Nullable [] next(DataInputStream in, long left) throws IOException {
        if (left < Integer.BYTES) {
            return null;
        }
        int length = in.readInt();
        if (length < 0 || length > left - Integer.BYTES) {
            return null;
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return bytes;
    }
}
