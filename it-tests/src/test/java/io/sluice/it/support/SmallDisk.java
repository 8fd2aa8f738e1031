package io.sluice.it.support;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A disk of its own for a directory, which can be full: a file with a file system in it, mounted there. The file takes
 * only the room that is used. Needs Linux and root.
 */
public final class SmallDisk implements AutoCloseable {
    /** Below 8 GiB of free room a node lets SSTs wait. */
    private static final long BYTES = 20L << 30;

    private static final int BLOCK_BYTES = 1 << 20;

    /** The kernel adds a word to the name of a deleted file. */
    private static final Pattern IMAGE = Pattern.compile("\\.sl(\\d+)\\.img( \\(deleted\\))?$");

    private final Path image;
    private final Path mount;
    /** Its directories that are on another disk. */
    private final List<Path> elsewhere = new ArrayList<>();

    /** Whether this machine can have such disks. */
    public static boolean available(Path directory) {
        try (SmallDisk one = new SmallDisk(directory.resolve("try"))) {
            return Files.isDirectory(one.mount);
        } catch (IOException | IllegalStateException e) {
            return false;
        }
    }

    /**
     * Removes the disks of processes that were killed; a disk whose process lives stays. The files are left to whatever
     * removes the directory.
     *
     * @return the directories on which they were mounted, for the log
     */
    public static List<String> removeAbandoned() throws IOException {
        List<String> removed = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("/proc/self/mounts"))) {
            String[] fields = line.split(" ", -1);
            Path backing = Path.of("/sys/class/block", Path.of(fields[0]).getFileName() + "/loop/backing_file");
            if (!fields[0].startsWith("/dev/loop") || !Files.exists(backing)) {
                continue;
            }
            Matcher image = IMAGE.matcher(Files.readString(backing));
            if (image.find() && NodeNetwork.isGone(image.group(1))) {
                // Lazily: an ended node may not be gone yet.
                NodeNetwork.run("umount", "--lazy", fields[1]);
                removed.add(fields[1]);
            }
        }
        return removed;
    }

    /** Makes a disk and mounts it on a directory, which it creates. */
    public SmallDisk(Path mount) throws IOException {
        this(mount, ProcessHandle.current().pid());
    }

    /**
     * Makes a disk of a process.
     *
     * @param process its id, which the name of the image has
     */
    SmallDisk(Path mount, long process) throws IOException {
        this.mount = Files.createDirectories(mount);
        image = mount.resolveSibling(mount.getFileName() + ".sl" + process + ".img");
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(BYTES);
        }
        NodeNetwork.run("mkfs.ext4", "-q", "-F", image.toString());
        NodeNetwork.run("mount", "-o", "loop", image.toString(), mount.toString());
        Files.delete(mount.resolve("lost+found"));
    }

    /**
     * Moves a directory to another disk, where it has room when this one is full. It keeps its path; no process uses it
     * meanwhile.
     *
     * @param to a path that does not exist yet
     */
    public void move(String name, Path to) throws IOException {
        Path moved = mount.resolve(name);
        NodeNetwork.run("cp", "-a", moved.toString(), to.toString());
        NodeNetwork.run("mount", "--bind", to.toString(), moved.toString());
        elsewhere.add(moved);
    }

    private Path filler(String name) {
        return mount.resolve(name);
    }

    /** Fills it to the last byte. */
    public void fill() throws IOException {
        long room = Files.getFileStore(mount).getUnallocatedSpace() - (256L << 20);
        NodeNetwork.run("fallocate", "-l", Long.toString(room), filler("filler").toString());
        try (FileChannel rest = FileChannel.open(filler("rest"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            for (int block = BLOCK_BYTES; block >= 1; block /= 4) {
                writeUntilFull(rest, block);
            }
        }
    }

    private static void writeUntilFull(FileChannel to, int block) {
        try {
            while (true) {
                int unused = to.write(ByteBuffer.allocate(block));
                to.force(false);
            }
        } catch (IOException e) {
            // Full, for blocks of this size.
        }
    }

    /** Makes room again. */
    public void free() throws IOException {
        Files.deleteIfExists(filler("filler"));
        Files.deleteIfExists(filler("rest"));
    }

    /** Removes it; no process uses it any more. */
    @Override
    public void close() throws IOException {
        for (Path moved : elsewhere) {
            NodeNetwork.run("umount", moved.toString());
        }
        NodeNetwork.run("umount", mount.toString());
        Files.delete(image);
    }
}
