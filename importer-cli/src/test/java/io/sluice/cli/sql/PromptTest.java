package io.sluice.cli.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.sluice.cli.output.Output;
import io.sluice.grammar.RowSink;
import io.sluice.grammar.SqlClient;
import io.sluice.grammar.StatementResult;
import io.sluice.grammar.StatementText;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.jline.reader.EndOfFileException;
import org.jline.reader.UserInterruptException;
import org.junit.jupiter.api.Test;

/** Lines of a terminal become statements. */
class PromptTest {
    /** Stands for Ctrl-C. */
    private static final String INTERRUPT = "^C";

    private final List<String> executed = new ArrayList<>();
    private final List<String> prompts = new ArrayList<>();

    private void type(List<String> lines) throws IOException {
        PrintStream none = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        ResultPrinter printer = new ResultPrinter(false, new Output(OutputStream.nullOutputStream()), none);
        Iterator<String> typed = lines.iterator();
        new Prompt(new Recorder(), printer).read(prompt -> {
            prompts.add(prompt.strip());
            if (!typed.hasNext()) {
                throw new EndOfFileException();
            }
            String line = typed.next();
            if (line.equals(INTERRUPT)) {
                throw new UserInterruptException("");
            }
            return line;
        });
    }

    @Test
    void statementIsExecutedWhenNothingIsOpen() throws IOException {
        type(List.of("a; b", ";", "", "c 'd;", "e';", "f; /* ;", "*/ -- g", "h; i"));
        assertEquals(List.of("a", "b\n", "c 'd;\ne'", "f"), executed);
        assertEquals("sluice>,->,sluice>,sluice>,->,sluice>,->,sluice>,->", String.join(",", prompts));
    }

    @Test
    void interruptDiscardsTheStatement() throws IOException {
        type(List.of("a 'b", INTERRUPT, "c;", "d; /*", INTERRUPT, "e;"));
        assertEquals(List.of("c", "e"), executed);
    }

    /**
     * A scan of all characters after each of 4,000 lines would take minutes; one of each character takes milliseconds.
     */
    @Test
    void longStatementIsScannedOnce() {
        List<String> lines = new ArrayList<>();
        lines.add("INSERT INTO t VALUES " + "(1, 'x'), ".repeat(200_000));
        lines.addAll(Collections.nCopies(4_000, ""));
        lines.add("(2, '');");
        assertTimeoutPreemptively(Duration.ofSeconds(30), () -> type(lines));
        assertEquals(1, executed.size());
    }

    private final class Recorder implements SqlClient {
        @Override
        public StatementResult execute(StatementText statement, RowSink rows) {
            executed.add(statement.text());
            return new StatementResult.Done("done");
        }

        @Override
        public boolean inTransaction() {
            return false;
        }

        @Override
        public void close() {}
    }
}
