/*
 * What a disk would hold if power failed: a library for LD_PRELOAD that writes crash images.
 *
 * It watches the calls that change files below one directory, and keeps a model of what is durable:
 *
 *   - Data and size of a file are durable as of its last fsync or fdatasync. sync_file_range and close sync nothing
 *     (sync_file_range(2), close(2); facebook/rocksdb#12528).
 *   - The entries of a directory (files made, linked, renamed, removed) are durable as of its last fsync. Syncing a file
 *     does not sync its entry (fsync(2)).
 *   - A rename between directories happens whole or not at all, when the target is synced: journaling file systems
 *     guarantee that much (Pillai et al., "All File Systems Are Not Created Equal", OSDI 2014).
 *
 * Before chosen calls it writes an image: a copy of the directory with only what is durable. By chance, from the seed, an
 * image also holds some of what is not: a directory as if it had been synced, or a prefix, or single pages of unsynced
 * data; pages that are missing inside the file read as what they were, or zero (tails: facebook/rocksdb#9947). The process
 * goes on, so that one run gives many images; or it dies by SIGKILL behind one.
 *
 * Not seen: writes through mmap, raw system calls, stdio, and symbolic links. RocksDB writes through libc, only its LOG
 * goes through stdio; Java's NIO writes through libc.
 *
 *   POWER_ROOT    the directory; absolute, without symbolic links
 *   POWER_IMAGES  where images go, outside of it: N/ is the state before call N, end/ the one at the regular end;
 *                 counter: number of calls so far, 8 bytes, to tell before which call something was; then the call
 *                 before which the process writes an image and dies, 8 bytes, 0: none. A test may set it at any time
 *   POWER_EVERY   an image before every so-manyth call on average, chosen by the seed; 0: none
 *   POWER_MOST    at most so many images
 *   POWER_STOP_AT write an image, end/, before unsynced data of a file whose path matches this
 *                 pattern is synced, and stand still
 *   POWER_SEED    for all that is left to chance; 0: nothing is, whatever was not synced is lost
 *   POWER_NOSYNC  syncs succeed and make nothing durable: for proving that a test notices
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_FD 65536
#define PAGE 4096

struct node;
struct entry {
    char *name;
    struct node *node;
    struct entry *next;
};

/* A file or directory, from when it is first seen to the end: also without a name it may have a durable one. */
struct node {
    int id;
    int directory;
    int fd;                  /* of a file, to read what it holds now */
    int shadow;              /* of a file, what is durable of it */
    off_t lo, hi;            /* bytes changed since the last sync: [lo, hi) */
    int dirty;
    struct entry *now, *durable;
};

/* A rename to another directory that was not synced since. */
struct move {
    struct node *from, *to, *what;
    char *old_name;
    struct move *next;
};

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static char root[PATH_MAX], images[PATH_MAX];
static const char *stop_at;
static struct node *root_node;
static struct node *open_files[MAX_FD];
static struct move *moves;
static int nodes, watching, nosync;
static uint64_t seed, every, most, written;
static volatile uint64_t *counter;

#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

