package io.sluice.engine.admit;

import io.sluice.engine.admit.AdmissionDecision.Admit;
import io.sluice.engine.admit.AdmissionDecision.Defer;
import io.sluice.engine.admit.AdmissionDecision.Refuse;
import io.sluice.testing.Script;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Tests the gate of a node by scripts, with the default settings.
 *
 * <pre>
 * load NAME=FIGURE...  changes the node's load: height, files; compacting, staged, disk in MiB; stall
 * ask MIB              asks for an SST of so many MiB
 * wait MILLIS          lets time pass
 * watch MILLIS TIMES   asks for an SST of 1 MiB every so many milliseconds, and draws the scores
 * </pre>
 */
class AdmissionScriptTest implements Script.Subject {
    private static final int CHARS_PER_SCORE = 20;

    private final AdmissionPolicy policy = new AdmissionPolicy(AdmissionSettings.defaults());
    private final Map<String, Long> figures =
            new HashMap<>(Map.of("height", 0L, "files", 0L, "compacting", 0L, "staged", 0L, "disk", 1L << 20));
    private WriteStall stall = WriteStall.NONE;
    private AdmissionState state = AdmissionState.IDLE;
    private long now;

    @Test
    void scriptAnswersAreAsWritten() throws Exception {
        Script.check(AdmissionScriptTest.class, "admission.txt", this);
    }

    @Override
    public String answer(String command, List<String> args) {
        switch (command) {
            case "load" -> args.forEach(this::load);
            case "wait" -> now += Long.parseLong(args.get(0));
            case "ask" -> {
                return describe(ask(Long.parseLong(args.get(0))));
            }
            case "watch" -> {
                return watch(Long.parseLong(args.get(0)), Integer.parseInt(args.get(1)));
            }
            default -> throw new IllegalArgumentException("no such command: " + command);
        }
        return "";
    }

    private void load(String setting) {
        String[] parts = setting.split("=", -1);
        if (parts[0].equals("stall")) {
            stall = WriteStall.valueOf(parts[1].toUpperCase(Locale.ROOT));
        } else if (figures.replace(parts[0], Long.valueOf(parts[1])) == null) {
            throw new IllegalArgumentException("no such figure: " + parts[0]);
        }
    }

    private long figure(String name) {
        return figures.getOrDefault(name, 0L);
    }

    private AdmissionDecision ask(long mib) {
        NodeLoad load = new NodeLoad(
                (int) figure("height"),
                figure("files"),
                figure("compacting") << 20,
                figure("staged") << 20,
                figure("disk") << 20,
                stall,
                now);
        AdmissionPolicy.Outcome outcome = policy.decide(mib << 20, load, state);
        state = outcome.state();
        return outcome.decision();
    }

    private static String describe(AdmissionDecision decision) {
        String score = String.format(Locale.ROOT, "%s at %.2f", decision.limiter(), decision.score());
        if (decision instanceof Admit) {
            return "admitted, " + score;
        }
        return decision instanceof Defer defer
                ? "deferred for " + defer.afterMillis() + " ms, " + score
                : "refused: " + ((Refuse) decision).reason();
    }

    /** A line per question: the time, and a bar whose length is the score. */
    private String watch(long millis, int times) {
        StringBuilder drawing = new StringBuilder();
        for (int i = 0; i < times; i++) {
            AdmissionDecision decision = ask(1);
            String bar = "#".repeat((int) Math.round(decision.score() * CHARS_PER_SCORE));
            drawing.append(String.format(
                    Locale.ROOT, "%6d ms  %-32s %s%n", now, bar, decision instanceof Admit ? "admitted" : "deferred"));
            now += millis;
        }
        return drawing.toString();
    }
}
