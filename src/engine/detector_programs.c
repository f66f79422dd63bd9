/* The detector's programs and kernels. */
#include "engine/detector_internal.h"

enum { MOST_MACROS = 32 };

typedef struct macro_list {
    clr_macro macros[MOST_MACROS];
    size_t n;
} macro_list;

static void add(macro_list *list, const char *name, int64_t value)
{
    list->macros[list->n++] = (clr_macro){ name, value };
}

static void add_shape(macro_list *list, const clradio_detector *plan)
{
    const clradio_detector_config *config = &plan->config;
    add(list, "TX", config->transmit);
    add(list, "RX", config->receive);
    add(list, "LEVELS", plan->shape.levels);
    add(list, "POINTS", plan->shape.points);
    add(list, "BITS", plan->shape.bits);
    add(list, "SYMBOL_BYTES", plan->shape.symbol_bytes);
    add(list, "UNROLLED", clr_device_info(plan->device)->kind != CLRADIO_DEVICE_CPU);
}

/* begins: what comes after the program has a use for a first radius. */
static void add_search(macro_list *list, const clradio_detector *plan, int begins)
{
    add(list, "ORDERING",
        plan->config.method == CLRADIO_DETECTOR_ML ? CLRADIO_ORDERING_NONE : plan->config.ordering);
    add(list, "RADIUS", plan->alphabet || !begins ? CLRADIO_RADIUS_INFINITE : plan->config.radius);
}

static void add_soft(macro_list *list, const clradio_detector *plan)
{
    add(list, "SOFT", (plan->config.flags & CLRADIO_DETECTOR_SOFT) != 0);
    add(list, "LLR_BYTE", plan->config.llr_type == CLRADIO_I8);
}

static clradio_status get_prepare(clradio_detector *plan)
{
    macro_list list = { .n = 0 };
    add_shape(&list, plan);
    add_search(&list, plan, plan->config.method == CLRADIO_DETECTOR_SPHERE);
    add(&list, "CTA_SIZE", plan->threads);
    add(&list, "SHARED", plan->shape.shared);
    add(&list, "PAIRED", plan->alphabet != NULL);
    add(&list, "WHITEN", plan->shape.whitened);
    add(&list, "FULL", plan->config.method == CLRADIO_DETECTOR_FSD ? plan->config.full_streams : 0);
    add(&list, "COLUMNS", plan->values[CLR_DETECTOR_COLUMNS]);
    add(&list, "DESCENT", plan->values[CLR_DETECTOR_DESCENT]);
    add(&list, "PAIRS", plan->values[CLR_DETECTOR_PAIRS]);
    clradio_status status = clr_program_get(plan->device, "detector_prepare.cl", list.macros,
                                            list.n, &plan->prepare_program);
    if (!status && !plan->shape.shared)
        return clr_kernel_create(plan->prepare_program, "detector_prepare", &plan->prepare);
    if (!status)
        status =
            clr_kernel_create(plan->prepare_program, "detector_prepare_channels", &plan->prepare);
    if (!status)
        status = clr_kernel_create(plan->prepare_program, "detector_prepare_vectors",
                                   &plan->prepare_vectors);
    return status;
}

static clradio_status get_lane(clradio_detector *plan)
{
    macro_list list = { .n = 0 };
    const clradio_device_info *device = clr_device_info(plan->device);
    add_shape(&list, plan);
    add(&list, "RADIUS", plan->config.radius);
    add(&list, "CTA_SIZE", plan->values[CLR_DETECTOR_CTA_SIZE]);
    add(&list, "REFILL", plan->values[CLR_DETECTOR_REFILL]);
    add(&list, "STEPS", plan->values[CLR_DETECTOR_STEPS]);
    add(&list, "QUEUE", plan->values[CLR_DETECTOR_QUEUE]);
    add(&list, "STACK", plan->values[CLR_DETECTOR_STACK]);
    add(&list, "FLAT", plan->values[CLR_DETECTOR_FLAT]);
    add(&list, "HALVES", plan->values[CLR_DETECTOR_HALVES]);
    add(&list, "LISTED", plan->values[CLR_DETECTOR_DESCENT] != 0);
    add(&list, "WAVE", device->kind == CLRADIO_DEVICE_CPU ? 1 : 32);
    clradio_status status = clr_program_get(plan->device, "detector_lane.cl", list.macros, list.n,
                                            &plan->search_program);
    return status ? status
                  : clr_kernel_create(plan->search_program, "detector_lane", &plan->search);
}

