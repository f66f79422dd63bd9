"""Responses for clradio sinr, and what NumPy makes of them: make FOLDER, check FOLDER (tests/test_tool_sinr.sh)."""

import pathlib
import sys

import numpy as np


def random(shape, seed):
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype("c8")


def sionna():
    return random((2, 3, 4, 3, 2, 2, 6), 1)  # batch, rx, rx_ant, tx, tx_ant, time, subcarrier


def first():
    return random((5, 2, 7, 3), 2)  # subcarrier, tx, user, rx


def make(folder):
    np.save(folder / "sionna.npy", sionna())
    np.save(folder / "first.npy", first())
    bad = random((4, 2, 2), 3)
    bad[1, 0, 1] = np.nan
    np.save(folder / "bad.npy", bad)
    np.save(folder / "far.npy", random((4, 2, 2), 3) * np.float32(1e25))  # squares that fp32 does not hold
    np.save(folder / "real.npy", np.ones((4, 2, 2)))


def mmse(h, g, noise):
    """h [..., rx, stream], g [..., rx, interferer]."""
    h, g = h.astype("c16"), g.astype("c16")
    r = g @ np.conj(np.swapaxes(g, -1, -2)) + noise * np.eye(h.shape[-2])
    a = np.eye(h.shape[-1]) + np.conj(np.swapaxes(h, -1, -2)) @ np.linalg.solve(r, h)
    return 1 / np.real(np.diagonal(np.linalg.inv(a), axis1=-2, axis2=-1)) - 1


def mrc(h, g, noise):
    h, g = h.astype("c16"), g.astype("c16")
    hh = np.abs(np.conj(np.swapaxes(h, -1, -2)) @ h) ** 2
    hg = (np.abs(np.conj(np.swapaxes(h, -1, -2)) @ g) ** 2).sum(-1)
    wanted = np.real(np.diagonal(hh, axis1=-2, axis2=-1))
    return wanted / (hh.sum(-1) - wanted + hg + noise * np.sqrt(wanted))


def split(h, serving):
    """[sector, ..., rx, stream] -> the serving one, and the others side by side."""
    others = [h[s] for s in range(h.shape[0]) if s != serving]
    return h[serving], np.concatenate(others, -1)


def near(what, got, wanted, tolerance=2e-4):
    assert got.shape == wanted.shape, f"{what}: {got.shape}, not {wanted.shape}"
    worst = np.max(np.abs(got - wanted) / (np.abs(wanted) + 1e-3))
    assert worst < tolerance, f"{what}: off by {worst}"


def check(folder):
    h = np.load(folder / "h.npy")  # link, rx, tx, subcarrier
    by_subcarrier = np.moveaxis(h, 3, 1)  # link, subcarrier, rx, tx
    nothing = np.zeros(by_subcarrier.shape[:-1] + (0,))
    alone = np.load(folder / "alone.npy")
    near("alone", alone, mmse(by_subcarrier, nothing, 2 / 10))
    near("decibels", np.load(folder / "decibels.npy"), 10 * np.log10(alone), 1e-5)
    strongest = int(np.argmax((np.abs(h) ** 2).sum((1, 2, 3))))
    near("strongest", np.load(folder / "strongest.npy"), mmse(*split(by_subcarrier, strongest), 0.01))
    near("third", np.load(folder / "third.npy"), mrc(*split(by_subcarrier, 3), 0.01))
    if (folder / "double.npy").exists():
        double = np.load(folder / "double.npy")
        assert double.dtype == "f8"
        near("double", double, mmse(*split(by_subcarrier, strongest), 0.01), 1e-10)
    h = np.moveaxis(sionna(), (3, 2, 4), (0, -2, -1))  # tx, batch, rx, time, subcarrier, rx_ant, tx_ant
    power = (np.abs(h) ** 2).sum((3, 4, 5, 6))  # tx, batch, rx
    wanted = np.empty(h.shape[1:5] + (2,))
    for b in range(2):
        for u in range(3):
            wanted[b, u] = mmse(*split(h[:, b, u], int(np.argmax(power[:, b, u]))), 0.3)
    near("sionna", np.load(folder / "sionna-s.npy"), wanted)
    h = np.moveaxis(first(), 1, 3)  # subcarrier, user, rx, tx
    near("antennas first", np.load(folder / "last.npy"), mmse(h, np.zeros(h.shape[:-1] + (0,)), 0.3))
    bad = np.load(folder / "bad-s.npy")
    assert np.isnan(bad[1]).all() and np.isfinite(bad[[0, 2, 3]]).all(), "what is not finite stays where it is"


if __name__ == "__main__":
    {"make": make, "check": check}[sys.argv[1]](pathlib.Path(sys.argv[2]))
