package io.sluice.engine.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.engine.cache.RowCache;
import io.sluice.model.error.OperationFailedException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads of keys in a damaged block of an SST: each fails, and none says that there is no such key. */
class DamagedBlockTest {
    private static final int KVS = 1000;
    private static final int VALUE_BYTES = 200;
    private static final int DAMAGED_AT = 20_000;

    @ParameterizedTest
    @ValueSource(longs = {0, RowCache.LEAST_BYTES})
    void damagedRowIsNotMissing(long rowCacheBytes, @TempDir Path temp) throws Exception {
        Path directory = temp.resolve("db");
        List<Kv> kvs = kvs();
        try (RocksStore store = RocksStore.open(directory, 1 << 20)) {
            Family family = store.createFamily(FamilyNames.ofTable(1));
            TestKvs.put(store, family, kvs);
            family.flush();
            damage(directory.resolve(family.files().get(0).name()));
        }
        try (RocksStore store = RocksStore.open(directory, 1 << 20, rowCacheBytes);
                FamilyView view = store.family(FamilyNames.ofTable(1)).view()) {
            int damaged = 0;
            for (int from = 0; from < KVS; from += 10) {
                List<byte[]> keys =
                        kvs.subList(from, from + 10).stream().map(Kv::key).toList();
                List<byte[]> values;
                try {
                    values = new ArrayList<>(view.rows(keys));
                } catch (OperationFailedException e) {
                    damaged++;
                    continue;
                }
                for (int i = 0; i < 10; i++) {
                    assertArrayEquals(kvs.get(from + i).value(), values.get(i), "key " + (from + i));
                }
            }
            assertTrue(damaged > 0 && damaged < KVS / 20, damaged + " failed");
        }
    }

    private static List<Kv> kvs() {
        Random random = new Random(1);
        List<Kv> kvs = new ArrayList<>();
        for (int i = 0; i < KVS; i++) {
            byte[] value = new byte[VALUE_BYTES];
            random.nextBytes(value);
            kvs.add(new Kv(ByteBuffer.allocate(Integer.BYTES).putInt(i).array(), value));
        }
        return kvs;
    }

    private static void damage(Path sst) throws Exception {
        byte[] bytes = Files.readAllBytes(sst);
        bytes[DAMAGED_AT] ^= 1;
        Files.write(sst, bytes);
    }
}
