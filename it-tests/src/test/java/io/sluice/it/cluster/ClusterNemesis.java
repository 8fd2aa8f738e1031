package io.sluice.it.cluster;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * All faults, with as much load as the machine bears. Not in the suite; {@code .ci/nightly nemesis} runs it for two
 * hours. {@code -Dsluice.nemesisMinutes=N} takes as many rounds as begin within N minutes,
 * {@code -Dsluice.nemesisRounds=N} N rounds, and {@code -Dsluice.nemesisFaults=CUT_OFF,MUTE} these faults.
 */
class ClusterNemesis extends Nemesis {
    ClusterNemesis() {
        super(
                faults(System.getProperty("sluice.nemesisFaults", "")),
                Integer.getInteger("sluice.nemesisRounds", Integer.MAX_VALUE),
                Duration.ofMinutes(Integer.getInteger("sluice.nemesisMinutes", 120)),
                NemesisLoad.Pace.FULL);
    }

    private static List<Fault> faults(String names) {
        return names.isEmpty()
                ? List.of(Fault.values())
                : Stream.of(names.split(",")).map(Fault::valueOf).toList();
    }
}
