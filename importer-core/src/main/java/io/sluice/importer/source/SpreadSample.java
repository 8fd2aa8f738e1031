package io.sluice.importer.source;

import io.sluice.importer.source.codec.Codec;
import io.sluice.importer.source.origin.Origin;
import io.sluice.importer.source.parquet.ParquetFooter;
import io.sluice.importer.source.parquet.ParquetStream;
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
 * A sample of a file: whole records from places that are spread evenly over it, in one shorter file. The first place is
 * the file's start, with its header.
 *
 * <pre>
 *   file    header a b c d e f g h i j k l m n o p
 *   places  |------|           |------|
 *   sample  header a b         f g
 * </pre>
 *
 * <p>Records are lines, or blocks of an Avro container file. Of a Parquet file they are the first rows of row groups,
 * in blocks of Avro. A place in a text may begin inside a quoted field with line ends, so a few lines may be no
 * records.
 */
public final class SpreadSample implements Origin {
    /** Row groups of a sample: the first page of each column is read, of a remote file all of it. */
    private static final int MOST_ROW_GROUPS = 16;

    /** A longer header of an Avro file makes it a file without a sample. */
    private static final int MOST_HEADER_BYTES = 64 << 10;

    private final Origin whole;
    private final byte[] records;

    private SpreadSample(Origin whole, byte[] records) {
        this.whole = whole;
        this.records = records;
    }

    /**
     * Reads a sample into memory.
     *
     * @param framing of the file's format, before its header was read
     * @param places number of places
     * @param placeBytes bytes to read at each place; records that are longer are left out
     * @return null if the file is compressed, in UTF-16, has one row group only, cannot be read at any position, or has
     *     another version now, and for other formats
     */
    public static @Nullable InputFile of(InputFile file, Framing framing, int places, int placeBytes) {
        if (!file.repeatable() || !file.encoding().charset().equals(StandardCharsets.UTF_8)) {
            return null;
        }
        try (SeekableByteChannel channel = file.origin().openFile()) {
            byte[] head = read(channel, 0, Codec.MAGIC_BYTES);
            byte[] records = null;
            if (framing.isText()) {
                boolean plain = file.encoding().codec(file.name(), head, head.length) == null;
                boolean utf16 = head.length > 1 && (head[0] & 0xfe) == 0xfe && (head[1] & 0xfe) == 0xfe;
                records = plain && !utf16 ? lines(file, channel, places, placeBytes) : null;
            } else if (framing instanceof OcfFraming) {
                records = ParquetStream.isMagic(head, head.length)
                        ? rowGroups(file, channel, places, placeBytes)
                        : OcfHeader.isMagic(head, head.length) ? blocks(file, channel, places, placeBytes) : null;
            }
            if (records == null) {
                return null;
            }
            SpreadSample sample = new SpreadSample(file.origin(), records);
            return new InputFile(file.ordinal(), file.name(), sample, records.length, file.encoding());
        } catch (IOException | BadInputException e) {
            // Reading all of the file shows whether it can be read.
            return null;
        }
    }

    private static byte[] lines(InputFile file, SeekableByteChannel channel, int places, int placeBytes)
            throws IOException {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (int i = 0; i < places; i++) {
            addLines(read(channel, offset(file, places, i), placeBytes), i == 0, lines);
        }
        return lines.toByteArray();
    }

    private static long offset(InputFile file, int places, int place) {
        return (long) ((double) file.sizeBytes() / places * place);
    }

    private static byte @Nullable [] blocks(InputFile file, SeekableByteChannel channel, int places, int placeBytes)
            throws IOException {
        byte[] start = read(channel, 0, Math.max(placeBytes, MOST_HEADER_BYTES));
        int header = OcfHeader.end(start, 0, start.length);
        if (header < 0) {
            return null;
        }
        OcfFraming framing = new OcfFraming(Arrays.copyOfRange(start, header - OcfHeader.SYNC_BYTES, header));
        ByteArrayOutputStream blocks = new ByteArrayOutputStream();
        blocks.write(start, 0, header);
        for (int i = 0; i < places; i++) {
            byte[] bytes = read(channel, Math.max(header, offset(file, places, i)), placeBytes);
            int marker = i == 0 ? 0 : OcfFraming.indexOf(bytes, 0, bytes.length, framing.marker());
            if (marker >= 0) {
                addBlocks(bytes, i == 0 ? 0 : marker + OcfHeader.SYNC_BYTES, bytes.length, framing, blocks);
            }
        }
        return blocks.toByteArray();
    }

    /** Adds whole blocks: the first one, and others of which more than half is before the end. */
    private static void addBlocks(byte[] bytes, int from, int end, OcfFraming framing, ByteArrayOutputStream blocks) {
        int to = from;
        int next = framing.firstRecordEnd(bytes, from, bytes.length, false);
        while (next >= 0 && next > to && (to == from || to + (next - to) / 2 < end)) {
            to = next;
            next = framing.firstRecordEnd(bytes, to, bytes.length, false);
        }
        blocks.write(bytes, from, to - from);
    }

    /**
     * Reads groups from their starts, each in proportion to the rows up to the next one. They share a header, whose
     * marker is always the same.
     */
    private static byte @Nullable [] rowGroups(InputFile file, SeekableByteChannel channel, int places, int placeBytes)
            throws IOException {
        ParquetFooter footer = ParquetFooter.of(file.origin(), channel, file.name());
        int groups = Math.min(Math.min(places, MOST_ROW_GROUPS), footer.parts());
        if (groups < 2) {
            return null;
        }
        ByteArrayOutputStream blocks = new ByteArrayOutputStream();
        for (int i = 0; i < groups; i++) {
            int part = (int) ((long) footer.parts() * i / groups);
            int next = (int) (footer.parts() * (i + 1L) / groups);
            double share = (double) (footer.firstRow(next) - footer.firstRow(part)) / footer.firstRow(footer.parts());
            try (ParquetStream rows = ParquetStream.ofPart(file.origin().openFile(), footer, part)) {
                int wanted = (int) (share * places * placeBytes);
                byte[] bytes = rows.readNBytes(MOST_HEADER_BYTES + wanted + 2 * placeBytes);
                int header = OcfHeader.end(bytes, 0, bytes.length);
                if (header < 0) {
                    return null;
                }
                if (i == 0) {
                    blocks.write(bytes, 0, header);
                }
                byte[] sync = Arrays.copyOfRange(bytes, header - OcfHeader.SYNC_BYTES, header);
                addBlocks(bytes, header, header + wanted, new OcfFraming(sync), blocks);
            }
        }
        return blocks.toByteArray();
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
        return new ByteArrayInputStream(records);
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
