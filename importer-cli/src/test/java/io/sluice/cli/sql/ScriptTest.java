package io.sluice.cli.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.cli.output.Output;
import io.sluice.grammar.RowSink;
import io.sluice.grammar.SqlClient;
import io.sluice.grammar.StatementResult;
import io.sluice.grammar.StatementText;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.Reader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Statements of a script are executed while the rest of it is still read. */
class ScriptTest {
    private final List<String> executed = new ArrayList<>();
    /** Number of executed statements at each read. */
    private final List<Integer> counts = new ArrayList<>();

    private int run(Reader script) throws IOException {
        PrintStream none = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        ResultPrinter printer = new ResultPrinter(false, new Output(OutputStream.nullOutputStream()), none);
        return new Script(new Recorder(), printer, List.of()).run(script);
    }

    @Test
    void statementIsExecutedBeforeTheNextOneEnds() throws IOException {
        List<String> parts = List.of("a;\n-- b;\nc\n", "'d;\n", "';e '/*';\n", "f /*;*/;\n g-", "-;\n;h\n");
        assertEquals(0, run(new Parts(parts.iterator())));
        assertEquals(List.of("1:1 a", "3:1 c 'd; '", "5:3 e '/*'", "6:1 f", "7:2 g", "8:2 h"), executed);
        assertEquals(List.of(0, 1, 1, 3, 4, 5), counts);
    }

    @Test
    void longScriptIsExecutedWhileItIsRead() throws IOException {
        String statement = "INSERT INTO t VALUES\n" + "(1),\n".repeat(5_000) + "(2);";
        assertEquals(0, run(new Parts(Collections.nCopies(400, statement).iterator())));
        assertEquals(400, executed.size());
        int reads = counts.size();
        for (int i = 0; i < reads; i++) {
            assertEquals(400.0 * i / reads, counts.get(i), 2, "after read " + i);
        }
    }

    @Test
    void shortTextWithoutLineEndIsCheckedAsAWhole() throws IOException {
        assertEquals(2, run(new StringReader("a; 'b")));
        assertEquals(List.of(), executed);
    }

    /** Returns one part per read, as a pipe does, if the buffer has room for it. */
    private final class Parts extends Reader {
        private final Iterator<String> parts;
        private StringReader part = new StringReader("");

        Parts(Iterator<String> parts) {
            this.parts = parts;
        }

        @Override
        public int read(char[] to, int offset, int length) throws IOException {
            int count = part.read(to, offset, length);
            if (count < 0 && parts.hasNext()) {
                part = new StringReader(parts.next());
                count = part.read(to, offset, length);
            }
            counts.add(executed.size());
            return count;
        }

        @Override
        public void close() {
            part.close();
        }
    }

    /** Records the place and the text of each statement. */
    private final class Recorder implements SqlClient {
        @Override
        public StatementResult execute(StatementText statement, RowSink rows) {
            String text = statement.text().strip().replaceAll("\\s+", " ");
            executed.add(statement.line() + ":" + statement.column() + " " + text);
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
