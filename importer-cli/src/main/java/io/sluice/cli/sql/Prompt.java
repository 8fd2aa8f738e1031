package io.sluice.cli.sql;

import io.sluice.grammar.SqlClient;
import io.sluice.grammar.SqlScript;
import io.sluice.grammar.StatementException;
import io.sluice.grammar.StatementResult;
import io.sluice.grammar.StatementScanner;
import io.sluice.grammar.StatementText;
import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;

/**
 * Interactive SQL prompt with a history. Ctrl-C discards the current statement, Ctrl-D exits. After a failed statement
 * the prompt continues.
 */
final class Prompt {
    private static final String HISTORY = ".sluice_sql_history";
    private static final String FIRST = "sluice> ";
    private static final String WITHIN = "sluice*> ";
    private static final String MORE = "     -> ";

    private final SqlClient client;
    private final ResultPrinter printer;

    Prompt(SqlClient client, ResultPrinter printer) {
        this.client = client;
        this.printer = printer;
    }

    /** Reads until the end; the exit code. */
    int run() {
        try (Terminal terminal = TerminalBuilder.builder()
                .dumb(true)
                .encoding(StandardCharsets.UTF_8)
                .build()) {
            LineReader reader = LineReaderBuilder.builder()
                    .terminal(terminal)
                    .appName("sluice")
                    .variable(LineReader.HISTORY_FILE, Path.of(System.getProperty("user.home"), HISTORY))
                    // '!' is no command here.
                    .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
                    .build();
            read(reader::readLine);
            return 0;
        } catch (IOException e) {
            throw new OperationFailedException("cannot use the terminal: " + e.getMessage(), e);
        }
    }

    /**
     * Executes lines until there are no more.
     *
     * @param lines returns the next line for a prompt, as {@link LineReader#readLine(String)} does
     */
    void read(UnaryOperator<String> lines) {
        StringBuilder pending = new StringBuilder();
        StatementScanner scanner = new StatementScanner();
        while (true) {
            int scanned = pending.length();
            try {
                String prompt = scanned > 0 ? MORE : client.inTransaction() ? WITHIN : FIRST;
                pending.append(lines.apply(prompt)).append('\n');
            } catch (UserInterruptException e) {
                pending.setLength(0);
                scanner = new StatementScanner();
                continue;
            } catch (EndOfFileException e) {
                return;
            }
            if (scanner.scan(pending, scanned) == pending.length()) {
                String text = pending.toString();
                pending.setLength(0);
                execute(text);
            }
        }
    }

    private void execute(String text) {
        try {
            for (StatementText statement : SqlScript.split(text)) {
                StatementResult result = client.execute(statement, printer);
                printer.print(result);
                if (result instanceof StatementResult.Failed) {
                    return;
                }
            }
        } catch (StatementException e) {
            printer.print(new StatementResult.Failed(e.code(), e.text()));
        }
    }
}
