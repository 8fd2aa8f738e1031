package io.sluice.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.engine.lsm.LsmEvents;
import io.sluice.engine.lsm.LsmHistory;
import io.sluice.engine.lsm.LsmLogSettings;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreeEventsTest {
    @Test
    void eventsOfAnImportNameItsTable(@TempDir Path store) {
        try (LsmEvents log = LsmEvents.open(store, Clock.systemUTC(), LsmLogSettings.defaults())) {
            TreeEvents events = new TreeEvents(log);
            events.filling("t1", "stock");
            events.began("t1", List.of());
            events.put("t2", 1, 10);
            events.put("t1", 1, 10);
            events.published("t1", "stock");
            events.put("t1", 1, 10);
            events.filling("t3", "orders");
            events.dropped("t3");
            events.put("t3", 1, 10);
        }
        List<String> told = Objects.requireNonNull(LsmHistory.ofLog(store)).entries().stream()
                .map(entry -> entry.family() + " " + Objects.requireNonNullElse(entry.table(), "-"))
                .toList();
        assertEquals(List.of("t1 stock", "t2 -", "t1 stock", "t1 stock", "t1 -", "t3 orders", "t3 -"), told);
    }
}
