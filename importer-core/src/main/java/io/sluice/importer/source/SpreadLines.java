package io.sluice.importer.source;

import io.sluice.importer.source.codec.Codec;
import io.sluice.importer.source.origin.Origin;
import io.sluice.model.error.BadInputException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A sample of a text file: whole lines from places that are spread evenly over it, in one shorter file. The first place
 * is the file's start, with its header.
 *
 * <pre>
 *   file    header a b c d e f g h i j k l m n o p
 *   places  |------|           |------|
 *   sample  header a b         f g
 * </pre>
 *
 * <p>A place may begin inside a quoted field with line ends, so a few lines may be no records.
 */
public final class SpreadLines implements Origin {
    private final Origin whole;
    private final byte[] lines;

    private SpreadLines(Origin whole, byte[] lines) {
        this.whole = whole;
        this.lines = lines;
    }

    /**
     * Reads a sample into memory.
     *
     * @param file a file of lines
     * @param places number of places
     * @param placeBytes bytes to read at each place; lines that are longer are left out
     * @return null if the file is compressed, in UTF-16, cannot be read at any position, or has another version now
     */
    public static @Nullable InputFile of(InputFile file, int places, int placeBytes) {
        if (!file.repeatable() || !file.encoding().charset().equals(StandardCharsets.UTF_8)) {
            return null;
        }
        try (SeekableByteChannel channel = file.origin().openFile()) {
            byte[] head = read(channel, 0, Codec.MAGIC_BYTES);
            boolean plain = file.encoding().codec(file.name(), head, head.length) == null;
            boolean utf16 = head.length > 1 && (head[0] & 0xfe) == 0xfe && (head[1] & 0xfe) == 0xfe;
            if (!plain || utf16) {
                return null;
            }
            ByteArrayOutputStream lines = new ByteArrayOutputStream();
            for (int i = 0; i < places; i++) {
                long offset = (long) ((double) file.sizeBytes() / places * i);
                addLines(read(channel, offset, placeBytes), i == 0, lines);
            }
            SpreadLines sample = new SpreadLines(file.origin(), lines.toByteArray());
            return new InputFile(file.ordinal(), file.name(), sample, sample.lines.length, file.encoding());
        } catch (IOException | BadInputException e) {
            // Reading all of the file shows whether it can be read.
            return null;
        }
    }

    private static byte[] read(SeekableByteChannel channel, long offset, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        channel.position(offset);
        while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
            // Channels may read less than requested.
        }
        return Arrays.copyOf(bytes.array(), bytes.position());
    }

    private static void addLines(byte[] bytes, boolean atStart, ByteArrayOutputStream lines) {
        int from = 0;
        while (!atStart && from < bytes.length && bytes[from++] != '\n') {
            // The line before belongs to another place.
        }
        int to = bytes.length;
        while (to > from && bytes[to - 1] != '\n') {
            to--;
        }
        lines.write(bytes, from, to - from);
    }

    @Override
    public InputStream open() {
        return new ByteArrayInputStream(lines);
    }

    @Override
    public String version() {
        return whole.version();
    }

    @Override
    public void ensureUnchanged() throws IOException {
        whole.ensureUnchanged();
    }

    @Override
    public boolean repeatable() {
        return true;
    }

    @Override
    public boolean remote() {
        return false;
    }

    @Override
    public String toString() {
        return whole.toString();
    }
}
