package io.sluice.tpcc;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PermutationTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 11, 15, 16, 17, 255, 256, 257, 3_000, 65_536, 100_001})
    void hitsEveryElementOnce(int size) {
        Permutation permutation = new Permutation(size, 42);
        BitSet seen = new BitSet(size);
        for (int i = 0; i < size; i++) {
            long element = permutation.at(i);
            assertTrue(element >= 0 && element < size, "element " + element);
            assertFalse(seen.get((int) element), "element " + element + " twice");
            seen.set((int) element);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void leavesNoOrder(long seed) {
        int size = 10_000;
        Permutation permutation = new Permutation(size, seed);
        int ascents = 0;
        for (int i = 1; i < size; i++) {
            ascents += permutation.at(i) > permutation.at(i - 1) ? 1 : 0;
        }
        // Half of the steps of a random permutation go up; the standard deviation is sqrt(size / 12), about 29.
        assertTrue(Math.abs(ascents - size / 2) < 200, "seed " + seed + ": " + ascents + " ascents");
    }
}