static uint64_t mix(uint64_t a, uint64_t b) {
    uint64_t x = a * 0x9e3779b97f4a7c15u + b * 0xbf58476d1ce4e5b9u + 0x94d049bb133111ebu;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static void fail(const char *what, const char *path) {
    dprintf(2, "powercut: %s %s: %s\n", what, path, strerror(errno));
    kill(getpid(), SIGKILL);
}

/* ---- names ---- */

static struct entry **find(struct entry **list, const char *name) {
    while (*list && strcmp((*list)->name, name)) list = &(*list)->next;
    return list;
}

static void put(struct entry **list, const char *name, struct node *node) {
    struct entry **at = find(list, name);
    if (*at) {
        (*at)->node = node;
        return;
    }
    struct entry *added = malloc(sizeof *added);
    *added = (struct entry){strdup(name), node, *list};
    *list = added;
}

static void drop(struct entry **list, const char *name) {
    struct entry **at = find(list, name);
    if (*at) {
        struct entry *gone = *at;
        *at = gone->next;
        free(gone->name);
        free(gone);
    }
}

static struct entry *copy_of(struct entry *list) {
    struct entry *copy = NULL;
    for (; list; list = list->next) put(&copy, list->name, list->node);
    return copy;
}

static void free_list(struct entry *list) {
    while (list) drop(&list, list->name);
}

/* The directory of a path below the root, and the last part of the path; NULL if the path is not below the root. */
static struct node *parent_of(int at, const char *path, char *name) {
    char whole[2 * PATH_MAX];
    if (path[0] == '/') {
        snprintf(whole, sizeof whole, "%s", path);
    } else {
        char base[PATH_MAX], link[64];
        if (at == AT_FDCWD) {
            if (!getcwd(base, sizeof base)) return NULL;
        } else {
            snprintf(link, sizeof link, "/proc/self/fd/%d", at);
            ssize_t length = readlink(link, base, sizeof base - 1);
            if (length < 0) return NULL;
            base[length] = 0;
        }
        snprintf(whole, sizeof whole, "%s/%s", base, path);
    }
    size_t length = strlen(root);
    if (strncmp(whole, root, length) || whole[length] != '/') return NULL;
    struct node *directory = root_node;
    name[0] = 0;
    char *rest = NULL;
    for (char *part = strtok_r(whole + length, "/", &rest); part; part = strtok_r(NULL, "/", &rest)) {
        if (!strcmp(part, ".")) continue;
        if (name[0]) {
            struct entry *next = *find(&directory->now, name);
            if (!next || !next->node->directory) return NULL;
            directory = next->node;
        }
        snprintf(name, NAME_MAX + 1, "%s", part);
    }
    return name[0] ? directory : NULL;
}

static struct node *node_of(int at, const char *path) {
    char name[NAME_MAX + 1];
    struct node *parent = parent_of(at, path, name);
    if (!parent) {
        size_t length = strlen(root);
        int is_root = !strncmp(path, root, length) && strspn(path + length, "/.") == strlen(path + length);
        return is_root ? root_node : NULL;
    }
    struct entry *found = *find(&parent->now, name);
    return found ? found->node : NULL;
}

/* ---- contents ---- */

static off_t size_of(int fd) {
    struct stat status;
    return fstat(fd, &status) ? 0 : status.st_size;
}

static void copy_bytes(int from, int to, off_t lo, off_t hi) {
    static char buffer[1 << 16];
    while (lo < hi) {
        ssize_t got = pread(from, buffer, hi - lo < (off_t)sizeof buffer ? (size_t)(hi - lo) : sizeof buffer, lo);
        if (got <= 0) break;
        if (REAL(pwrite)(to, buffer, got, lo) != got) fail("write", "an image");
        lo += got;
    }
}

static struct node *new_node(int directory, const char *path) {
    struct node *node = calloc(1, sizeof *node);
    node->id = nodes++;
    node->directory = directory;
    if (!directory) {
        char shadow[2 * PATH_MAX];
        snprintf(shadow, sizeof shadow, "%s/shadow.%d", images, node->id);
        node->fd = REAL(open)(path, O_RDONLY | O_CLOEXEC);
        node->shadow = REAL(open)(shadow, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (node->fd < 0 || node->shadow < 0) fail("open", path);
        REAL(unlink)(shadow);
    }
    return node;
}

static void changed(struct node *node, off_t lo, off_t hi) {
    if (!node || node->directory) return;
    node->lo = node->dirty && node->lo < lo ? node->lo : lo;
    node->hi = node->dirty && node->hi > hi ? node->hi : hi;
    node->dirty = 1;
}

/* ---- what is durable ---- */

static void sync_file(struct node *node) {
    if (!node->dirty) return;
    copy_bytes(node->fd, node->shadow, node->lo, node->hi);
    if (REAL(ftruncate)(node->shadow, size_of(node->fd))) fail("truncate", "a shadow");
    node->dirty = 0;
}

/* What a directory holds: as of its last sync, or now. What was moved out of it stays until that is durable. */
static struct entry *entries(struct node *directory, int now) {
    struct entry *list = copy_of(now ? directory->now : directory->durable);
    for (struct move *move = moves; move; move = move->next) {
        if (now && move->from == directory && !*find(&list, move->old_name)) put(&list, move->old_name, move->what);
    }
    return list;
}

static void sync_directory(struct node *directory) {
    for (struct move **at = &moves; *at;) {
        struct move *move = *at;
        if (move->to != directory) {
            at = &move->next;
            continue;
        }
        struct entry *old = *find(&move->from->durable, move->old_name);
        if (old && old->node == move->what) drop(&move->from->durable, move->old_name);
        *at = move->next;
        free(move->old_name);
        free(move);
    }
    struct entry *before = directory->durable;
    directory->durable = entries(directory, 1);
    free_list(before);
}

static void sync_node(struct node *node) {
    if (!node || nosync) return;
    if (node->directory) sync_directory(node);
    else sync_file(node);
}

/* ---- images ---- */

static void write_file(struct node *node, const char *path, uint64_t chance) {
    int fd = REAL(open)(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) fail("open", path);
    off_t durable = size_of(node->shadow);
    copy_bytes(node->shadow, fd, 0, durable);
    if (node->dirty) {
        off_t size = size_of(node->fd), hi = node->hi < size ? node->hi : size;
        uint64_t draw = chance ? mix(chance, node->id) : 0;
        if (draw % 8 < 3) {
            /* Everything unsynced is lost. */
        } else if (draw % 8 < 5) {
            off_t end = hi > node->lo ? node->lo + (off_t)((draw >> 8) % (uint64_t)(hi - node->lo + 1)) : node->lo;
            copy_bytes(node->fd, fd, node->lo, end);
        } else if (draw % 8 < 7) {
            for (off_t page = node->lo / PAGE * PAGE; page < hi; page += PAGE) {
                if (mix(draw, page) & 1) {
                    copy_bytes(node->fd, fd, page > node->lo ? page : node->lo, page + PAGE < hi ? page + PAGE : hi);
                }
            }
            if (size > durable && REAL(ftruncate)(fd, size)) fail("truncate", path);
        } else {
            copy_bytes(node->fd, fd, node->lo, hi);
            if (REAL(ftruncate)(fd, size)) fail("truncate", path);
        }
    }
    REAL(close)(fd);
}

static void write_directory(struct node *directory, const char *path, uint64_t chance) {
    if (REAL(mkdir)(path, 0700)) fail("make", path);
    struct entry *list = entries(directory, chance && mix(chance, directory->id) % 4 == 0);
    for (struct entry *entry = list; entry; entry = entry->next) {
        char below[2 * PATH_MAX];
        snprintf(below, sizeof below, "%s/%s", path, entry->name);
        if (entry->node->directory) write_directory(entry->node, below, chance);
        else write_file(entry->node, below, chance);
    }
    free_list(list);
}

static void write_image(const char *name, uint64_t call) {
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", images, name);
    write_directory(root_node, path, seed ? mix(seed, call) : 0);
}

/* Counts a call that changes something; the caller holds the lock. */
static void call(void) {
    uint64_t number = ++*counter;
    int chosen = every && written < most && mix(seed ^ 0x5eed, number) % every == 0;
    int dies = counter[1] && number >= counter[1];
    if (chosen || dies) {
        char name[32];
        snprintf(name, sizeof name, "%llu", (unsigned long long)number);
        write_image(name, number);
        written++;
    }
    if (dies) kill(getpid(), SIGKILL);
}

static void enter(void) { pthread_mutex_lock(&lock); }

/* Leaves, with the error number of the call that was made inside. */
static void leave(void) {
    int error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
}

/* ---- beginning and end ---- */

static void adopt(struct node *directory, const char *path) {
    DIR *open_directory = opendir(path);
    if (!open_directory) fail("read", path);
    for (struct dirent *each; (each = readdir(open_directory));) {
        if (!strcmp(each->d_name, ".") || !strcmp(each->d_name, "..")) continue;
        char below[2 * PATH_MAX];
        struct stat status;
        snprintf(below, sizeof below, "%s/%s", path, each->d_name);
        if (lstat(below, &status)) fail("look at", below);
        struct node *node = new_node(S_ISDIR(status.st_mode), below);
        if (node->directory) {
            adopt(node, below);
        } else {
            changed(node, 0, status.st_size);
            sync_file(node);
        }
        put(&directory->now, each->d_name, node);
        put(&directory->durable, each->d_name, node);
    }
    closedir(open_directory);
}

static uint64_t number(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

__attribute__((constructor)) static void begin(void) {
    const char *watched = getenv("POWER_ROOT"), *target = getenv("POWER_IMAGES");
    if (!watched || !target) return;
    snprintf(root, sizeof root, "%s", watched);
    snprintf(images, sizeof images, "%s", target);
    seed = number("POWER_SEED", 1);
    every = number("POWER_EVERY", 0);
    most = number("POWER_MOST", UINT64_MAX);
    stop_at = getenv("POWER_STOP_AT");
    nosync = number("POWER_NOSYNC", 0) != 0;
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/counter", images);
    int fd = REAL(open)(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || REAL(ftruncate)(fd, 16)) fail("make", path);
    counter = mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    counter[1] = 0;
    root_node = new_node(1, root);
    adopt(root_node, root);
    unsetenv("LD_PRELOAD");
    watching = 1;
}

static void end(void) {
    enter();
    if (watching) {
        watching = 0;
        write_image("end", 0);
    }
    leave();
}

__attribute__((destructor)) static void finished(void) { end(); }

void _exit(int code) {
    end();
    REAL(_exit)(code);
    __builtin_unreachable();
}

/* ---- the calls ---- */

static int open_at(int at, const char *path, int flags, mode_t mode) {
    if (!watching || !(flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC))) {
        /* Maybe a directory, to be synced. */
        int fd = REAL(openat)(at, path, flags, mode);
        if (watching && fd >= 0 && fd < MAX_FD) {
            enter();
            open_files[fd] = node_of(at, path);
            leave();
        }
        return fd;
    }
    enter();
    char name[NAME_MAX + 1];
    struct node *parent = parent_of(at, path, name);
    struct node *before = node_of(at, path);
    if (parent && ((flags & O_TRUNC) || (!before && (flags & O_CREAT)))) call();
    off_t size = before && !before->directory ? size_of(before->fd) : 0;
    int fd = REAL(openat)(at, path, flags, mode);
    if (fd >= 0 && fd < MAX_FD) {
        struct node *node = before;
        if (parent && !before) {
            char opened[64];
            snprintf(opened, sizeof opened, "/proc/self/fd/%d", fd);
            node = new_node(0, opened);
            put(&parent->now, name, node);
        }
        if (node && (flags & O_TRUNC)) changed(node, 0, size);
        open_files[fd] = node;
    }
    leave();
    return fd;
}

static mode_t mode_of(int flags, va_list rest) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; }

#define OPEN(name)                                                                                                     \
    int name(const char *path, int flags, ...) {                                                                       \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = mode_of(flags, rest);                                                                            \
        va_end(rest);                                                                                                  \
        return open_at(AT_FDCWD, path, flags, mode);                                                                   \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                                                   \
    int name(int at, const char *path, int flags, ...) {                                                               \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = mode_of(flags, rest);                                                                            \
        va_end(rest);                                                                                                  \
        return open_at(at, path, flags, mode);                                                                         \
    }
OPENAT(openat)
OPENAT(openat64)

int creat(const char *path, mode_t mode) { return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return creat(path, mode); }

int close(int fd) {
    if (watching && fd >= 0 && fd < MAX_FD) {
        enter();
        open_files[fd] = NULL;
        leave();
    }
    return REAL(close)(fd);
}

/* The file of a descriptor; NULL if it is none of ours. */
static struct node *watched(int fd) { return watching && fd >= 0 && fd < MAX_FD ? open_files[fd] : NULL; }

static void stop_if_at(struct node *node, int fd) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = stop_at && node->dirty && node->lo < node->hi ? readlink(link, path, sizeof path - 1) : -1;
    if (length < 0) return;
    path[length] = 0;
    if (!fnmatch(stop_at, path, 0)) {
        write_image("end", 0);
        kill(getpid(), SIGSTOP);
    }
}

/* A call that writes at a position, or at the file's own if that is negative. */
#define WRITES(fd, position, run)                                                                                      \
    struct node *node = watched(fd);                                                                                   \
    if (!node) return run;                                                                                             \
    enter();                                                                                                           \
    call();                                                                                                            \
    off_t from = position;                                                                                             \
    if (from < 0) from = fcntl(fd, F_GETFL) & O_APPEND ? size_of(fd) : lseek(fd, 0, SEEK_CUR);                         \
    ssize_t done = run;                                                                                                \
    if (done > 0) changed(node, from, from + done);                                                                    \
    leave();                                                                                                           \
    return done

ssize_t write(int fd, const void *bytes, size_t count) { WRITES(fd, -1, REAL(write)(fd, bytes, count)); }
ssize_t writev(int fd, const struct iovec *parts, int count) { WRITES(fd, -1, REAL(writev)(fd, parts, count)); }
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) { WRITES(fd, at, REAL(pwrite)(fd, bytes, count, at)); }
ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
    WRITES(fd, at, REAL(pwrite)(fd, bytes, count, at));
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) {
    WRITES(fd, at, REAL(pwritev)(fd, parts, count, at));
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) {
    WRITES(fd, at, REAL(pwritev)(fd, parts, count, at));
}
ssize_t sendfile64(int to, int source, off64_t *at, size_t count);
ssize_t sendfile(int to, int source, off_t *at, size_t count) {
    WRITES(to, -1, ((ssize_t(*)(int, int, off_t *, size_t))real("sendfile"))(to, source, at, count));
}
ssize_t sendfile64(int to, int source, off64_t *at, size_t count) { return sendfile(to, source, (off_t *)at, count); }
ssize_t copy_file_range(int source, off64_t *at, int to, off64_t *to_at, size_t count, unsigned flags) {
    WRITES(to, to_at ? *to_at : -1, REAL(copy_file_range)(source, at, to, to_at, count, flags));
}

