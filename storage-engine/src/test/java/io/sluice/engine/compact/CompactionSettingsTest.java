package io.sluice.engine.compact;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import io.sluice.model.error.BadInputException;
import java.util.List;
import org.junit.jupiter.api.Test;

class CompactionSettingsTest {
    @Test
    void violationsAreReportedTogether() {
        BadInputException e = assertThrows(
                BadInputException.class,
                () -> new CompactionSettings(
                        new CompactionSettings.Heights(20, 20, 0),
                        new CompactionSettings.Heights(56, 64, 16),
                        16,
                        1,
                        2,
                        0));
        for (String part : List.of(
                "online start: 20, must be below online limit, 20",
                "online relief: 0",
                "offline relief: 16",
                "hard limit: 64, must be below levels, 63",
                "pick bytes: 1",
                "concurrent picks: 0")) {
            assertTrue(String.valueOf(e.getMessage()).contains(part), part + " is missing: " + e.getMessage());
        }
    }

    @Test
    void defaultsHold() {
        assertEquals(3, CompactionSettings.defaults(3).concurrentPicks());
    }

    @Test
    void level0AloneIsRefused() {
        CompactionPicker picker = new CompactionPicker(CompactionSettings.defaults(2));
        SublevelMap map = SublevelMap.of(List.of(), 0);
        assertThrows(
                IllegalArgumentException.class,
                () -> picker.pick(map, CompactionsInProgress.NOTHING, 0, CompactionMode.FINAL));
    }

    @Test
    void runningCompactionsAreLimited() {
        CompactionPicker picker = new CompactionPicker(CompactionSettings.defaults(2));
        SublevelMap map = SublevelMap.of(
                List.of(
                        new LsmFile("A", 63, new KeyBounds(new byte[] {1}, new byte[] {9}), 1, 1, 1),
                        new LsmFile("B", 62, new KeyBounds(new byte[] {1}, new byte[] {9}), 1, 1, 2)),
                63);
        assertEquals(
                1,
                picker.pick(map, CompactionsInProgress.NOTHING, 1, CompactionMode.FINAL)
                        .size());
        assertEquals(
                0,
                picker.pick(map, CompactionsInProgress.NOTHING, 2, CompactionMode.FINAL)
                        .size());
    }
}
