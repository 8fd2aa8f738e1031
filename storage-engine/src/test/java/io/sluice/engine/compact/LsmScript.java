package io.sluice.engine.compact;

import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import io.sluice.testing.Script;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The commands of scripts about a tree.
 *
 * <pre>
 * tree N                      an empty tree whose last level is N
 * file NAME LEVEL FROM TO KB  a file; of level 0, newer than those before it
 * ingest NAME FROM TO KB      a file, at the deepest level that it reaches
 * split NAME END START        cuts a file in two of the same age, NAMEa up to END and NAMEb from START
 * remove NAME...              takes files away
 * draw WIDTH                  the drawing
 * height FROM TO              most files above each other between two keys, inclusive
 * top FROM TO                 sublevels taken between two keys
 * peak                        the tallest stack
 * sublevel NAME...            where files stand
 * closure NAME KB             the base closure from a file, and the riders up to a size
 * settings START LIMIT RELIEF FANIN PICK_KB OUT_KB PICKS
 * busy NAME...                files that others merge
 * pick MODE                   what the picker would merge
 * run MODE                    picks, and merges what was picked
 * </pre>
 */
final class LsmScript implements Script.Subject {
    private final Map<String, LsmFile> files = new LinkedHashMap<>();
    private final Set<String> busy = new HashSet<>();
    private int bottomLevel;
    private long seqno;
    private int merged;
    private CompactionSettings settings = CompactionSettings.defaults(2);

    @Override
    public String answer(String command, List<String> args) {
        return switch (command) {
            case "tree" -> tree(Integer.parseInt(args.get(0)));
            case "file" -> add(args.get(0), Integer.parseInt(args.get(1)), bounds(args, 2), kib(args.get(4)));
            case "ingest" -> ingest(args.get(0), bounds(args, 1), kib(args.get(3)));
            case "split" -> split(file(args.get(0)), key(args.get(1)), key(args.get(2)));
            case "remove" -> remove(args);
            case "draw" -> map().describe(Integer.parseInt(args.get(0)));
            case "height" -> Integer.toString(map().height(bounds(args, 0)));
            case "top" -> Integer.toString(map().top(bounds(args, 0)));
            case "peak" -> peak(map());
            case "sublevel" ->
                args.stream()
                        .map(name -> name + " " + map().sublevelOf(name).label())
                        .collect(Collectors.joining(", "));
            case "closure" -> closure(BaseClosure.from(map(), file(args.get(0)), kib(args.get(1))));
            case "settings" -> settings(args);
            case "busy" -> busy(args);
            case "pick" ->
                picks(args.get(0)).stream().map(CompactionPick::toString).collect(Collectors.joining("\n"));
            case "run" -> run(args.get(0));
            default -> throw new IllegalArgumentException("no such command: " + command);
        };
    }

    private String tree(int level) {
        files.clear();
        busy.clear();
        bottomLevel = level;
        seqno = 0;
        merged = 0;
        return "";
    }

    private String add(String name, int level, KeyBounds bounds, long bytes) {
        files.put(name, new LsmFile(name, level, bounds, 1, bytes, ++seqno));
        return "";
    }

    private String ingest(String name, KeyBounds bounds, long bytes) {
        return add(name, Math.max(0, bottomLevel - map().top(bounds)), bounds, bytes);
    }

    private String split(LsmFile file, byte[] end, byte[] start) {
        files.remove(file.name());
        for (boolean left : new boolean[] {true, false}) {
            String name = file.name() + (left ? "a" : "b");
            KeyBounds bounds = left
                    ? new KeyBounds(file.bounds().smallest(), end)
                    : new KeyBounds(start, file.bounds().largest());
            files.put(name, new LsmFile(name, file.level(), bounds, 1, file.fileBytes() / 2, file.seqno()));
        }
        return "";
    }

    private String remove(List<String> names) {
        names.forEach(files::remove);
        return "";
    }

    private String settings(List<String> args) {
        List<Integer> n = args.stream().map(Integer::valueOf).toList();
        settings = new CompactionSettings(
                new CompactionSettings.Heights(n.get(0), n.get(1), n.get(2)),
                new CompactionSettings.Heights(n.get(0), n.get(1) + 1, n.get(2)),
                n.get(3),
                n.get(4) * 1024L,
                n.get(5) * 1024L,
                n.get(6));
        return "";
    }

    private String busy(List<String> names) {
        busy.clear();
        busy.addAll(names);
        return "";
    }

    private List<CompactionPick> picks(String mode) {
        CompactionsInProgress held = CompactionsInProgress.NOTHING.withFiles(busy);
        return new CompactionPicker(settings).pick(map(), held, 0, CompactionMode.valueOf(mode));
    }

    private String run(String mode) {
        List<CompactionPick> picks = picks(mode);
        for (CompactionPick pick : picks) {
            pick.inputs().forEach(input -> files.remove(input.name()));
            add("M" + ++merged, pick.outputLevel(), pick.bounds(), pick.inputBytes());
        }
        return picks.stream().map(CompactionPick::toString).collect(Collectors.joining("\n"));
    }

    private static String peak(SublevelMap map) {
        KeyBounds peak = map.tallestPeak();
        return peak == null
                ? "none"
                : map.height(peak) + " at " + peak + ": "
                        + map.overlapping(peak).stream().map(LsmFile::label).collect(Collectors.joining(" "));
    }

    private static String closure(BaseClosure closure) {
        List<String> riders = closure.riders().stream().map(LsmFile::label).toList();
        return closure.files().stream().map(LsmFile::label).collect(Collectors.joining(" "))
                + (riders.isEmpty() ? "" : ", and " + String.join(" ", riders) + " may ride");
    }

    private SublevelMap map() {
        return SublevelMap.of(new ArrayList<>(files.values()), bottomLevel);
    }

    private LsmFile file(String name) {
        LsmFile file = files.get(name);
        if (file == null) {
            throw new IllegalArgumentException("no file " + name);
        }
        return file;
    }

    private static KeyBounds bounds(List<String> args, int at) {
        return new KeyBounds(key(args.get(at)), key(args.get(at + 1)));
    }

    private static byte[] key(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static long kib(String text) {
        return Long.parseLong(text) * 1024;
    }
}
