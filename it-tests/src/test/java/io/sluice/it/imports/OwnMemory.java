package io.sluice.it.imports;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** This process's memory as the kernel shows it, past the JVM: where bits can be flipped as a bad module flips them. */
final class OwnMemory {
    private static final int CHUNK_BYTES = 1 << 20;
    /** The way in which the bytes looked for lie in this class's own memory: not as they are. */
    private static final byte MASK = 0x5a;

    private OwnMemory() {}

    /** Flips a bit of the last of some bytes, wherever they are; they must be somewhere. The array is masked. */
    static void flip(byte[] bytes) {
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] ^= MASK;
        }
        byte[] chunk = new byte[CHUNK_BYTES + bytes.length];
        int flipped = 0;
        try (FileChannel memory = FileChannel.open(Path.of("/proc/self/mem"), READ, WRITE)) {
            for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
                String[] parts = line.strip().split("\\s+", -1);
                // Memory of no file.
                if (parts.length == 5 && parts[1].equals("rw-p")) {
                    String[] bounds = parts[0].split("-", -1);
                    long end = Long.parseUnsignedLong(bounds[1], 16);
                    for (long at = Long.parseUnsignedLong(bounds[0], 16); at < end; at += CHUNK_BYTES) {
                        flipped += flip(memory, at, (int) Math.min(chunk.length, end - at), chunk, bytes);
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        assertTrue(flipped > 0, "they are nowhere");
    }

    private static int flip(FileChannel memory, long at, int length, byte[] chunk, byte[] masked) throws IOException {
        int read;
        try {
            read = memory.read(ByteBuffer.wrap(chunk, 0, length), at);
        } catch (IOException e) {
            // Reserved, and not there.
            return 0;
        }
        int flipped = 0;
        for (int i = 0; i + masked.length <= read; i++) {
            if (matches(chunk, i, masked)) {
                int last = i + masked.length - 1;
                byte[] other = {(byte) (chunk[last] ^ 1)};
                memory.write(ByteBuffer.wrap(other), at + last);
                flipped++;
            }
        }
        Arrays.fill(chunk, (byte) 0);
        return flipped;
    }

    private static boolean matches(byte[] chunk, int at, byte[] masked) {
        for (int i = 0; i < masked.length; i++) {
            if ((chunk[at + i] ^ MASK) != masked[i]) {
                return false;
            }
        }
        return true;
    }
}
