package io.sluice.cli.output;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
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

    /** Standard output for text and JSON that people read: control characters are spelled out. */
    public Output output() {
        return new Output(new PrintableStream(out));
    }

    /** Standard output for rows, byte for byte; on a terminal as {@link #output}. */
    public Output data() {
        return new Output(Boolean.getBoolean(OUT_IS_TERMINAL) ? new PrintableStream(out) : out);
    }
}
