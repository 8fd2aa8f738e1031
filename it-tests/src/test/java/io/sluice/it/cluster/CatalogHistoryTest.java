package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.sluice.it.support.CatalogHistory;
import io.sluice.it.support.CatalogHistory.Kind;
import io.sluice.it.support.CatalogHistory.Operation;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Histories as pictures: a line for each operation, its first bar the request and its last one the answer. A result
 * {@code ?} is not known.
 */
class CatalogHistoryTest {
    private static @Nullable String problem(String picture) {
        CatalogHistory history = new CatalogHistory();
        picture.lines().filter(line -> !line.isBlank()).forEach(line -> {
            String[] words = line.strip().split("\\s+", -1);
            int start = line.indexOf('|');
            int end = line.lastIndexOf('|');
            Kind kind = Kind.valueOf(words[1].toUpperCase(Locale.ROOT));
            String content = kind == Kind.DROP || words[2].equals("none") ? null : words[2];
            String result = kind == Kind.READ ? "" : words[kind == Kind.CREATE ? 3 : 2];
            Boolean done = result.equals("done") ? Boolean.TRUE : result.equals("refused") ? Boolean.FALSE : null;
            history.add(words[0], new Operation(kind, content, done, start, end));
        });
        assertEquals(picture.lines().filter(line -> !line.isBlank()).count(), history.size());
        return history.problem();
    }

    @Test
    void historiesThatAnOrderExplains() {
        assertNull(problem("""
                t create a done       |---|
                t read   a                  |---|
                t drop   done                     |---|
                t read   none                           |---|
                """), "one after the other");
        assertNull(problem("""
                t create a done       |---------|
                t read   none           |-|
                t read   a                 |-|
                """), "it took effect between the reads");
        assertNull(problem("""
                t create a ?          |---|
                t read   none             |---|
                t read   a                        |---|
                """), "it took effect long after the client had given up");
        assertNull(problem("""
                t create a ?          |---|
                t read   none                |---|
                """), "it never took effect");
        assertNull(problem("""
                t create a done       |-----------|
                t create b refused       |---|
                t drop   done                |------|
                t create b done                       |--|
                t read   b                                 |--|
                """), "two clients made one table");
        assertNull(problem("""
                t create a done       |---|
                t drop   done               |-----|
                t drop   done                 |-----|
                t drop   refused                       |---|
                """), "two drops at the same time");
        assertNull(problem("""
                t create a done       |---|
                u read   none               |---|
                """), "another table");
    }

    @Test
    void historiesThatNoOrderExplains() {
        assertNotNull(problem("""
                t create a done       |---|
                t read   none               |---|
                """), "a stale read");
        assertNotNull(problem("""
                t create a done       |---|
                t read   a                 |---------|
                t drop   done              |-|
                t read   none                  |-|
                t read   a                          |-|
                """), "a table that comes back");
        assertNotNull(problem("""
                t create a done       |---|
                t create b done          |---|
                """), "two tables of one name");
        assertNotNull(problem("""
                t create a ?          |---|
                t read   a                |---|
                t read   none                     |---|
                """), "a table that is gone without a drop");
        assertNotNull(problem("""
                t create a done       |---|
                t drop   refused            |---|
                """), "a table that was not found");
        assertNotNull(problem("""
                t create a done       |--------------|
                t read   a               |--|
                t read   none                  |--|
                """), "two nodes with different answers");
        assertNotNull(problem("""
                t create a ?          |---|
                t create b ?          |---|
                t read   a                  |---|
                t read   b                        |---|
                """), "a content that changes without a drop");
    }

    @Test
    void aHistoryGoesOnFromAContent() {
        CatalogHistory history = new CatalogHistory();
        history.add("t", new Operation(Kind.CREATE, "a", true, 1, 2));
        history.add("t", new Operation(Kind.DROP, null, null, 3, 4));
        assertNull(history.problem());
        history.goOnFrom("t", "a");
        assertEquals(1, history.size());
        history.add("t", new Operation(Kind.READ, "a", null, 5, 6));
        assertNull(history.problem());
        history.add("t", new Operation(Kind.READ, null, null, 7, 8));
        assertNull(history.problem(), "the drop took effect late");
        history.goOnFrom("t", "b");
        history.add("t", new Operation(Kind.READ, "a", null, 9, 10));
        assertNotNull(history.problem());
    }

    @Test
    @Timeout(30)
    void manyDropsWithoutAKnownResultDoNotDoubleTheWork() {
        CatalogHistory history = new CatalogHistory();
        for (int i = 0; i < 60; i++) {
            history.add("t", new Operation(Kind.DROP, null, null, i, i + 10));
            history.add("t", new Operation(Kind.CREATE, "a", true, 100 * i + 10, 100 * i + 20));
            history.add("t", new Operation(Kind.READ, null, null, 100 * i + 30, 100 * i + 40));
        }
        assertNull(history.problem());
        history.add("t", new Operation(Kind.READ, "b", null, 10_000, 10_001));
        assertNotNull(history.problem());
    }

    /** Nothing is known of 250 imports and 60 drops of one round, in which a node refused all at once. */
    @Test
    @Timeout(30)
    void manyImportsWithoutAKnownResultDoNotDoubleTheWork() {
        CatalogHistory history = new CatalogHistory();
        for (long i = 0; i < 250; i++) {
            history.add("t", new Operation(Kind.CREATE, "c" + i, null, 10 * i, 10 * i + 5));
            history.add("t", new Operation(Kind.DROP, null, i % 4 == 0 ? null : true, 10 * i + 6, 10 * i + 9));
        }
        history.add("t", new Operation(Kind.READ, "c7", null, 5_000, 5_001));
        assertNull(history.problem());
        history.add("t", new Operation(Kind.READ, "b", null, 10_000, 10_001));
        assertNotNull(history.problem());
    }
}
