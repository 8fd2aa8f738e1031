/*
 * A clock that is wrong: a library for LD_PRELOAD. Calendar time, as clock_gettime, gettimeofday and time tell it, is
 *
 *   told = true + offset + (true - since) * ppm / 1,000,000
 *
 * CLOCK_SKEW names a file with the numbers: offset and since in nanoseconds, and ppm, each 8 bytes with a sign in the
 * machine's order. The library maps it, so that a change has its effect at once.
 *
 * CLOCK_MONOTONIC stays true. The kernel ends timed waits by that clock; a second opinion about it in the process would
 * only make waits too short or too long, and no machine does so.
 *
 * The kernel ends waits until a calendar time by the true clock. So pthread_cond_timedwait gets the true time of its
 * deadline. Not so sem_timedwait, pthread_mutex_timedlock, timerfd and the times of files.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL
/* Deadlines of condition variables below it, some 30 years, are of CLOCK_MONOTONIC. */
#define CALENDAR_SECONDS 1000000000LL

struct skew {
    int64_t offset;
    int64_t since;
    int64_t ppm;
};

static const struct skew straight;
static const volatile struct skew *skew = &straight;
static int (*real_gettime)(clockid_t, struct timespec *);
static int (*real_timedwait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);

__attribute__((constructor)) static void begin(void) {
    /* The version of today: without it dlsym finds that of glibc 2.2.5, which has another layout. */
    void *timedwait = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
    if (timedwait == NULL) {
        timedwait = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    }
    *(void **) &real_timedwait = timedwait;
    *(void **) &real_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    const char *file = getenv("CLOCK_SKEW");
    int fd = file == NULL ? -1 : open(file, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        void *mapped = mmap(NULL, sizeof(struct skew), PROT_READ, MAP_SHARED, fd, 0);
        if (mapped != MAP_FAILED) {
            skew = mapped;
        }
        close(fd);
    }
}

static int true_time(clockid_t clock, struct timespec *at) {
    return real_gettime == NULL ? (int) syscall(SYS_clock_gettime, clock, at) : real_gettime(clock, at);
}

static int64_t nanos(const struct timespec *at) {
    return at->tv_sec * SECOND + at->tv_nsec;
}

static void set(struct timespec *at, int64_t nanos) {
    at->tv_sec = nanos / SECOND;
    at->tv_nsec = nanos % SECOND;
}

/* Told time less true time. Seconds times millionths of a second: the product fits for a century. */
static int64_t wrong_by(int64_t true_nanos) {
    int64_t rate = skew->ppm;
    return skew->offset + (rate == 0 ? 0 : (true_nanos - skew->since) / 1000 * rate / 1000);
}

int clock_gettime(clockid_t clock, struct timespec *at) {
    int result = true_time(clock, at);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI)) {
        set(at, nanos(at) + wrong_by(nanos(at)));
    }
    return result;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
    struct timespec now;
    (void) zone;
    clock_gettime(CLOCK_REALTIME, &now);
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at != NULL) {
        *at = now.tv_sec;
    }
    return now.tv_sec;
}

int pthread_cond_timedwait(
        pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict until) {
    if (until->tv_sec < CALENDAR_SECONDS) {
        return real_timedwait(condition, mutex, until);
    }
    struct timespec now;
    struct timespec at;
    true_time(CLOCK_REALTIME, &now);
    set(&at, nanos(until) - wrong_by(nanos(&now)));
    return real_timedwait(condition, mutex, &at);
}
