/*
 * Detector, K-best: survivors in private memory, any number of them, and streams of an alphabet of one's own. Part of
 * detector_kbest.cl, whose parameters it takes.
 */
#if OWN
#define PATH_BITS 10
#else
#define PATH_BITS 5
#endif
#define PATH_PLACES (60 / PATH_BITS)
#define PATH_LENGTH (OWN ? LEVELS / 2 : LEVELS)
#define PATH_WORDS ((PATH_LENGTH + PATH_PLACES - 1) / PATH_PLACES)
#define PATH_MASK ((1u << PATH_BITS) - 1)

#define UNROLL_LIST
typedef ulong path_t;

/* Nothing is in local memory. */
typedef int room_t;
#define DECLARE_ROOM(room) const room_t room = 0

/* Survivors: metrics in rising order, paths by place. */
typedef struct list_t {
    float metric[K];
    path_t path[PATH_WORDS * K];
    int count;
} list_t;

INLINE uint path_at(const path_t *path, int place)
{
    return (uint)(path[place / PATH_PLACES] >> (PATH_BITS * (place % PATH_PLACES))) & PATH_MASK;
}

INLINE void extend_path(list_t *to, int at, const list_t *from, int parent, int place, uint index)
{
    for (int word = 0; word < PATH_WORDS; word++)
        to->path[at * PATH_WORDS + word] = from->path[parent * PATH_WORDS + word];
    to->path[at * PATH_WORDS + place / PATH_PLACES] |= (path_t)index << (PATH_BITS * (place % PATH_PLACES));
}

#if !OWN
/* One level: from's survivors to to's. */
INLINE void next_level(const work_t *w, GLOBAL const float *model, int level, const list_t *from, list_t *to)
{
    float target[K], front[K], next[K], step[K];
    const float diagonal = R_OF(w, level, level), y = Y_OF(w, level);
    const float most = POINTS_OF(column_of(w, level)) - 1;
    const float inverse = INVERSE_OF(diagonal), shift = SHIFT_OF(diagonal);
    for (int k = 0; k < K; k++)
        target[k] = y;
    for (int j = level + 1; j < LEVELS; j++) {
        const float r = R_OF(w, level, j), edge = POINTS_OF(column_of(w, j)) - 1;
        for (int k = 0; k < from->count; k++)
            target[k] = FMA(-r, 2.0f * path_at(from->path + k * PATH_WORDS, j) - edge, target[k]);
    }
    for (int k = 0; k < K; k++) {
        nearest_child(target[k], inverse, shift, most, &next[k], &step[k]);
        front[k] = k < from->count ? metric_of(from->metric[k], target[k], diagonal, next[k]) : LARGE;
    }
    to->count = 0;
    for (int n = 0; n < K; n++) {
        int nearest = 0;
        float least = front[0];
        UNROLL
        for (int k = 1; k < K; k++)
            if (front[k] < least) {
                least = front[k];
                nearest = k;
            }
        if (!(least < LARGE))
            break;
        to->metric[n] = least;
        extend_path(to, n, from, nearest, level, (uint)((next[nearest] + most) * 0.5f));
        to->count = n + 1;
        advance(&next[nearest], &step[nearest], most);
        front[nearest] = fabs(next[nearest]) <= most
                             ? metric_of(from->metric[nearest], target[nearest], diagonal, next[nearest])
                             : LARGE;
    }
}
#else
/* One stream: levels 2 place + 1 and 2 place, every point of the alphabet below every survivor. */
INLINE void next_stream(const work_t *w, GLOBAL const float *model, int place, const list_t *from, list_t *to)
{
    const int high = 2 * place + 1, low = 2 * place;
    const uint high_axis = MODEL_AXIS(column_of(w, high));
    to->count = 0;
    for (int k = 0; k < from->count; k++) {
        float target[2] = { Y_OF(w, low), Y_OF(w, high) };
        for (int j = high + 1; j < LEVELS; j++) {
            const uint label = path_at(from->path + k * PATH_WORDS, j / 2);
            const float value = OWN_POINT(label, MODEL_AXIS(column_of(w, j)));
            target[0] -= R_OF(w, low, j) * value;
            target[1] -= R_OF(w, high, j) * value;
        }
        for (uint label = 0; label < OWN; label++) {
            const float a = OWN_POINT(label, high_axis), b = OWN_POINT(label, 1 - high_axis);
            const float x = target[1] - R_OF(w, high, high) * a;
            const float z = target[0] - R_OF(w, low, high) * a - R_OF(w, low, low) * b;
            const float metric = from->metric[k] + x * x + z * z;
            int at = to->count;
            if (at == K && !(metric < to->metric[K - 1]))
                continue;
            if (at < K)
                to->count++;
            else
                at = K - 1;
            for (; at > 0 && to->metric[at - 1] > metric; at--) {
                to->metric[at] = to->metric[at - 1];
                for (int word = 0; word < PATH_WORDS; word++)
                    to->path[at * PATH_WORDS + word] = to->path[(at - 1) * PATH_WORDS + word];
            }
            to->metric[at] = metric;
            extend_path(to, at, from, k, place, label);
        }
    }
}
#endif

/* Returns how many nodes that took. */
INLINE uint search(const work_t *w, GLOBAL const float *model, list_t *list, const room_t *room, int soft)
{
    list_t next;
    uint nodes = 0;
    (void)room;
    (void)soft;
    list->count = 1;
    list->metric[0] = 0;
    for (int word = 0; word < PATH_WORDS; word++)
        list->path[word] = 0;
    for (int place = PATH_LENGTH - 1; place >= 0; place--) {
#if OWN
        nodes += list->count * OWN;
        next_stream(w, model, place, list, &next);
#else
        nodes += list->count * POINTS_OF(column_of(w, place));
        next_level(w, model, place, list, &next);
#endif
        *list = next;
    }
    return nodes;
}