static clradio_status get_group(clradio_detector *plan, int list_pass, clr_program **program,
                                clr_kernel **kernel)
{
    macro_list list = { .n = 0 };
    const int64_t *v = plan->values;
    add_shape(&list, plan);
    add_search(&list, plan, 1);
    add(&list, "CTA_SIZE", list_pass ? v[CLR_DETECTOR_AGAIN] : v[CLR_DETECTOR_CTA_SIZE]);
    add(&list, "TREES_PER_CTA", list_pass ? 1 : v[CLR_DETECTOR_TREES]);
    add(&list, "ROUND", v[CLR_DETECTOR_ROUND]);
    add(&list, "LIST", list_pass);
    add(&list, "WHITEN", list_pass && plan->shape.whitened);
    add(&list, "COMPENSATED", list_pass && v[CLR_DETECTOR_COMPENSATED]);
    add(&list, "DOUBLE",
        list_pass && clr_device_info(plan->device)->fp64 && !v[CLR_DETECTOR_COMPENSATED] &&
            plan->config.precision != CLRADIO_PRECISION_FLOAT);
    const int walks = list_pass && clr_launch_walks(plan->config.launch);
    if (walks) {
        clr_launch_macros(plan->config.launch, plan->launch_values, list.macros + list.n);
        list.n += CLR_CHILDREN_MACROS;
    }
    clradio_status status =
        clr_program_get(plan->device, walks ? "detector_children.cl" : "detector_group.cl",
                        list.macros, list.n, program);
    if (!status)
        status = clr_kernel_create(*program, "detector_group", kernel);
    return status || !walks ? status
                            : clr_kernel_create(*program, "detector_children", &plan->parent);
}

/* The kernel of another method: its file and entry are named like it, but for the two linear ones.
 */
static clradio_status get_method(clradio_detector *plan)
{
    static const struct {
        const char *file, *entry;
    } kernels[] = { [CLRADIO_DETECTOR_KBEST] = { "detector_kbest.cl", "detector_kbest" },
                    [CLRADIO_DETECTOR_FSD] = { "detector_fsd.cl", "detector_fsd" },
                    [CLRADIO_DETECTOR_MMSE] = { "detector_linear.cl", "detector_linear" },
                    [CLRADIO_DETECTOR_ZF] = { "detector_linear.cl", "detector_linear" },
                    [CLRADIO_DETECTOR_ML] = { "detector_ml.cl", "detector_ml" } };
    const clradio_detector_method method = plan->config.method;
    macro_list list = { .n = 0 };
    add_shape(&list, plan);
    add_soft(&list, plan);
    add(&list, "CTA_SIZE", plan->threads);
    add(&list, "WHITEN", plan->shape.whitened);
    add(&list, "MMSE", method == CLRADIO_DETECTOR_MMSE);
    if (!plan->prepare) /* it reads the channel itself */
        add(&list, "PAIRS", plan->values[CLR_DETECTOR_PAIRS]);
    add(&list, "K", plan->config.candidates);
    add(&list, "FRONTS", plan->values[CLR_DETECTOR_FRONTS]);
    add(&list, "FULL", plan->config.full_streams);
    add(&list, "OWN", plan->alphabet ? plan->config.alphabet_size : 0);
    clradio_status status = clr_program_get(plan->device, kernels[method].file, list.macros, list.n,
                                            &plan->search_program);
    return status ? status
                  : clr_kernel_create(plan->search_program, kernels[method].entry, &plan->search);
}

