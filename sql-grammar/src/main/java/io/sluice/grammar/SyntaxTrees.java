package io.sluice.grammar;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * LRU cache of syntax trees of statements with parameters. Parsing is most of the cost of a statement on one row.
 * Thread-safe.
 */
final class SyntaxTrees {
    /** Maximum number of trees; few programs have more statements, and a tree takes some kilobytes. */
    private static final int MOST_TREES = 256;
    /** Longer statements are not cached: a program generates them, and the next has another number of rows. */
    private static final int MOST_CHARS = 4096;

    private final Map<String, SyntaxTree> trees = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, SyntaxTree> eldest) {
            return size() > MOST_TREES;
        }
    };

    /**
     * Returns the tree of a statement, from the cache if possible.
     *
     * @throws StatementException if the text is not SQL, or its numbers of parameters and question marks differ
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