/* A call that may change a file's size. */
#define RESIZES(fd, run)                                                                                               \
    struct node *node = watched(fd);                                                                                   \
    if (!node) return run;                                                                                             \
    enter();                                                                                                           \
    call();                                                                                                            \
    off_t before = size_of(fd);                                                                                        \
    int result = run;                                                                                                  \
    off_t after = size_of(fd);                                                                                         \
    if (before != after) changed(node, before < after ? before : after, before < after ? after : before);             \
    leave();                                                                                                           \
    return result

int ftruncate(int fd, off_t size) { RESIZES(fd, REAL(ftruncate)(fd, size)); }
int ftruncate64(int fd, off64_t size) { RESIZES(fd, REAL(ftruncate)(fd, size)); }
int fallocate(int fd, int mode, off_t at, off_t length) { RESIZES(fd, REAL(fallocate)(fd, mode, at, length)); }
int fallocate64(int fd, int mode, off64_t at, off64_t length) { RESIZES(fd, REAL(fallocate)(fd, mode, at, length)); }
int posix_fallocate(int fd, off_t at, off_t length) { RESIZES(fd, REAL(posix_fallocate)(fd, at, length)); }

#define SYNCS(fd, run)                                                                                                 \
    struct node *node = watched(fd);                                                                                   \
    if (!node) return run;                                                                                             \
    enter();                                                                                                           \
    call();                                                                                                            \
    stop_if_at(node, fd);                                                                                              \
    sync_node(node);                                                                                                   \
    leave();                                                                                                           \
    return 0

