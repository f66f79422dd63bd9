/*
 * Detector, K-best: few survivors, whose list is in registers. Part of detector_kbest.cl, whose parameters it takes; the same
 * answers as detector_kbest_lists.cl, bit for bit.
 *
 * Data flow:
 *   registers hold the list: metrics in rising order and paths, all of them of a known place in a loop that is unrolled;
 *   local memory holds what is read at a place that only the search knows: of each survivor of the level above its target,
 *   metric, path, and where its to and fro goes on, and the front, the metric of its next child;
 *   registers hold the least front of every four survivors.
 *
 * Taking the nearest child is a look at those least fronts, then at the four of which its parent is one: nobody goes through
 * all K. At a tie the first survivor wins, as it does when one goes through all.
 *
 * Fields of a path: a level's index at [bit FIELD_BITS level + 1], so that its double, with the exponent of 2^23, is a float.
 */

#define FIELD_BITS (POINTS == 2 ? 1 : POINTS == 4 ? 2 : POINTS == 8 ? 3 : POINTS == 16 ? 4 : 5)
#define FIELD_MASK (2 * ((1u << FIELD_BITS) - 1))
#if FIELD_BITS * LEVELS < 32
typedef uint path_t;
#else
typedef ulong path_t;
#endif
#define PATH_WORDS 1
#define UNROLL_LIST UNROLL
#define TEAM 4 /* survivors of whose fronts the least is in a register */
#define TEAMS ((K + TEAM - 1) / TEAM)

/* A lane's part of local memory: word w of survivor k at [(w * SURVIVORS + k) * CTA_SIZE], its path likewise, so that
 * `at`, which is k * CTA_SIZE, is the place of all of them. */
#define SURVIVORS (TEAMS * TEAM)
#define TARGET_OF(at) room->words[(at)]
#define METRIC_OF(at) room->words[(at) + SURVIVORS * CTA_SIZE]
#define NEXT_OF(at) room->words[(at) + 2 * SURVIVORS * CTA_SIZE]
#define STEP_OF(at) room->words[(at) + 3 * SURVIVORS * CTA_SIZE]
#define FRONT_OF(at) room->words[(at) + 4 * SURVIVORS * CTA_SIZE]
#define PATH_OF(at) room->paths[(at)]

typedef struct room_t {
    LOCAL_PTR float *words;
    LOCAL_PTR path_t *paths;
} room_t;

#define DECLARE_ROOM(room)                                                                                                     \
    LOCAL float room_words[5 * SURVIVORS * CTA_SIZE];                                                                          \
    LOCAL path_t room_paths[SURVIVORS * CTA_SIZE];                                                                             \
    const room_t room = { room_words + LOCAL_ID(0), room_paths + LOCAL_ID(0) }

/* Survivors: metrics in rising order, LARGE beyond the last. */
typedef struct list_t {
    float metric[K];
    path_t path[K];
    int count;
} list_t;

INLINE uint path_at(const path_t *path, int place)
{
    return ((uint)(*path >> (FIELD_BITS * place)) & FIELD_MASK) >> 1;
}

/* The amplitude of a level of a path; edge: the largest. */
INLINE float amplitude_at(path_t path, int level, float edge)
{
    return AS_FLOAT(0x4b000000u | ((uint)(path >> (FIELD_BITS * level)) & FIELD_MASK)) - (8388608.0f + edge);
}

INLINE path_t extended(path_t path, int level, float amplitude, float most)
{
    return path | (path_t)(AS_UINT(amplitude + (8388608.0f + most)) & FIELD_MASK) << (FIELD_BITS * level);
}

INLINE void count_list(list_t *list)
{
    list->count = K;
    if (list->metric[K - 1] < LARGE)
        return;
    list->count = 0;
    UNROLL
    for (int k = 0; k < K; k++)
        list->count += list->metric[k] < LARGE;
}

/* The root's children. */
INLINE void first_level(const work_t *w, GLOBAL const float *model, list_t *to)
{
    const int level = LEVELS - 1;
    const float diagonal = R_OF(w, level, level), target = Y_OF(w, level);
    const float most = POINTS_OF(column_of(w, level)) - 1;
    float next, step;
    nearest_child(target, INVERSE_OF(diagonal), SHIFT_OF(diagonal), most, &next, &step);
    UNROLL
    for (int n = 0; n < K; n++) {
        to->metric[n] = fabs(next) <= most ? metric_of(0, target, diagonal, next) : LARGE;
        to->path[n] = extended(0, level, next, most);
        advance(&next, &step, most);
    }
    count_list(to);
}

