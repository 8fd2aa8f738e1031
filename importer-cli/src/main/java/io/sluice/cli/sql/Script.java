package io.sluice.cli.sql;

import io.sluice.cli.ExitCode;
import io.sluice.grammar.SqlClient;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.SqlScript;
import io.sluice.grammar.StatementException;
import io.sluice.grammar.StatementResult;
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
    private int line = 1;

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

    /** Executes what a reader gives, statement by statement; the exit code. */
    int run(Reader reader) throws IOException {
        char[] buffer = new char[BUFFER_CHARS];
        for (int count = reader.read(buffer); count >= 0; count = reader.read(buffer)) {
            int start = pending.length();
            pending.append(buffer, 0, count);
            int newline = pending.lastIndexOf("\n");
            // Without a semicolon and the end of its line nothing can be complete that was not before.
            boolean ended = newline >= 0 && pending.indexOf(";", Math.max(0, start - 1)) >= 0;
            // Statements with parameters are one, which is seen at the end.
            if (ended && parameters.isEmpty()) {
                int code = executeThrough(newline + 1);
                if (code != 0) {
                    return code;
                }
            }
            if (pending.length() > MOST_CHARS) {
                throw new BadInputException("line " + line + ": a statement is longer than " + MOST_CHARS
                        + " characters; insert fewer rows at a time");
            }
        }
        return execute(pending.toString());
    }

    /** Executes the whole lines, unless the last of their statements goes on behind them. */
    private int executeThrough(int end) {
        String whole = pending.substring(0, end);
        if (SqlScript.wantsMore(whole)) {
            return 0;
        }
        pending.delete(0, end);
        int code = execute(whole);
        line += (int) whole.chars().filter(c -> c == '\n').count();
        return code;
    }

    private int execute(String text) {
        List<StatementText> statements;
        try {
            statements = SqlScript.split(text, line, 1);
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