/* The disk itself is left alone: only the model decides what is durable. */
int fsync(int fd) { SYNCS(fd, REAL(fsync)(fd)); }
int fdatasync(int fd) { SYNCS(fd, REAL(fdatasync)(fd)); }
int sync_file_range(int fd, off64_t at, off64_t length, unsigned flags) {
    if (!watched(fd)) return REAL(sync_file_range)(fd, at, length, flags);
    return 0;
}

static int rename_at(int at, const char *path, int to_at, const char *to) {
    if (!watching) return REAL(renameat)(at, path, to_at, to);
    enter();
    char name[NAME_MAX + 1], to_name[NAME_MAX + 1];
    struct node *from = parent_of(at, path, name), *target = parent_of(to_at, to, to_name);
    struct node *what = from ? node_of(at, path) : NULL;
    if (what || target) call();
    int result = REAL(renameat)(at, path, to_at, to);
    if (!result && what) drop(&from->now, name);
    if (!result && what && target) {
        put(&target->now, to_name, what);
        if (from != target) {
            struct move *move = malloc(sizeof *move);
            *move = (struct move){from, target, what, strdup(name), moves};
            moves = move;
        }
    }
    leave();
    return result;
}
int rename(const char *path, const char *to) { return rename_at(AT_FDCWD, path, AT_FDCWD, to); }
int renameat(int at, const char *path, int to_at, const char *to) { return rename_at(at, path, to_at, to); }
int renameat2(int at, const char *path, int to_at, const char *to, unsigned flags) {
    return flags ? REAL(renameat2)(at, path, to_at, to, flags) : rename_at(at, path, to_at, to);
}

