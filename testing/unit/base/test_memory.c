/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/memory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <sys/resource.h>
#include "base/cgroup.h"
#include "base/sysfile.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/base/fake_root.h"
#include "testing/unit/unit.h"

#define MIB ((uint64_t)1 << 20)
#define V1 "sys/fs/cgroup/memory/"
#define V2 "sys/fs/cgroup/"
#define MOUNT_V1 "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,"
#define MOUNT_V2                                                               \
    "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 x rw\n"

/* A machine with 1000 MiB available and no cgroups. */
static int create(void **state)
{
    fake_root_open(state);
    fake_root_write("proc/meminfo", "MemTotal:       2048000 kB\n"
                                    "MemFree:         512000 kB\n"
                                    "MemAvailable:   1024000 kB\n"
                                    "Buffers:              8 kB\n");
    return 0;
}

static uint64_t available_mib(void)
{
    uint64_t bytes = 0;

    assert_ok(xh_memory_available(fake_root, &bytes));
    assert_true(bytes % MIB == 0);
    return bytes / MIB;
}

/* what a control group's folder says */
typedef struct {
    const char *folder;
    uint64_t limit, usage; /* MiB */
} level_t;

static void write_file(const char *folder, const char *file, const char *text)
{
    char path[256];

    snprintf(path, sizeof(path), "%s%s", folder, file);
    fake_root_write(path, text);
}

static void write_level(level_t l)
{
    bool v1 = strncmp(l.folder, V1, strlen(V1)) == 0;
    char text[64];

    snprintf(text, sizeof(text), "%" PRIu64 "\n", l.limit * MIB);
    write_file(l.folder, v1 ? "memory.limit_in_bytes" : "memory.max", text);
    snprintf(text, sizeof(text), "%" PRIu64 "\n", l.usage * MIB);
    write_file(l.folder, v1 ? "memory.usage_in_bytes" : "memory.current", text);
}

static void use_v1(const char *group)
{
    char text[256];

    snprintf(text, sizeof(text), "9:name=systemd:/\n4:cpu,memory:%s\n0::/\n",
             group);
    fake_root_write("proc/self/cgroup", text);
    fake_root_write(
        "proc/self/mountinfo",
        "23 1 0:20 / /proc rw - proc proc rw\n"
        "34 31 0:31 / /sys/fs/cgroup/pids rw - cgroup c rw,pids\n" MOUNT_V1
        "cpu,memory\n");
}

static void use_v2(const char *group)
{
    char text[256];

    snprintf(text, sizeof(text), "0::%s\n", group);
    fake_root_write("proc/self/cgroup", text);
    fake_root_write("proc/self/mountinfo", MOUNT_V2);
}

#define TEST_SET_UP(name) TEST_WITH(name, create, fake_root_close)

TEST_SET_UP(without_cgroups_it_is_what_the_system_offers)
{
    assert_int_equal(available_mib(), 1000);
    assert_true(xh_cgroup_memory_left(fake_root) == UINT64_MAX);
}

TEST_SET_UP(an_old_system_offers_what_is_free_and_cached)
{
    fake_root_write("proc/meminfo", "MemTotal: 2048000 kB\n"
                                    "MemFree:   512000 kB\n");
    assert_int_equal(available_mib(), 500);
    fake_root_write("proc/meminfo", "MemTotal: 2048000 kB\n"
                                    "MemFree:   512000 kB\n"
                                    "Cached:    102400 kB\n");
    assert_int_equal(available_mib(), 600);
}

/* The limit of a control group is known without the system's. */
TEST_SET_UP(a_system_that_does_not_tell_is_warned_of)
{
    uint64_t bytes = 7;

    fake_root_write("proc/meminfo", "MemTotal: 2048000 kB\n");
    assert_in(heard(assert_int_equal(xh_memory_available(fake_root, &bytes),
                                     XH_ERR_IO)),
              "warning: ");
    assert_int_equal(bytes, 7);
    use_v2("/job");
    write_level((level_t){V2 "job/", 300, 100});
    assert_int_equal(available_mib(), 200);
}

/* A process in `group` of version v1 or v2, with these pages, has mib left. */
#define TEST_LEFT(sentence, version, group, stat, mib, ...)                    \
    TEST_SET_UP(sentence)                                                      \
    {                                                                          \
        static const level_t levels[] = {__VA_ARGS__};                         \
                                                                               \
        use_##version(group);                                                  \
        for (size_t i = 0; i < COUNT_OF(levels); i++)                          \
            write_level(levels[i]);                                            \
        write_file(levels[0].folder, "memory.stat", stat);                     \
        assert_int_equal(available_mib(), mib);                                \
    }

