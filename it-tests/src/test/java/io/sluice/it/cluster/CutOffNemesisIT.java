package io.sluice.it.cluster;

import java.time.Duration;
import java.util.List;

/** Some five minutes in which nodes of a cluster are cut off, in one direction or both, or stand still. */
class CutOffNemesisIT extends Nemesis {
    CutOffNemesisIT() {
        super(
                List.of(Fault.CUT_OFF, Fault.CUT_OFF_TWO, Fault.MUTE, Fault.DEAF, Fault.PAUSE),
                Integer.MAX_VALUE,
                Duration.ofMinutes(4),
                NemesisLoad.Pace.BESIDE_OTHERS);
    }
}
