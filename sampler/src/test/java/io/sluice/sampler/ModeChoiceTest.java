package io.sluice.sampler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.job.Forecast;
import io.sluice.importer.job.Forecast.IndexSize;
import io.sluice.importer.job.ImportSettings.Mode;
import io.sluice.sampler.ModeChoice.Place;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The chosen mode for an input and a place, and its reason. */
class ModeChoiceTest {
    private static final long GIB = 1L << 30;

    /** A table whose primary index is ordered or not, with a small unordered secondary index. */
    private static Forecast forecast(long gib, boolean ordered) {
        return new Forecast(
                List.of(
                        new IndexSize("primary", gib * 3_000_000, gib * GIB, ordered ? 0 : 1),
                        new IndexSize("by_item", gib * 3_000_000, gib * GIB / 10, 1)),
                GIB,
                2,
                gib * GIB);
    }

    @ParameterizedTest
    @CsvSource({
        // GiB of KVs, in order, nodes, local and node GiB free, one disk
        "3, true, 1, 100, 100, true, MERGE, fits in memory",
        "30, true, 1, 100, 100, true, MERGE, fit on the local disk",
        "30, false, 1, 100, 100, true, MERGE, fit on the local disk",
        "60, false, 1, 10, 200, false, TWO_PASS, do not fit",
        "60, false, 1, 100, 100, true, DIRECT, do not fit",
        "60, false, 3, 10, 100, false, TWO_PASS, stack",
        "60, false, 3, 10, 20, false, DIRECT, merges",
        "2, false, 1, 1, 3, true, DIRECT, merges stacks of about",
    })
    void modeDependsOnOrderSizeAndDisk(
            long gib, boolean ordered, int nodes, long local, long node, boolean oneDisk, Mode mode, String why) {
        ModeChoice choice = ModeChoice.of(forecast(gib, ordered), new Place(nodes, local * GIB, node * GIB, oneDisk));
        assertEquals(mode, choice.mode(), choice.why());
        assertTrue(choice.why().contains(why), choice.why());
    }

    @Test
    void orderedInputIsWrittenOnceInEveryMode() {
        Forecast ordered = new Forecast(List.of(new IndexSize("primary", 1000, 10 * GIB, 0)), GIB, 2, 10 * GIB);
        assertEquals(1, ordered.of(Mode.DIRECT).height());
        assertEquals(0, ordered.of(Mode.MERGE).localBytes());
        assertEquals(160, ordered.of(Mode.TWO_PASS).ssts());
    }

    @Test
    void smallBuffersBecomePuts() {
        Forecast tiny = new Forecast(List.of(new IndexSize("primary", 1000, 1 << 20, 1)), GIB, 2, 1 << 20);
        assertTrue(tiny.of(Mode.DIRECT).smallSsts() > 0, tiny.of(Mode.DIRECT).toString());
        Forecast empty = new Forecast(List.of(new IndexSize("primary", 0, 0, 0)), GIB, 2, 0);
        assertEquals(0, empty.of(Mode.DIRECT).ssts());
        assertEquals(0, empty.of(Mode.MERGE).ssts());
    }
}
