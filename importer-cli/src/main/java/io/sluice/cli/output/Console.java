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
 * @param err standard error: messages and progress
 * @param errIsTerminal whether somebody watches standard error, so that a line may be drawn over
 */
public record Console(OutputStream out, PrintStream err, boolean errIsTerminal) {
    /** Set by the launcher, which can ask the shell; Java cannot tell standard error from standard output. */
    private static final String ERR_IS_TERMINAL = "sluice.err.terminal";

    public static Console ofProcess() {
        return new Console(
                new FileOutputStream(FileDescriptor.out),
                new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8),
                Boolean.getBoolean(ERR_IS_TERMINAL));
    }

    /** Standard output for text. */
    public Output output() {
        return new Output(out);
    }
}