TEST_LEFT(v1_counts_inactive_file_pages_of_descendants_as_free, v1, "/job",
          "inactive_file 1048576\ntotal_inactive_file 209715200\n", 500,
          {V1 "job/", 600, 300})
TEST_LEFT(v2_counts_inactive_file_pages_as_free, v2, "/job",
          "anon 4096\ninactive_file 104857600\nactive_file 52428800\n", 400,
          {V2 "job/", 600, 300})
TEST_LEFT(the_least_level_of_a_nest_counts, v2, "/a/b/c", "", 100,
          {V2 "a/b/c/", 900, 100}, {V2 "a/b/", 500, 400}, {V2 "a/", 800, 450})
TEST_LEFT(the_least_level_may_be_the_top, v2, "/a/b/c", "", 5,
          {V2 "a/b/c/", 900, 100}, {V2 "a/", 460, 450}, {V2, 455, 450})
TEST_LEFT(a_level_without_files_does_not_hide_those_above, v2, "/a/b/c", "",
          350, {V2 "a/", 800, 450})
TEST_LEFT(a_group_over_its_limit_leaves_nothing, v2, "/job", "", 0,
          {V2 "job/", 100, 130})
TEST_LEFT(more_inactive_pages_than_usage_leave_the_limit, v2, "/job",
          "inactive_file 104857600\n", 100, {V2 "job/", 100, 30})
TEST_LEFT(a_group_outside_the_mount_falls_back_to_its_top, v2,
          "/../../elsewhere", "", 500, {V2, 600, 100},
          {"sys/elsewhere/", 200, 100})

/* The mount begins at the group, or further down. */
TEST_SET_UP(v1_in_a_container_without_the_groups_path)
{
    static const struct {
        const char *group;
        level_t level;
        uint64_t left;
    } of[] = {{"/docker/0123abcd", {V1, 400, 100}, 300},
              {"/docker/0123abcd/step", {V1 "step/", 250, 50}, 200}};

    for (size_t i = 0; i < COUNT_OF(of); i++) {
        use_v1(of[i].group);
        fake_root_write("proc/self/mountinfo",
                        "35 31 0:32 /docker/0123abcd /sys/fs/cgroup/memory rw "
                        "- cgroup cgroup rw,memory\n");
        write_level(of[i].level);
        assert_int_equal(available_mib(), of[i].left);
    }
}

TEST_SET_UP(v2_max_is_no_limit)
{
    use_v2("/job");
    write_level((level_t){V2 "job/", 600, 100});
    fake_root_write(V2 "job/memory.max", "max\n");
    assert_int_equal(available_mib(), 1000);
}

TEST_SET_UP(both_versions_at_once_count_both)
{
    fake_root_write("proc/self/cgroup", "4:memory:/one\n0::/two\n");
    fake_root_write("proc/self/mountinfo", MOUNT_V1
                    "memory\n"
                    "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 x rw\n");
    write_level((level_t){V1 "one/", 600, 100});
    assert_int_equal(available_mib(), 500);
    write_level((level_t){V2 "unified/two/", 300, 100});
    assert_int_equal(available_mib(), 200);
}

TEST_SET_UP(blanks_in_names_are_understood)
{
    fake_root_write("proc/self/cgroup", "0::/my job\n");
    fake_root_write("proc/self/mountinfo",
                    "30 23 0:26 / /sys/c\\040group rw - cgroup2 x rw\n");
    write_level((level_t){"sys/c group/my job/", 600, 100});
    assert_int_equal(available_mib(), 500);
}

/* Allocate, check the alignment, touch first and last byte, free. */
static void check_allocation(size_t bytes, size_t alignment)
{
    void *memory = NULL;
    unsigned char *byte;

    assert_ok(xh_memory_allocate(bytes, &memory));
    assert_non_null(memory);
    assert_int_equal((uintptr_t)memory % alignment, 0);
    byte = memory;
    if (bytes > 0) {
        assert_int_equal(byte[0] | byte[bytes - 1], 0);
        byte[0] = byte[bytes - 1] = 1;
    }
    xh_memory_free(memory, bytes);
}

