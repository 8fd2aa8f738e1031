package io.sluice.engine.admit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.engine.admit.AdmissionDecision.Admit;
import io.sluice.engine.admit.AdmissionDecision.Defer;
import io.sluice.engine.admit.AdmissionDecision.Refuse;
import io.sluice.model.error.BadInputException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AdmissionPolicyTest {
    private static final long MIB = 1L << 20;

    private static final AdmissionSettings SETTINGS = AdmissionSettings.defaults();

    private final AdmissionPolicy policy = new AdmissionPolicy(SETTINGS);

    private static NodeLoad load(int height, long files, long compactionMib, long stagedMib, long diskMib) {
        return new NodeLoad(
                height, files, compactionMib * MIB, stagedMib * MIB, diskMib * MIB, WriteStall.NONE, 1_000_000);
    }

    private static NodeLoad compacting(double score, long nowMillis) {
        long bytes = Math.round(score * SETTINGS.compactionBytes());
        return new NodeLoad(0, 0, bytes, 0, 1L << 40, WriteStall.NONE, nowMillis);
    }

    /** Every signal just within its limit, and just beyond. The SST has 64 MiB and counts as admitted. */
    @ParameterizedTest
    @CsvSource({
        // height, files, compacting, staged, disk free (MiB), answer, limiter
        "0,  0,     0,     0,    1000000, Admit,  STAGING",
        "19, 0,     0,     0,    1000000, Admit,  HEIGHT",
        "20, 0,     0,     0,    1000000, Admit,  HEIGHT",
        "55, 0,     0,     0,    1000000, Admit,  HEIGHT",
        "56, 0,     0,     0,    1000000, Defer,  HEIGHT",
        "80, 0,     0,     0,    1000000, Defer,  HEIGHT",
        "0,  20000, 0,     0,    1000000, Admit,  FILES",
        "0,  20001, 0,     0,    1000000, Defer,  FILES",
        "0,  0,     16384, 0,    1000000, Admit,  COMPACTION",
        "0,  0,     16385, 0,    1000000, Defer,  COMPACTION",
        "0,  0,     0,     960,  1000000, Admit,  STAGING",
        "0,  0,     0,     961,  1000000, Defer,  STAGING",
        "0,  0,     0,     0,    8256,    Admit,  DISK",
        "0,  0,     0,     0,    8255,    Defer,  DISK",
        "0,  0,     0,     0,    4160,    Defer,  DISK",
        "0,  0,     0,     0,    4159,    Refuse, DISK",
        "56, 0,     0,     0,    4159,    Refuse, DISK",
        "80, 30000, 0,     0,    1000000, Defer,  FILES",
        "80, 21000, 0,     0,    1000000, Defer,  HEIGHT",
    })
    void eachSignalAtItsLimit(
            int height, long files, long compactionMib, long stagedMib, long diskMib, String answer, Limiter limiter) {
        AdmissionDecision decision = policy.decide(
                        64 * MIB, load(height, files, compactionMib, stagedMib, diskMib), AdmissionState.IDLE)
                .decision();
        assertEquals(answer, decision.getClass().getSimpleName());
        assertEquals(limiter, decision.limiter());
        assertEquals(answer.equals("Admit"), decision.score() <= 1, "score " + decision.score());
    }

    @Test
    void refusalGivesAdviceAndKeepsNoState() {
        AdmissionPolicy.Outcome outcome = policy.decide(2048 * MIB, load(0, 0, 0, 0, 1_000_000), AdmissionState.IDLE);
        Refuse refuse = assertInstanceOf(Refuse.class, outcome.decision());
        assertEquals(Limiter.SST_SIZE, refuse.limiter());
        assertTrue(refuse.reason().contains("write smaller SSTs"), refuse.reason());
        assertInstanceOf(
                Admit.class,
                policy.decide(MIB, load(0, 0, 0, 0, 1_000_000), outcome.state()).decision());
    }

    /** With a half-life of 2 s, 1.5 decays to 0.75 after 2 s, although the node is idle at once. */
    @Test
    void scoreFallsSlowly() {
        AdmissionState state =
                policy.decide(MIB, compacting(1.5, 0), AdmissionState.IDLE).state();
        assertTrue(state.closed());
        for (long now = 100; now < 1_800; now += 100) {
            AdmissionPolicy.Outcome outcome = policy.decide(MIB, compacting(0, now), state);
            Defer defer = assertInstanceOf(Defer.class, outcome.decision(), "after " + now + " ms");
            assertEquals(Limiter.COMPACTION, defer.limiter());
            state = outcome.state();
        }
        assertInstanceOf(
                Admit.class, policy.decide(MIB, compacting(0, 1_850), state).decision());
    }

    /** The wait lasts until the gate opens, if the load stays constant. */
    @Test
    void sstIsAdmittedAfterTheGivenWait() {
        AdmissionState state =
                policy.decide(MIB, compacting(1.4, 0), AdmissionState.IDLE).state();
        AdmissionPolicy.Outcome told = policy.decide(MIB, compacting(0.5, 0), state);
        long after = assertInstanceOf(Defer.class, told.decision()).afterMillis();
        assertInstanceOf(
                Defer.class,
                policy.decide(MIB, compacting(0.5, after / 2), told.state()).decision());
        assertInstanceOf(
                Admit.class,
                policy.decide(MIB, compacting(0.5, after), told.state()).decision());
    }

    @ParameterizedTest
    @CsvSource({"0.0", "0.5", "0.79", "0.8", "1.0", "3.0", "1000.0"})
    void waitsAreBounded(double signal) {
        AdmissionState state = new AdmissionState(Limiter.COMPACTION, 1_000, true, 0);
        AdmissionPolicy.Outcome outcome = policy.decide(MIB, compacting(signal, 10), state);
        long after = assertInstanceOf(Defer.class, outcome.decision()).afterMillis();
        assertTrue(
                after >= SETTINGS.waits().minMillis()
                        && after <= SETTINGS.waits().maxMillis(),
                "after " + after);
    }

    @Test
    void clockThatGoesBackDoesNotOpenTheGate() {
        AdmissionState state =
                policy.decide(MIB, compacting(1.5, 10_000), AdmissionState.IDLE).state();
        assertInstanceOf(
                Defer.class, policy.decide(MIB, compacting(0, 5_000), state).decision());
    }

    @Test
    void settingsAreCheckedTogether() {
        BadInputException e = assertThrows(
                BadInputException.class,
                () -> new AdmissionSettings(
                        0,
                        0,
                        1,
                        1,
                        new AdmissionSettings.Disk(1, 2),
                        new AdmissionSettings.Decay(0, 1.5),
                        new AdmissionSettings.Waits(10, 5)));
        for (String part : new String[] {
            "hard height: 0", "files: 0", "disk reserve", "half-life", "reopen score: 1.5", "shortest wait"
        }) {
            assertTrue(String.valueOf(e.getMessage()).contains(part), e.getMessage());
        }
    }
}
