package io.sluice.cli.output;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Writes UTF-8 text with control characters escaped, except line feeds and tabs. Untrusted text may contain control
 * sequences, which a terminal would execute. Escapes as in JSON, so JSON output stays valid.
 */
final class PrintableStream extends FilterOutputStream {
    /** The first byte of U+0080 to U+00BF in UTF-8, of which the lower half are control characters. */
    private static final int C1_LEAD = 0xc2;

    private static final int DELETE = 0x7f;
    private boolean afterLead;

    PrintableStream(OutputStream out) {
        super(out);
    }

    @Override
    public void write(int b) throws IOException {
        int c = b & 0xff;
        if (afterLead) {
            afterLead = false;
            if (c >= 0x80 && c < 0xa0) {
                spell(c);
                return;
            }
            out.write(C1_LEAD);
        }
        if (c == C1_LEAD) {
            afterLead = true;
        } else if ((c < ' ' && c != '\n' && c != '\t') || c == DELETE) {
            spell(c);
        } else {
            out.write(c);
        }
    }

    private void spell(int c) throws IOException {
        out.write(String.format("\\u%04x", c).getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        int from = offset;
        for (int i = offset; i < offset + length; i++) {
            int c = bytes[i] & 0xff;
            boolean plain = !afterLead && ((c >= ' ' && c != DELETE && c != C1_LEAD) || c == '\n' || c == '\t');
            if (!plain) {
                out.write(bytes, from, i - from);
                write(c);
                from = i + 1;
            }
        }
        out.write(bytes, from, offset + length - from);
    }
}
