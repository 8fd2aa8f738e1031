package io.sluice.engine.compact;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Compares {@link SublevelMap} with its definitions, computed by brute force over all keys. */
class SublevelMapModelTest {
    private static final int KEYS = 60;

    private static byte[] key(int n) {
        return new byte[] {(byte) (n + 100)};
    }

    private static int number(byte[] key) {
        return (key[0] & 0xff) - 100;
    }

    private static KeyBounds randomBounds(SplittableRandom random) {
        int from = random.nextInt(KEYS);
        return new KeyBounds(key(from), key(Math.min(KEYS - 1, from + random.nextInt(1 + random.nextInt(KEYS)))));
    }

    private static boolean overlap(LsmFile a, LsmFile b) {
        return IntStream.range(0, KEYS).anyMatch(k -> covers(a, k) && covers(b, k));
    }

    private static boolean covers(LsmFile file, int key) {
        return number(file.bounds().smallest()) <= key
                && key <= number(file.bounds().largest());
    }

    /** Sublevels by definition: a file is one above the highest of the older files that it overlaps. */
    private static int[] sublevels(List<LsmFile> oldestFirst) {
        int[] sublevels = new int[oldestFirst.size()];
        for (int i = 0; i < sublevels.length; i++) {
            for (int older = 0; older < i; older++) {
                if (overlap(oldestFirst.get(i), oldestFirst.get(older))) {
                    sublevels[i] = Math.max(sublevels[i], sublevels[older] + 1);
                }
            }
        }
        return sublevels;
    }

    private static int most(int from, int toInclusive, ToIntFunction<Integer> count) {
        return IntStream.rangeClosed(from, toInclusive)
                .boxed()
                .mapToInt(count)
                .max()
                .orElse(0);
    }

    private static int covering(List<LsmFile> files, int key) {
        return (int) files.stream().filter(file -> covers(file, key)).count();
    }

    private static List<LsmFile> randomLevel0(SplittableRandom random) {
        List<LsmFile> files = new ArrayList<>();
        int n = random.nextInt(40);
        for (int i = 0; i < n; i++) {
            files.add(new LsmFile("F" + i, 0, randomBounds(random), 1, 1 + random.nextInt(9), i));
        }
        return files;
    }

    private static List<LsmFile> shuffled(List<LsmFile> files, SplittableRandom random) {
        List<LsmFile> rest = new ArrayList<>(files);
        List<LsmFile> shuffled = new ArrayList<>();
        while (!rest.isEmpty()) {
            shuffled.add(rest.remove(random.nextInt(rest.size())));
        }
        return shuffled;
    }

    @Test
    void level0AgreesWithTheDefinitions() {
        Seeds.each(100, random -> {
            List<LsmFile> files = randomLevel0(random);
            int[] sublevels = sublevels(files);
            SublevelMap map = SublevelMap.of(shuffled(files, random), 0);
            for (int i = 0; i < sublevels.length; i++) {
                assertEquals(sublevels[i], map.sublevelOf("F" + i).position(), "F" + i);
            }
            assertEquals(IntStream.of(sublevels).map(s -> s + 1).max().orElse(0), map.top());
            checkHeights(map, files, random);
        });
    }

    /** The same flushes, ingested into a tree of levels, get the same sublevels until levels run out. */
    @Test
    void levelsStackLikeSublevels() {
        Seeds.each(50, random -> {
            List<LsmFile> files = new ArrayList<>();
            List<LsmFile> level0 = randomLevel0(random);
            for (LsmFile file : level0) {
                int top = SublevelMap.of(files, 63).top(file.bounds());
                files.add(new LsmFile(file.name(), 63 - top, file.bounds(), 1, file.fileBytes(), 0));
            }
            SublevelMap map = SublevelMap.of(shuffled(files, random), 63);
            int[] sublevels = sublevels(level0);
            for (int i = 0; i < sublevels.length; i++) {
                assertEquals(63 - sublevels[i], map.sublevelOf("F" + i).level());
            }
            checkHeights(map, files, random);
        });
    }

    private static void checkHeights(SublevelMap map, List<LsmFile> files, SplittableRandom random) {
        assertEquals(files.size(), map.fileCount());
        assertEquals(files.stream().mapToLong(LsmFile::fileBytes).sum(), map.totalBytes());
        assertEquals(most(0, KEYS - 1, k -> covering(files, k)), map.height());
        assertEquals(map.totalBytes(), map.bytesFrom(0));
        assertEquals(0, map.bytesFrom(map.top()));
        for (int i = 0; i < 30; i++) {
            KeyBounds bounds = randomBounds(random);
            int from = number(bounds.smallest());
            int to = number(bounds.largest());
            int height = most(from, to, k -> covering(files, k));
            assertEquals(height, map.height(bounds), () -> bounds + "\n" + map.describe(100));
            assertEquals(
                    files.stream()
                            .filter(file -> file.bounds().overlaps(bounds))
                            .mapToInt(file -> map.sublevelOf(file.name()).position() + 1)
                            .max()
                            .orElse(0),
                    map.top(bounds));
            KeyBounds peak = map.tallestPeak(bounds);
            if (height > 0) {
                assertNotNull(peak);
                assertEquals(height, map.height(peak));
                assertTrue(map.overlapping(peak).stream()
                        .allMatch(file -> file.bounds().covers(peak)));
            }
        }
    }

    @Test
    void drawingsOfAnyTreeHoldEveryRow() {
        Seeds.each(25, random -> {
            SublevelMap map = SublevelMap.of(randomLevel0(random), 0);
            long rows = map.describe(20 + random.nextInt(100)).lines().count();
            assertEquals(map.fileCount() == 0 ? 1 : map.sublevels().size() + 2, rows);
        });
    }

    @Test
    void filesThatFormNoTreeAreRefused() {
        LsmFile left = new LsmFile("A", 3, new KeyBounds(key(1), key(5)), 1, 1, 1);
        LsmFile right = new LsmFile("B", 3, new KeyBounds(key(4), key(9)), 1, 1, 1);
        assertThrows(IllegalArgumentException.class, () -> SublevelMap.of(List.of(left, right), 63));
        assertThrows(IllegalArgumentException.class, () -> SublevelMap.of(List.of(left), 2));
        assertThrows(IllegalArgumentException.class, () -> SublevelMap.of(List.of(left, left), 63));
        assertThrows(IllegalArgumentException.class, () -> new KeyBounds(key(2), key(1)));
        LsmFile touching = new LsmFile("C", 3, new KeyBounds(key(5), key(9)), 1, 1, 1);
        assertEquals(2, SublevelMap.of(List.of(left, touching), 63).height(), "one key may be shared");
    }
}
