package io.sluice.cli.output;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * The process's own streams.
 *
 * @param out standard output, unbuffered; wrap it in an {@link Output}
 * @param err standard error: messages; control characters are spelled out
 * @param drawing standard error as it is, for the progress line, which draws over itself
 * @param errIsTerminal whether standard error is a terminal, so that a line can be redrawn
 */
public record Console(OutputStream out, PrintStream err, PrintStream drawing, boolean errIsTerminal) {
    /** Set by the launcher, which can ask the shell; Java cannot tell standard error from standard output. */
    private static final String ERR_IS_TERMINAL = "sluice.err.terminal";

    private static final String OUT_IS_TERMINAL = "sluice.out.terminal";

    public static Console ofProcess() {
        FileOutputStream err = new FileOutputStream(FileDescriptor.err);
        Console console = new Console(
                new FileOutputStream(FileDescriptor.out),
                new PrintStream(new PrintableStream(err), true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                Boolean.getBoolean(ERR_IS_TERMINAL));
        // Logs of libraries go there too.
        System.setErr(console.err);
        return console;
    }

    /** A console on which messages and the progress line go to one stream as they are. */
    public Console(OutputStream out, PrintStream err, boolean errIsTerminal) {
        this(out, err, err, errIsTerminal);
    }

    /** Prints a message on standard error, after the name of the program. */
    public void log(String message) {
        err.println("sluice: " + message);
    }

    /** Standard output for text and JSON that people read: control characters are spelled out. */
    public Output output() {
        return new Output(new PrintableStream(out));
    }

    /** Standard output for rows, byte for byte; on a terminal as {@link #output}. */
    public Output data() {
        return new Output(Boolean.getBoolean(OUT_IS_TERMINAL) ? new PrintableStream(out) : out);
    }

    /**
     * Writes UTF-8 text with control characters escaped, except line feeds and tabs. Untrusted text may contain control
     * sequences, which a terminal would execute. Escapes as in JSON, so JSON output stays valid.
     */
    private static final class PrintableStream extends FilterOutputStream {
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
}
