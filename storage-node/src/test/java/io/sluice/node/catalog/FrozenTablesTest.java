package io.sluice.node.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.engine.store.RocksStore;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which tables are frozen after each entry of the cluster's log and after restarts. */
class FrozenTablesTest {
    private static final long CACHE_BYTES = 1 << 20;

    /** One step a line; what is frozen after it, as {@code table=owner}. */
    private static final String SCRIPT = """
            start            |
            5  1=a           | 1=a
            restart          | 1=a
            5  2=b           | 1=a       an entry that is applied again changes nothing
            4                | 1=a       nor does an earlier one
            6  1=a 2=b       | 1=a 2=b
            7  2=b           | 2=b
            restart          | 2=b
            6  1=a 2=b       | 2=b
            8                |
            restart          |
            7  2=b           |           the log is read again from an earlier entry
            9  1=c           | 1=c
            """;

    @Test
    void frozenTablesFollowTheLog(@TempDir Path temp) {
        StringBuilder seen = new StringBuilder();
        RocksStore store = RocksStore.open(temp.resolve("db"), CACHE_BYTES);
        try {
            Catalog catalog = Catalog.load(store);
            for (String line : SCRIPT.lines().toList()) {
                String[] step = line.substring(0, line.indexOf('|')).trim().split(" +", -1);
                if (step[0].equals("restart")) {
                    store.close();
                    store = RocksStore.open(temp.resolve("db"), CACHE_BYTES);
                    catalog = Catalog.load(store);
                } else if (!step[0].equals("start")) {
                    Map<Integer, String> owners = new TreeMap<>();
                    for (int i = 1; i < step.length; i++) {
                        String[] freeze = step[i].split("=", -1);
                        owners.put(Integer.parseInt(freeze[0]), freeze[1]);
                    }
                    catalog.freeze(Long.parseLong(step[0]), owners);
                }
                StringBuilder frozen = new StringBuilder();
                for (int table = 1; table <= 2; table++) {
                    String owner = catalog.frozenBy(table);
                    frozen.append(owner == null ? "" : " " + table + "=" + owner);
                }
                String comment = line.replaceFirst("^[^|]*\\|( [1-9]=[a-z])*", "");
                seen.append(line, 0, line.indexOf('|') + 1)
                        .append(frozen)
                        .append(comment)
                        .append('\n');
            }
        } finally {
            store.close();
        }
        assertEquals(SCRIPT, seen.toString());
    }
}