static int link_at(int at, const char *path, int to_at, const char *to, int flags) {
    if (!watching) return REAL(linkat)(at, path, to_at, to, flags);
    enter();
    char name[NAME_MAX + 1];
    struct node *target = parent_of(to_at, to, name), *what = target ? node_of(at, path) : NULL;
    if (target) call();
    int result = REAL(linkat)(at, path, to_at, to, flags);
    if (!result && target && what) put(&target->now, name, what);
    leave();
    return result;
}
int link(const char *path, const char *to) { return link_at(AT_FDCWD, path, AT_FDCWD, to, 0); }
int linkat(int at, const char *path, int to_at, const char *to, int flags) {
    return link_at(at, path, to_at, to, flags);
}

static int remove_at(int at, const char *path, int flags) {
    if (!watching) return REAL(unlinkat)(at, path, flags);
    enter();
    char name[NAME_MAX + 1];
    struct node *parent = parent_of(at, path, name);
    if (parent) call();
    int result = REAL(unlinkat)(at, path, flags);
    if (!result && parent) drop(&parent->now, name);
    leave();
    return result;
}
int unlink(const char *path) { return remove_at(AT_FDCWD, path, 0); }
int unlinkat(int at, const char *path, int flags) { return remove_at(at, path, flags); }
int rmdir(const char *path) { return remove_at(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char *path) {
    int result = remove_at(AT_FDCWD, path, 0);
    return result && (errno == EISDIR || errno == EPERM) ? rmdir(path) : result;
}

static int make_directory(int at, const char *path, mode_t mode) {
    if (!watching) return REAL(mkdirat)(at, path, mode);
    enter();
    char name[NAME_MAX + 1];
    struct node *parent = parent_of(at, path, name);
    if (parent && !*find(&parent->now, name)) call();
    int result = REAL(mkdirat)(at, path, mode);
    if (!result && parent) put(&parent->now, name, new_node(1, path));
    leave();
    return result;
}
int mkdir(const char *path, mode_t mode) { return make_directory(AT_FDCWD, path, mode); }
int mkdirat(int at, const char *path, mode_t mode) { return make_directory(at, path, mode); }
