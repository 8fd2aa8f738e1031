package io.sluice.sql.distributed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.transaction.ReadRequest.KeyList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** No request asks for more keys than one may, of however many tables they are. */
class DistributedSnapshotTest {
    @Test
    void keysOfManyTablesAreSplitIntoRequestsOfOneSize() {
        Map<Integer, List<byte[]>> lists = new LinkedHashMap<>();
        int all = 0;
        for (int table = 0; table < 12; table++) {
            int keys = table == 3 ? 3 * DistributedSnapshot.MAX_KEYS + 1 : DistributedSnapshot.MAX_KEYS - table;
            lists.put(table, Collections.nCopies(keys, new byte[] {(byte) table}));
            all += keys;
        }
        List<List<KeyList>> requests = DistributedSnapshot.requests(lists);
        assertEquals((all + DistributedSnapshot.MAX_KEYS - 1) / DistributedSnapshot.MAX_KEYS, requests.size());
        List<byte[]> asked = new ArrayList<>();
        for (List<KeyList> request : requests) {
            assertTrue(request.stream().mapToInt(list -> list.keys().size()).sum() <= DistributedSnapshot.MAX_KEYS);
            request.forEach(list -> asked.addAll(list.keys()));
        }
        List<byte[]> wanted = new ArrayList<>();
        lists.values().forEach(wanted::addAll);
        assertEquals(wanted, asked);
    }
}
