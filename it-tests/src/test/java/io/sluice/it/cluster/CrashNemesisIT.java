package io.sluice.it.cluster;

import java.time.Duration;
import java.util.List;

/** Some five minutes in which nodes of a cluster are killed or replaced, have a full disk, or wrong clocks. */
class CrashNemesisIT extends Nemesis {
    CrashNemesisIT() {
        super(
                List.of(Fault.KILL, Fault.KILL_TWO, Fault.REPLACE, Fault.FULL_DISK, Fault.SKEW),
                Integer.MAX_VALUE,
                Duration.ofMinutes(4),
                NemesisLoad.Pace.BESIDE_OTHERS);
    }
}
