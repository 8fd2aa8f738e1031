package io.sluice.importer.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ConflictKeysTest {
    private static final int KEYS = 10_000;

    @Test
    void knowsWhatWasAddedAndNothingElse() {
        ConflictKeys keys = new ConflictKeys(1 << 20);
        for (int twice = 0; twice < 2; twice++) {
            for (int i = 0; i < KEYS; i++) {
                byte[] key = key(i);
                keys.add(key, 0, key.length);
            }
        }
        assertEquals(KEYS, keys.size());
        for (int i = 0; i < 2 * KEYS; i++) {
            byte[] key = key(i);
            byte[] inside = new byte[key.length + 5];
            System.arraycopy(key, 0, inside, 3, key.length);
            assertEquals(i < KEYS, keys.contains(inside, 3, key.length), "key " + i);
        }
        keys.clear();
        assertFalse(keys.contains(key(1), 0, key(1).length));
    }

    @Test
    void saysWhenThereIsNoMoreRoom() {
        ConflictKeys keys = new ConflictKeys(32 * 100);
        for (int i = 0; i < 100; i++) {
            keys.add(key(i), 0, key(i).length);
        }
        assertFalse(keys.overflowed());
        keys.add(key(5), 0, key(5).length);
        assertFalse(keys.overflowed(), "it was there already");
        keys.add(key(100), 0, key(100).length);
        assertTrue(keys.overflowed());
        assertEquals(100, keys.size());
        assertEquals(100, keys.most());
    }

    private static byte[] key(int i) {
        return ("key number " + i).getBytes(StandardCharsets.UTF_8);
    }
}
