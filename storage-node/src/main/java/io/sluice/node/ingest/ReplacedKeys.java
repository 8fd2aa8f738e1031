package io.sluice.node.ingest;

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

/**
 * The file with the primary keys of the rows that an append replaces. Each key follows its length, an int of four
 * bytes, big-endian. A part that was not synced may be cut off: its sender has no answer, and sends it again.
 */
final class ReplacedKeys {
    static final String FILE = "replaced.keys";

    private ReplacedKeys() {}

    /** Adds keys durably. */
    static void write(Path file, boolean first, List<byte[]> keys) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes);
                FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            for (byte[] key : keys) {
                out.writeInt(key.length);
                out.write(key);
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

    /** All keys; none if there is no file. Cuts off a part that was not written whole. */
    static List<byte[]> read(Path file) {
        List<byte[]> keys = new ArrayList<>();
        if (!Files.exists(file)) {
            return keys;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            long whole = 0;
            while (channel.size() - whole >= Integer.BYTES) {
                int length = in.readInt();
                if (length < 0 || length > channel.size() - whole - Integer.BYTES) {
                    break;
                }
                byte[] key = new byte[length];
                in.readFully(key);
                keys.add(key);
                whole += Integer.BYTES + length;
            }
            channel.truncate(whole);
            return keys;
        } catch (IOException e) {
            throw StoreErrors.failed("read " + file, e);
        }
    }
}
