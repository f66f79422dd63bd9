/*
 * The tile that the F-engine's kernels turn in local memory: 256 values, 2^signals_log2 signals by 2^(8 - signals_log2) points
 * (samples, or channels) of a piece with piece_signals signals. A work-group of 256 owns a tile, a work-item one value of it
 * when the tile is filled and another one when it is emptied: along the signals in one direction, along the points in the other,
 * as the arrays on each side lie. No parameters; only included.
 */
#include "common.cl"

/* In rows that are one longer than a power of two, against bank conflicts: at most 256 + 32. */
#define TILE_VALUES 288

typedef struct tile_place {
    uint signals_log2, points_log2;
    uint first_signal, first_point;
} tile_place;

/* Where a work-item is: signal and point in the piece, and its value in the local array. */
typedef struct tile_item {
    uint signal, point, at;
} tile_item;

INLINE tile_place tile_of_group(const uint piece_signals, const uint signals_log2)
{
    tile_place tile;
    const uint tiles = (piece_signals + (1u << signals_log2) - 1) >> signals_log2;
    /* Remainders by a product: LLVM's pair of division and remainder stops Oclgrind. */
    const uint tile_row = (uint)GROUP_ID(0) / tiles;
    tile.signals_log2 = signals_log2;
    tile.points_log2 = 8 - signals_log2;
    tile.first_signal = ((uint)GROUP_ID(0) - tile_row * tiles) << signals_log2;
    tile.first_point = tile_row << tile.points_log2;
    return tile;
}

INLINE tile_item tile_item_at(const tile_place tile, const uint signal, const uint point)
{
    tile_item item;
    item.signal = tile.first_signal + signal;
    item.point = tile.first_point + point;
    item.at = signal * ((1u << tile.points_log2) + 1) + point;
    return item;
}

INLINE tile_item tile_along_signals(const tile_place tile)
{
    const uint id = (uint)LOCAL_ID(0);
    return tile_item_at(tile, id & ((1u << tile.signals_log2) - 1), id >> tile.signals_log2);
}

INLINE tile_item tile_along_points(const tile_place tile)
{
    const uint id = (uint)LOCAL_ID(0);
    return tile_item_at(tile, id >> tile.points_log2, id & ((1u << tile.points_log2) - 1));
}
