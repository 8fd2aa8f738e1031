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

/** Text of any charset as UTF-8. Bytes that are no text of the charset are an error with their position. */
public final class TranscodingStream extends BlockStream {
    private static final int BUFFER_BYTES = 32 << 10;

    private final InputStream in;
    private final Charset charset;
    private final CharsetDecoder decoder;
    private final CharsetEncoder encoder = StandardCharsets.UTF_8.newEncoder();
    private final ByteBuffer stored = ByteBuffer.allocate(BUFFER_BYTES).flip();
    private final CharBuffer chars = CharBuffer.allocate(BUFFER_BYTES).flip();
    /** At most three bytes of UTF-8 for a char. */
    private final ByteBuffer text = ByteBuffer.allocate(3 * BUFFER_BYTES).flip();

    /** Offset of the byte behind those in {@link #stored}. */
    private long position;

    private boolean ended;
    private boolean finished;

    /** Text to be read from the beginning of a stream, which is closed with this. */
    public TranscodingStream(InputStream in, Charset charset) {
        this.in = in;
        this.charset = charset;
        decoder = charset.newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
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

    /** Takes the next stored bytes through both coders. */
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