static clradio_status get_soft(clradio_detector *plan)
{
    macro_list list = { .n = 0 };
    add_shape(&list, plan);
    add_soft(&list, plan);
    add(&list, "CTA_SIZE", plan->threads);
    clradio_status status =
        clr_program_get(plan->device, "detector_soft.cl", list.macros, list.n, &plan->soft_program);
    return status ? status : clr_kernel_create(plan->soft_program, "detector_soft", &plan->soft);
}

static clradio_status get_whiten(clradio_detector *plan)
{
    macro_list list = { .n = 0 };
    add_shape(&list, plan);
    add(&list, "CTA_SIZE", plan->threads);
    clradio_status status = clr_program_get(plan->device, "detector_whiten.cl", list.macros, list.n,
                                            &plan->whiten_program);
    return status ? status
                  : clr_kernel_create(plan->whiten_program, "detector_whiten", &plan->whiten);
}

static clradio_status get_count(clradio_detector *plan)
{
    const clr_macro macros[] = { { "CTA_SIZE", plan->threads } };
    clradio_status status =
        clr_program_get(plan->device, "detector_statistics.cl", macros, 1, &plan->count_program);
    if (!status)
        status = clr_kernel_create(plan->count_program, "detector_count", &plan->count);
    if (!status)
        status = clr_kernel_create(plan->count_program, "detector_sum", &plan->sum);
    if (!status)
        status = clr_kernel_create(plan->count_program, "detector_list_all", &plan->list_all);
    return status;
}

clradio_status clr_detector_get_programs(clradio_detector *plan)
{
    clradio_status status = CLRADIO_OK;
    const clradio_detector_method method = plan->config.method;
    const int linear = method == CLRADIO_DETECTOR_MMSE || method == CLRADIO_DETECTOR_ZF;
    const int soft =
        method == CLRADIO_DETECTOR_SPHERE && (plan->config.flags & CLRADIO_DETECTOR_SOFT);
    const int again = plan->final_budget && !plan->alphabet &&
                      (method == CLRADIO_DETECTOR_SPHERE || method == CLRADIO_DETECTOR_ML);
    if (!linear && (plan->variant != CLR_DETECTOR_WIDE || soft))
        status = get_prepare(plan);
    if (!status && plan->shape.whitened)
        status = get_whiten(plan);
    if (!status && plan->variant == CLR_DETECTOR_LANE)
        status = get_lane(plan);
    if (!status && plan->variant == CLR_DETECTOR_GROUP)
        status = get_group(plan, 0, &plan->search_program, &plan->search);
    if (!status && plan->variant == CLR_DETECTOR_METHOD)
        status = get_method(plan);
    if (!status && soft)
        status = get_soft(plan);
    if (!status && again)
        status = get_group(plan, 1, &plan->again_program, &plan->again);
    return status ? status : get_count(plan);
}

void clr_detector_programs_proved(clradio_detector *plan)
{
    clr_program *const all[] = { plan->prepare_program, plan->search_program, plan->again_program,
                                 plan->whiten_program,  plan->soft_program,   plan->count_program };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i])
            clr_program_proved(all[i]);
}

void clr_detector_release_programs(clradio_detector *plan)
{
    clr_kernel *const kernels[] = {
        plan->prepare, plan->prepare_vectors, plan->search, plan->again,    plan->whiten,
        plan->soft,    plan->count,           plan->sum,    plan->list_all, plan->parent
    };
    clr_program *const all[] = { plan->prepare_program, plan->search_program, plan->again_program,
                                 plan->whiten_program,  plan->soft_program,   plan->count_program };
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        clr_kernel_release(kernels[i]);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        clr_program_release(all[i]);
}