/* The survivors of the level above, each with its nearest child. */
INLINE void set_out(const work_t *w, GLOBAL const float *model, int level, const list_t *list, const room_t *room)
{
    float target[K];
    const float diagonal = R_OF(w, level, level), y = Y_OF(w, level);
    const float most = POINTS_OF(column_of(w, level)) - 1;
    const float inverse = INVERSE_OF(diagonal), shift = SHIFT_OF(diagonal);
    UNROLL
    for (int k = 0; k < K; k++)
        target[k] = y;
    NOUNROLL
    for (int j = level + 1; j < LEVELS; j++) {
        const float r = R_OF(w, level, j), edge = POINTS_OF(column_of(w, j)) - 1;
        UNROLL
        for (int k = 0; k < K; k++)
            target[k] = FMA(-r, amplitude_at(list->path[k], j, edge), target[k]);
    }
    UNROLL
    for (int k = 0; k < K; k++) {
        float next, step;
        nearest_child(target[k], inverse, shift, most, &next, &step);
        TARGET_OF(k * CTA_SIZE) = target[k];
        METRIC_OF(k * CTA_SIZE) = list->metric[k];
        NEXT_OF(k * CTA_SIZE) = next;
        STEP_OF(k * CTA_SIZE) = step;
        FRONT_OF(k * CTA_SIZE) = metric_of(list->metric[k], target[k], diagonal, next);
        PATH_OF(k * CTA_SIZE) = list->path[k];
    }
    UNROLL
    for (int k = K; k < SURVIVORS; k++)
        FRONT_OF(k * CTA_SIZE) = LARGE;
}

/* The least front of the team that begins at `team`, and whose it is; the first at a tie. */
INLINE float least_of_team(const room_t *room, int team, int *whose)
{
    float least = FRONT_OF(team);
    int place = 0;
    UNROLL
    for (int k = 1; k < TEAM; k++) {
        const float front = FRONT_OF(team + k * CTA_SIZE);
        place = front < least ? k * CTA_SIZE : place;
        least = fmin(front, least);
    }
    *whose = team + place;
    return least;
}

/* One level: the list becomes that of its children; `wanted` of them, the rest without sense. */
INLINE void next_level(const work_t *w, GLOBAL const float *model, int level, list_t *list, const room_t *room, int wanted)
{
    const float diagonal = R_OF(w, level, level), most = POINTS_OF(column_of(w, level)) - 1;
    float least[TEAMS];
    int whose[TEAMS];
    set_out(w, model, level, list, room);
    UNROLL
    for (int team = 0; team < TEAMS; team++)
        least[team] = least_of_team(room, team * (TEAM * CTA_SIZE), &whose[team]);
    UNROLL
    for (int n = 0; n < K; n++) {
        if (n == 1 && wanted == 1)
            return;
        float front = least[0];
        int at = whose[0], first;
        UNROLL
        for (int team = 1; team < TEAMS; team++) {
            at = least[team] < front ? whose[team] : at;
            front = fmin(least[team], front);
        }
        float next = NEXT_OF(at);
        list->metric[n] = front;
        list->path[n] = extended(PATH_OF(at), level, next, most);
        if (n == K - 1)
            break;
        float step = STEP_OF(at);
        const int own_team = at / (TEAM * CTA_SIZE) * (TEAM * CTA_SIZE);
        advance(&next, &step, most);
        NEXT_OF(at) = next;
        STEP_OF(at) = step;
        FRONT_OF(at) = fabs(next) <= most ? metric_of(METRIC_OF(at), TARGET_OF(at), diagonal, next) : LARGE;
        front = least_of_team(room, own_team, &first);
        UNROLL
        for (int team = 0; team < TEAMS; team++) {
            const int same = team * (TEAM * CTA_SIZE) == own_team;
            least[team] = same ? front : least[team];
            whose[team] = same ? first : whose[team];
        }
    }
    count_list(list);
}

/* Returns how many nodes that took. Of the last level the list is wanted for LLRs alone. */
INLINE uint search(const work_t *w, GLOBAL const float *model, list_t *list, const room_t *room, int soft)
{
    uint nodes = POINTS_OF(column_of(w, LEVELS - 1));
    first_level(w, model, list);
    NOUNROLL
    for (int level = LEVELS - 2; level >= 0; level--) {
        nodes += list->count * POINTS_OF(column_of(w, level));
        next_level(w, model, level, list, room, level > 0 || soft ? K : 1);
    }
    return nodes;
}
