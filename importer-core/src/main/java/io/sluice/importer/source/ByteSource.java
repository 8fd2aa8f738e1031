package io.sluice.importer.source;

import io.sluice.importer.source.codec.Codec;
import io.sluice.importer.source.codec.CountingStream;
import io.sluice.importer.source.codec.DecodingStream;
import io.sluice.importer.source.codec.TranscodingStream;
import io.sluice.importer.source.parquet.ParquetFooter;
import io.sluice.importer.source.parquet.ParquetStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.function.LongSupplier;

/**
 * Reads the text of one input in UTF-8, once from its start. It decompresses and transcodes as the first bytes and the
 * {@link Encoding} tell. For one thread at a time.
 */
final class ByteSource implements Closeable {
    /** First bytes of the text that tell UTF-16 from UTF-8: enough that no other text with zero bytes looks so. */
    private static final int MARK_BYTES = 16;

    private final LongSupplier storedBytes;
    private final InputStream text;
    private final boolean readAhead;
    private final String found;
    private final InputPart part;

    private ByteSource(LongSupplier storedBytes, InputStream text, boolean readAhead, String found, InputPart part) {
        this.found = found;
        this.part = part;
        this.storedBytes = storedBytes;
        this.text = text;
        this.readAhead = readAhead;
    }

    /** Opens all of an input, as {@link #open(InputPart, boolean, int)} does. */
    static ByteSource open(InputFile file, boolean isText, int aheadBytes) throws IOException {
        return open(new InputPart(file, 0, null), isText, aheadBytes, false);
    }

    /**
     * Opens the first part of an input, or one that {@link #part} made known.
     *
     * @param isText whether to convert to UTF-8; if not, bytes stay as they are, but those of a Parquet file become
     *     those of an Avro container file
     * @param aheadBytes bytes that a separate thread may read ahead of an input that needs more than copying; 0: no
     *     read-ahead
     * @throws io.sluice.model.error.BadInputException when the content does not match the name's suffix
     */
    static ByteSource open(InputPart part, boolean isText, int aheadBytes) throws IOException {
        return open(part, isText, aheadBytes, true);
    }

    private static ByteSource open(InputPart part, boolean isText, int aheadBytes, boolean inParts) throws IOException {
        InputFile file = part.file();
        ParquetFooter known = part.footer();
        if (known != null) {
            return ofParquet(part, ParquetStream.ofPart(file.origin().openFile(), known, part.index()), aheadBytes);
        }
        CountingStream stored = new CountingStream(file.origin().open());
        try {
            PushbackInputStream start = new PushbackInputStream(stored, Math.max(Codec.MAGIC_BYTES, MARK_BYTES));
            byte[] head = start.readNBytes(Codec.MAGIC_BYTES);
            if (!isText && ParquetStream.isMagic(head, head.length)) {
                stored.close();
                return openParquet(file, aheadBytes, inParts);
            }
            start.unread(head);
            Codec codec = file.encoding().codec(file.name(), head, head.length);
            InputStream plain = codec == null ? start : new DecodingStream(codec, stored, start);
            InputStream text = isText ? inUtf8(plain, file.encoding().charset()) : plain;
            // A pipe without a writer blocks its reader, so a separate thread reads it, which no other thread waits
            // for.
            boolean worthIt = text != start || file.origin().remote() || !file.repeatable();
            boolean readAhead = aheadBytes > 0 && worthIt;
            String charset = !isText
                    ? ""
                    : text instanceof TranscodingStream to ? to.charset().name() : "UTF-8";
            String found =
                    (codec == null ? "not compressed" : codec.label()) + (charset.isEmpty() ? "" : ", " + charset);
            return new ByteSource(
                    stored::count,
                    readAhead ? new ReadAhead(text, aheadBytes, file.name()) : text,
                    readAhead,
                    found,
                    part);
        } catch (IOException | RuntimeException e) {
            try {
                stored.close();
            } catch (IOException notClosed) {
                e.addSuppressed(notClosed);
            }
            throw e;
        }
    }

    private static ByteSource openParquet(InputFile file, int aheadBytes, boolean inParts) throws IOException {
        SeekableByteChannel channel = file.origin().openFile();
        ParquetFooter footer;
        try {
            footer = ParquetFooter.of(file.origin(), channel, file.name());
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
        if (inParts && footer.parts() > 1) {
            return ofParquet(new InputPart(file, 0, footer), ParquetStream.ofPart(channel, footer, 0), aheadBytes);
        }
        return ofParquet(new InputPart(file, 0, null), ParquetStream.ofAll(channel, footer), aheadBytes);
    }

    /** Of several local parts, each worker converts one itself; only a lone part is worth a thread of its own. */
    private static ByteSource ofParquet(InputPart part, ParquetStream rows, int aheadBytes) {
        boolean readAhead =
                aheadBytes > 0 && (!part.several() || part.file().origin().remote());
        InputStream ahead =
                readAhead ? new ReadAhead(rows, aheadBytes, part.file().name()) : rows;
        return new ByteSource(rows::storedBytes, ahead, readAhead, Encoding.PARQUET, part);
    }

    private static InputStream inUtf8(InputStream text, Charset charset) throws IOException {
        if (!charset.equals(StandardCharsets.UTF_8)) {
            return new TranscodingStream(text, charset);
        }
        PushbackInputStream start =
                text instanceof PushbackInputStream pushback ? pushback : new PushbackInputStream(text, MARK_BYTES);
        byte[] mark = start.readNBytes(MARK_BYTES);
        start.unread(mark);
        if (alternates(mark, 0)) {
            return new TranscodingStream(start, StandardCharsets.UTF_16BE);
        }
        if (alternates(mark, 1)) {
            return new TranscodingStream(start, StandardCharsets.UTF_16LE);
        }
        boolean utf16 =
                mark.length >= 2 && ((mark[0] & 0xff) ^ (mark[1] & 0xff)) == (0xfe ^ 0xff) && (mark[0] & 0xfe) == 0xfe;
        return utf16 ? new TranscodingStream(start, StandardCharsets.UTF_16) : text == start ? text : start;
    }

    /** Whether each other byte from a place on is zero, and those between are ASCII: UTF-16 without its mark. */
    private static boolean alternates(byte[] mark, int zero) {
        for (int i = 0; i < mark.length; i += 2) {
            if (i + 1 == mark.length || mark[i + zero] != 0 || mark[i + 1 - zero] <= 0) {
                return false;
            }
        }
        return mark.length == MARK_BYTES;
    }

    /** The part that is open, with the input's other parts if it has any. */
    InputPart part() {
        return part;
    }

    /** Compression and charset in words, as the first bytes and the settings have them. */
    String found() {
        return found;
    }

    /**
     * Reads until the range is full or the input ends; returns the bytes read, fewer than requested only at the end.
     */
    int fill(byte[] buffer, int offset, int length) throws IOException {
        return text.readNBytes(buffer, offset, length);
    }

    /** Skips {@code length} bytes; false if the input ends before. */
    boolean skip(long length) throws IOException {
        try {
            text.skipNBytes(length);
            return true;
        } catch (EOFException e) {
            return false;
        }
    }

    /** Stored bytes read so far, those read ahead included. */
    long storedBytes() {
        return storedBytes.getAsLong();
    }

    /** Whether a separate thread reads ahead. */
    boolean readsAhead() {
        return readAhead;
    }

    @Override
    public void close() throws IOException {
        text.close();
    }
}
