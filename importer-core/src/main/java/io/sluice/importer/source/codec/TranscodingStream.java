package io.sluice.importer.source.codec;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Converts text of any charset to UTF-8. Malformed bytes are an error with their position. */
public final class TranscodingStream extends BlockStream {
    private static final int BUFFER_BYTES = 32 << 10;

    private final InputStream in;
    private final Charset charset;
    private final CharsetDecoder decoder;
    private final CharsetEncoder encoder = StandardCharsets.UTF_8.newEncoder();
    private final ByteBuffer stored = ByteBuffer.allocate(BUFFER_BYTES).flip();
    private final CharBuffer chars = CharBuffer.allocate(BUFFER_BYTES).flip();
    /** UTF-8 output: at most three bytes per char. */
    private final ByteBuffer text = ByteBuffer.allocate(3 * BUFFER_BYTES).flip();

    /** Offset of the byte after those in {@link #stored}. */
    private long position;

    private boolean ended;
    private boolean finished;

    /** Creates a stream over text; closes {@code in} when closed. */
    public TranscodingStream(InputStream in, Charset charset) {
        this.in = in;
        this.charset = charset;
        decoder = charset.newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
    }

    /** The charset of the stored bytes. */
    public Charset charset() {
        return charset;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (!text.hasRemaining()) {
            if (finished) {
                return -1;
            }
            more();
        }
        int read = Math.min(length, text.remaining());
        text.get(buffer, offset, read);
        return read;
    }

    /** Converts the next stored bytes. */
    private void more() throws IOException {
        stored.compact();
        int read = in.read(stored.array(), stored.position(), stored.remaining());
        ended = read < 0;
        position += Math.max(0, read);
        stored.position(stored.position() + Math.max(0, read)).flip();
        chars.compact();
        CoderResult result = decoder.decode(stored, chars, ended);
        if (!result.isError() && ended && result.isUnderflow()) {
            result = decoder.flush(chars);
            finished = result.isUnderflow();
        }
        chars.flip();
        if (result.isError()) {
            throw malformed(result);
        }
        text.clear();
        CoderResult encoded = encoder.encode(chars, text, finished);
        text.flip();
        if (encoded.isError()) {
            throw malformed(encoded);
        }
    }

    private CorruptInputException malformed(CoderResult result) throws IOException {
        long at = position - stored.remaining();
        try {
            result.throwException();
            throw new IllegalStateException("no error in " + result);
        } catch (CharacterCodingException e) {
            return new CorruptInputException(
                    "byte " + at + " of the text begins no character of " + charset.name()
                            + "; name the charset that the file has with --charset",
                    e);
        }
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
