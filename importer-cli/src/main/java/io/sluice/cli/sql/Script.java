package io.sluice.cli.sql;

import io.sluice.cli.ExitCode;
import io.sluice.grammar.SqlClient;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.SqlScript;
import io.sluice.grammar.StatementException;
import io.sluice.grammar.StatementResult;
import io.sluice.grammar.StatementScanner;
import io.sluice.grammar.StatementText;
import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Statements that are read and executed one after the other until one fails. */
final class Script {
    /** More than any statement that a transaction has room for. */
    private static final int MOST_CHARS = 64 << 20;

    private static final int BUFFER_CHARS = 16 << 10;

    private final SqlClient client;
    private final ResultPrinter printer;
    private final List<@Nullable String> parameters;
    private final StringBuilder pending = new StringBuilder();
    private final StatementScanner scanner = new StatementScanner();
    /** Characters of the pending text that the scanner has seen. */
    private int scanned;
    /** Place of the pending text in the script. */
    private int line = 1;

    private int column = 1;

    /**
     * On a client.
     *
     * @param parameters of the one statement there is; empty: there may be any number
     */
    Script(SqlClient client, ResultPrinter printer, List<String> parameters) {
        this.client = client;
        this.printer = printer;
        this.parameters = new ArrayList<>(parameters);
    }

    /**
     * Executes what a reader gives, statement by statement.
     *
     * @return the exit code
     * @throws BadInputException if it ends within a transaction, or is no script
     */
    int run(Reader reader) throws IOException {
        char[] buffer = new char[BUFFER_CHARS];
        for (int count = reader.read(buffer); count >= 0; count = reader.read(buffer)) {
            pending.append(buffer, 0, count);
            // A short text without the end of a line is checked as a whole before its first statement is executed.
            // Statements with parameters are one, which is seen at the end.
            boolean many = pending.length() > BUFFER_CHARS || pending.indexOf("\n") >= 0;
            if (many && parameters.isEmpty()) {
                int code = executeEnded();
                if (code != 0) {
                    return code;
                }
            }
            if (pending.length() > MOST_CHARS) {
                throw new BadInputException("line " + line + ": a statement is longer than " + MOST_CHARS
                        + " characters; insert fewer rows at a time");
            }
        }
        int code = execute(pending.toString());
        if (code == 0 && client.inTransaction()) {
            throw new BadInputException("the statements end within a transaction, whose changes are undone; end it with"
                    + " COMMIT or ROLLBACK");
        }
        return code;
    }

    /** Executes the statements that have ended. The rest stays, and is not scanned again. */
    private int executeEnded() {
        int end = scanner.scan(pending, scanned);
        scanned = pending.length();
        if (end < 0) {
            return 0;
        }
        String ended = pending.substring(0, end);
        pending.delete(0, end);
        scanned -= end;
        int code = execute(ended);
        line += (int) ended.chars().filter(c -> c == '\n').count();
        int newline = ended.lastIndexOf('\n');
        column = newline < 0 ? column + end : end - newline;
        return code;
    }

    private int execute(String text) {
        List<StatementText> statements;
        try {
            statements = SqlScript.split(text, line, column);
        } catch (StatementException e) {
            return failed(new StatementResult.Failed(e.code(), e.text()));
        }
        if (!parameters.isEmpty() && statements.size() != 1) {
            throw new BadInputException("--parameter is for one statement, and there are " + statements.size());
        }
        for (StatementText statement : statements) {
            StatementResult result = client.execute(statement.with(parameters), printer);
            printer.print(result);
            if (result instanceof StatementResult.Failed failed) {
                return exitCode(failed.code());
            }
        }
        return 0;
    }

    private int failed(StatementResult.Failed failure) {
        printer.print(failure);
        return exitCode(failure.code());
    }

    private static int exitCode(SqlErrorCode code) {
        return code.badInput() ? ExitCode.BAD_INPUT : ExitCode.FAILED;
    }
}
