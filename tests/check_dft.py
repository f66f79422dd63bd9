"""Responses against NumPy: make FOLDER writes channel taps as other tools do, check FOLDER compares what clradio dft made of them.

Everything is written again from the definition H = sum a exp(-2 pi i f tau) in complex128, with einsum over named axes.
"""
import json
import pathlib
import sys

import h5py
import numpy as np
import scipy.io

N = 64
CENTRE = (np.arange(N) - N // 2) * 30e3
ZERO = np.arange(N) * 30e3


def gains(seed, *shape):
    rng = np.random.default_rng(seed)
    return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype("c8")


def delays(seed, *shape):
    return np.random.default_rng(seed).random(shape) * 1e-6


def turn(tau, f):
    return np.exp(-2j * np.pi * np.asarray(tau)[..., None] * f)


def sionna():
    a, tau = gains(1, 2, 1, 2, 3, 4, 7, 5), delays(2, 2, 1, 3, 7)
    tau[0, 0, 1, 5:] = -1
    return a, tau


def with_antennas():
    a, tau = gains(3, 2, 3, 2, 2, 5, 2), delays(4, 2, 3, 2, 2, 5)
    tau[1, 2, 0, 1, 3:] = -1
    return a, tau


def quadriga():
    return gains(5, 2, 3, 6, 4).astype("c16"), delays(6, 2, 3, 6, 4)


def channels(snapshots):
    """quadriga-lib's: coefficients [path][tx][rx] of every link, delays alike or [path][1][1], by the names of their groups."""
    links = {}
    for n in range(12):
        name = f"channel_{n // snapshots}" + (f"/Snap_{n % snapshots}" if snapshots > 1 else "")
        paths, own = 1 + 5 * n % 7, snapshots > 1 and n % 3
        links[name] = gains(20 + n, paths, 3, 2), delays(40 + n, paths, *((3, 2) if own else (1, 1))).astype("f4")
    return links


def deepmimo():
    rng = np.random.default_rng(7)
    power, phase, delay = rng.uniform(-90, -60, (9, 5)), rng.uniform(-180, 180, (9, 5)), delays(8, 9, 5)
    for user in range(9):
        for values in (power, phase, delay):
            values[user, user % 6:] = np.nan
    return power, phase, delay


def ragged():
    paths, taps = [2, 0, 1, 3], [4, 3, 0, 6]
    return paths, taps, gains(9, sum(p * t for p, t in zip(paths, taps))), delays(10, sum(taps))


def moving():
    return gains(11, 3, 2, 2, 4), delays(12, 3, 4), np.random.default_rng(13).uniform(-200, 200, (3, 4))


def rays():
    rng = np.random.default_rng(14)
    lines = []
    for pair in range(3):
        counts = [4, 1, 7][: pair + 1]
        lines.append({"TX": pair, "RX": 9,
                      "Delay": [list(rng.random(n) * 1e-7) for n in counts],
                      "Gain": [list(rng.uniform(-100, -60, n)) for n in counts],
                      "Phase": [list(rng.uniform(0, 6, n)) for n in counts]})
    return lines


def make(folder):
    a, tau = sionna()
    np.save(folder / "a.npy", np.asfortranarray(a))
    np.save(folder / "tau.npy", tau.astype(">f8"))
    np.save(folder / "taps3.npy", tau[..., :3])
    a, tau = with_antennas()
    np.savez_compressed(folder / "rt.npz", a=a, tau=tau)
    coeff, delay = quadriga()
    scipy.io.savemat(folder / "qd.mat", {"channel": {"coeff": coeff, "delay": delay, "name": "BS_UE"}})
    for snapshots in (1, 4):
        with h5py.File(folder / f"qdlib{snapshots}.h5", "w") as file:
            for name, (coeff, delay) in channels(snapshots).items():
                group = file.create_group(name)
                group["coeff_re"], group["coeff_im"], group["delay"] = coeff.real, coeff.imag, delay
                group["path_gain"] = np.ones(len(coeff), "f4")
    for bad in ("lacks", "differs", "delays"):
        with h5py.File(folder / f"qd{bad}.h5", "w") as file:
            for n in range(2):
                group = file.create_group(f"channel_{n}")
                group["coeff_re"] = np.ones((5, 3, 2 + n if bad == "differs" else 2), "f4")
                if bad != "lacks" or not n:
                    group["coeff_im"] = group["coeff_re"][()]
                group["delay"] = np.ones((5, 1, 2 if bad == "delays" and n else 1), "f4")
    power, phase, delay = deepmimo()
    np.savez(folder / "deep.npz", power=power.astype("f4"), phase=phase.astype("f4"), delay=delay)
    paths, taps, gain, delay = ragged()
    np.savez(folder / "ragged.npz", gain=gain, delay=delay, link_paths=np.cumsum([0] + paths), link_taps=np.cumsum([0] + taps))
    gain, delay, rate = moving()
    np.savez(folder / "moving.npz", gain=gain, delay=delay, rate=rate)
    with h5py.File(folder / "named.h5", "w") as file:
        # [tap][antenna][cell], by names alone
        file["gain"] = np.moveaxis(gain[0], -1, 0)
        file["delay"] = delay[0]
        for name, labels in (("gain", ["tap", "antenna", "cell"]), ("delay", ["tap"])):
            for axis, label in enumerate(labels):
                file[name].dims[axis].label = label
    np.savez(folder / "grid.npz", gain=gains(17, 3, 4, 12), delay=np.arange(12.0))
    (folder / "rays.json").write_text("\n".join(json.dumps(line) for line in rays()) + "\n")
    bad = gains(15, 2, 3)
    bad[1, 1] = np.nan
    np.savez(folder / "bad.npz", gain=bad, delay=delays(16, 3))


def near(name, got, wanted, bound):
    assert got.shape == wanted.shape, (name, got.shape, wanted.shape)
    error = np.abs(got - wanted).max()
    assert error <= bound * np.abs(wanted).max(), (name, error)
    print(name, "error", error)


def check(folder):
    a, tau = sionna()
    turned = turn(np.where(tau < 0, 0, tau), CENTRE) * (tau >= 0)[..., None]
    wanted = np.einsum("brsTtpx,brTpf->brsTtxf", a.astype("c16"), turned)
    near("sionna", np.load(folder / "sionna.npy"), wanted, 1e-6)
    made = np.load(folder / "sionna64.npz")
    near("sionna in double", made["h"], wanted, 1e-13)
    assert np.array_equal(made["frequency"], CENTRE)
    a, tau = with_antennas()
    turned = turn(np.where(tau < 0, 0, tau), CENTRE) * (tau >= 0)[..., None]
    near("delays of antennas", np.load(folder / "antennas.npy"), np.einsum("rsTtpx,rsTtpf->rsTtxf", a.astype("c16"), turned), 1e-6)
    power, phase, delay = deepmimo()
    gain = np.nan_to_num(10 ** (power.astype("f4").astype(float) / 20) * np.exp(1j * np.deg2rad(phase.astype("f4").astype(float))))
    wanted = np.einsum("up,upf->uf", gain, turn(np.nan_to_num(delay), ZERO))
    near("deepmimo", np.load(folder / "deepmimo.npz")["channel"], wanted, 1e-6)
    paths, taps, gain, delay = ragged()
    rows, at, tap = [], 0, 0
    for p, t in zip(paths, taps):
        rows.append(gain[at:at + p * t].reshape(p, t).astype("c16") @ turn(delay[tap:tap + t], CENTRE).reshape(t, N))
        at, tap = at + p * t, tap + t
    near("ragged", np.load(folder / "own.npz")["response"], np.concatenate(rows), 1e-6)
    gain, delay, rate = moving()
    times = np.exp(2j * np.pi * rate[None] * (np.arange(3) * 1e-3)[:, None, None])
    wanted = np.einsum("lijp,xlp,lpf->xlijf", gain.astype("c16"), times, turn(delay, CENTRE))
    near("moving", np.load(folder / "rates.npz")["response"], wanted, 1e-6)
    for snapshots in (1, 4) if (folder / "qdlib1.npy").exists() else ():
        wanted = [np.einsum("ptr,ptrf->rtf", coeff.astype("c16"), turn(np.broadcast_to(delay, coeff.shape).astype(float), CENTRE))
                  for coeff, delay in channels(snapshots).values()]
        near(f"quadriga-lib, {snapshots} snapshots", np.load(folder / f"qdlib{snapshots}.npy"), np.array(wanted), 1e-6)
    if (folder / "quadriga.mat").exists():
        coeff, tau = quadriga()
        wanted = np.einsum("uspt,usptf->usft", coeff, turn(tau, ZERO))
        with h5py.File(folder / "quadriga.mat") as file:
            got = file["response"][()]
        near("quadriga 7.3", (got["real"] + 1j * got["imag"]).T, wanted, 1e-13)
        near("quadriga 5", scipy.io.loadmat(folder / "quadriga5.mat")["response"], wanted, 1e-6)
        with h5py.File(folder / "named.h5.h5") as file:
            assert [d.label for d in file["response"].dims] == ["antenna", "cell", "subcarrier"]
            near("named axes", file["response"][()], np.einsum("ijp,pf->ijf", gain[0].astype("c16"), turn(delay[0], CENTRE)), 1e-6)
    if (folder / "rays.npy").exists():
        rows = []
        for line in rays():
            for d, g, p in zip(line["Delay"], line["Gain"], line["Phase"]):
                rows.append((10 ** (np.array(g) / 20) * np.exp(1j * np.array(p))) @ turn(d, CENTRE))
        near("rays", np.load(folder / "rays.npy"), np.array(rows), 1e-6)
    bad = np.load(folder / "bad.npy")
    assert not bad[1].any() and bad[0].all(), "a path that is not finite is zero, its neighbour is not"


if __name__ == "__main__":
    {"make": make, "check": check}[sys.argv[1]](pathlib.Path(sys.argv[2]))