TEST(allocations_of_any_size_are_aligned_and_writable)
{
    static const size_t small[] = {0, 1, 4095, 4096, 4097, 4 * MIB - 1};
    static const size_t large[] = {4 * MIB, 4 * MIB + 1, 7 * MIB + 12345};

    for (size_t i = 0; i < COUNT_OF(small); i++)
        check_allocation(small[i], 4096);
    for (size_t i = 0; i < COUNT_OF(large); i++)
        check_allocation(large[i], 2 * MIB);
}

/* Kilobytes of this process: "VmSize" mapped, "VmRSS" backed by pages. */
static long kib_of(const char *key)
{
    char value[64] = "";

    assert_true(
        xh_sysfile_value("/proc/self", "status", key, value, sizeof(value)));
    return strtol(value, NULL, 10);
}

/* By several, in any order, whatever is in it; nothing stays mapped. */
TEST(what_is_touched_is_backed_and_keeps_its_contents)
{
    const size_t bytes = 64 * MIB + 12345;
    long before = kib_of("VmRSS"), mapped = kib_of("VmSize");

    for (int i = 0; i < 20; i++) {
        unsigned char *byte;
        void *memory;

        assert_ok(xh_memory_allocate(bytes, &memory));
        byte = memory;
        if (i == 0) {
            byte[0] = byte[12 * MIB] = byte[bytes - 1] = 7;
            for (int part = 2; part >= 0; part--)
                xh_memory_touch(memory, bytes, part, 3);
            assert_true(kib_of("VmRSS") >= before + 64 * 1024);
            assert_int_equal(byte[0], 7);
            assert_int_equal(byte[12 * MIB], 7);
            assert_int_equal(byte[bytes - 1], 7);
            assert_int_equal(byte[4096], 0);
        }
        xh_memory_free(memory, bytes);
    }
    assert_true(kib_of("VmSize") < mapped + 64 * 1024);
}

/* Pieces of a page's size that end in the next page. */
TEST(the_page_that_a_piece_ends_in_is_backed_too)
{
    enum { PIECE = 4096, PIECES = 4096 };
    const size_t bytes = (size_t)2 * PIECE * PIECES;
    long before = kib_of("VmRSS");
    unsigned char *byte;
    void *memory;

    assert_ok(xh_memory_reserve(bytes, &memory));
    byte = memory;
    for (size_t i = 0; i < PIECES; i++)
        xh_memory_touch(byte + 2 * PIECE * i + 1000, PIECE, 0, 1);
    assert_true(kib_of("VmRSS") >= before + (long)(bytes >> 10));
    xh_memory_free(memory, bytes);
}

TEST(what_cannot_be_had_is_an_error)
{
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 4096, SIZE_MAX / 2};
    int untouched;
    void *memory = &untouched;

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        assert_said(xh_memory_allocate(sizes[i], &memory), XH_ERR_MEMORY,
                    "cannot allocate");
        assert_ptr_equal(memory, &untouched);
    }
}

TEST(limits_of_this_process_leave_what_they_leave)
{
    static const struct {
        int resource;
        const char *name;
    } of[] = {{RLIMIT_AS, "ulimit -v"}, {RLIMIT_DATA, "ulimit -d"}};
    struct rlimit before, limit;
    const char *name = NULL;
    uint64_t left;
    void *memory;

    if (xh_memory_limit_left(NULL) < UINT64_MAX)
        skip(); /* of whoever runs this */
    xh_memory_limit_left(&name);
    assert_string_equal(name, "");
    for (size_t i = 0; i < COUNT_OF(of); i++) {
        getrlimit(of[i].resource, &before);
        limit = before;
        limit.rlim_cur = (uint64_t)1 << 40; /* sanitizers take terabytes */
        if (limit.rlim_max != RLIM_INFINITY ||
            setrlimit(of[i].resource, &limit) != 0)
            skip();
        left = xh_memory_limit_left(&name);
        assert_string_equal(name, of[i].name);
        assert_true(left < limit.rlim_cur);
        if (left > 200 * MIB) {
            limit.rlim_cur -= left - 100 * MIB;
            setrlimit(of[i].resource, &limit);
            left = xh_memory_limit_left(NULL);
            assert_true(left > 50 * MIB && left <= 101 * MIB);
            assert_ok(xh_memory_try(10 * MIB, ""));
            assert_said(xh_memory_try(200 * MIB, "they are needed"),
                        XH_ERR_MEMORY, "and they are needed; ulimit");
            assert_said(xh_memory_allocate(200 * MIB, &memory), XH_ERR_MEMORY,
                        of[i].name);
        }
        setrlimit(of[i].resource, &before);
    }
}
