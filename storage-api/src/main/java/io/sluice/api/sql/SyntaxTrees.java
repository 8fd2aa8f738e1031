package io.sluice.api.sql;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Trees of statements that have parameters, which come again and again: reading the text is most of the work of a
 * statement on one row. Those that were not used for longest go. Usable by several threads.
 */
final class SyntaxTrees {
    /** Rarely has a program more statements; a tree takes some kilobytes. */
    private static final int MOST_TREES = 256;
    /** Longer ones were made by a program, and with another number of rows next time. */
    private static final int MOST_CHARS = 4096;

    private final Map<String, SyntaxTree> trees = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, SyntaxTree> eldest) {
            return size() > MOST_TREES;
        }
    };

    /**
     * The tree of a statement.
     *
     * @throws StatementException when it is no SQL, or has other than as many parameters as question marks
     */
    net.sf.jsqlparser.statement.Statement of(StatementText text) {
        SyntaxTree tree =
                text.parameters().isEmpty() || text.parsed().length() > MOST_CHARS ? SyntaxTree.of(text) : kept(text);
        SyntaxTree.requireParameters(text, tree.parameters());
        return tree.root();
    }

    private SyntaxTree kept(StatementText text) {
        synchronized (trees) {
            SyntaxTree known = trees.get(text.parsed());
            if (known != null) {
                return known;
            }
        }
        SyntaxTree read = SyntaxTree.of(text);
        synchronized (trees) {
            trees.put(text.parsed(), read);
        }
        return read;
    }
}
