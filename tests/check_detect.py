"""Detection against NumPy: make FOLDER writes vectors and channels, check FOLDER compares what clradio detect found in them.

Everything is decided again by enumeration in complex128: the vector that minimises |y - H s|^2, whitened where there is a
covariance, and max-log LLRs from the same distances. Labels are those of 3GPP TS 38.211, clause 5.1.
"""
import itertools
import pathlib
import sys

import h5py
import numpy as np
import scipy.io


def points(bits):
    """All points of a QAM of that many bits, label by label, unit energy."""
    made = []
    for label in range(1 << bits):
        b = [label >> (bits - 1 - k) & 1 for k in range(bits)]
        axis = []
        for first in (0, 1):
            own = [1 - 2 * x for x in b[first::2]]
            level = own[-1] if len(own) == 1 else None
            if level is None:
                level = 1
                for k in range(len(own) - 1, 0, -1):
                    level = (1 << (len(own) - k)) - own[k] * level
                level = own[0] * level
            axis.append(level)
        made.append(axis[0] + 1j * axis[1])
    made = np.array(made)
    return made / np.sqrt(np.mean(np.abs(made) ** 2))


def draw(seed, vectors, channels, rx, bits, n0, covariance=None):
    rng = np.random.default_rng(seed)
    tx = len(bits)
    truth = np.stack([rng.integers(0, 1 << b, vectors) for b in bits], axis=1)
    sent = np.stack([points(b)[truth[:, k]] for k, b in enumerate(bits)], axis=1)
    h = (rng.normal(size=(channels, rx, tx)) + 1j * rng.normal(size=(channels, rx, tx))) / np.sqrt(2)
    noise = (rng.normal(size=(vectors, rx)) + 1j * rng.normal(size=(vectors, rx))) * np.sqrt(n0 / 2)
    if covariance is not None:
        noise = noise @ np.linalg.cholesky(covariance).T
    which = np.arange(vectors) // (vectors // channels)
    y = np.einsum("vrt,vt->vr", h[which], sent) + noise
    return y.astype("c8"), h.astype("c8"), truth


def covariance(rx):
    rng = np.random.default_rng(99)
    a = rng.normal(size=(rx, rx)) + 1j * rng.normal(size=(rx, rx))
    return (a @ a.conj().T / rx + 0.05 * np.eye(rx)).astype("c8")


def distances(y, h, bits, whitener=None):
    """All label vectors, and |y - H s|^2 of each for each vector."""
    labels = np.array(list(itertools.product(*[range(1 << b) for b in bits])))
    symbols = np.stack([points(b)[labels[:, k]] for k, b in enumerate(bits)], axis=1)
    which = np.arange(len(y)) // (len(y) // len(h))
    error = y.astype("c16")[:, None, :] - np.einsum("vrt,lt->vlr", h.astype("c16")[which], symbols)
    if whitener is not None:
        error = error @ whitener.T
    return labels, (np.abs(error) ** 2).sum(axis=2)


def llrs(labels, metric, bits, n0):
    made = []
    for k, b in enumerate(bits):
        for bit in range(b):
            one = (labels[:, k] >> (b - 1 - bit) & 1).astype(bool)
            made.append((metric[:, one].min(axis=1) - metric[:, ~one].min(axis=1)) / n0)
    return np.stack(made, axis=1)


CASES = {
    "each": dict(seed=1, vectors=300, channels=300, rx=2, bits=[4, 4], n0=0.05),
    "shared": dict(seed=2, vectors=200, channels=1, rx=3, bits=[4, 4], n0=0.1),
    "groups": dict(seed=3, vectors=240, channels=20, rx=2, bits=[2, 6], n0=0.02),
}


def make(folder):
    for name, case in CASES.items():
        y, h, truth = draw(**case)
        extra = {} if name == "groups" else {"noise": np.float64(case["n0"])}
        np.savez(folder / f"{name}.npz", y=y, h=h[0] if name == "shared" else h, truth=truth, **extra)
    y, h, truth = draw(**CASES["each"])
    np.save(folder / "y.npy", y)
    np.save(folder / "h.npy", np.asfortranarray(h))
    scipy.io.savemat(folder / "each.mat", {"y": y, "H": h, "truth": truth.astype(float)})
    with h5py.File(folder / "each.h5", "w") as file:
        file["link/received"], file["link/channel"], file["link/sent"] = y, h, truth
    cov = covariance(3)
    y, h, truth = draw(4, 200, 200, 3, [4, 4], 0.2, cov)
    np.savez(folder / "coloured.npz", y=y, h=h, truth=truth, noise=cov * 0.2)
    y, h, truth = draw(**CASES["each"])
    y[7, 1] = np.nan
    np.savez(folder / "bad.npz", y=y, h=h)
    np.savez(folder / "uneven.npz", y=y[:7], h=h[:3])


def same(name, got, wanted):
    assert got.shape == wanted.shape, (name, got.shape, wanted.shape)
    assert np.array_equal(got, wanted), (name, np.flatnonzero((got != wanted).any(axis=-1))[:5])
    print(name, "the same")


def check(folder):
    for name, case in CASES.items():
        y, h, _ = draw(**case)
        labels, metric = distances(y, h, case["bits"])
        best = labels[metric.argmin(axis=1)]
        answer = np.load(folder / f"{name}-answer.npz")
        same(name, answer["symbols"], best)
        assert not answer["status"].any(), name
        assert np.allclose(answer["metric"], metric.min(axis=1), rtol=1e-4, atol=1e-5), name
        if "llr" in answer:
            wanted = np.clip(llrs(labels, metric, case["bits"], case["n0"]), -100, 100)
            assert np.abs(answer["llr"] - wanted).max() < 1e-2, np.abs(answer["llr"] - wanted).max()
            print(name, "LLRs agree")
        if "bits" in answer:
            found = np.concatenate([(best[:, [k]] >> np.arange(b - 1, -1, -1)) & 1 for k, b in enumerate(case["bits"])], axis=1)
            same(name + " bits", answer["bits"], found)
    y, h, _ = draw(**CASES["each"])
    labels, metric = distances(y, h, [4, 4])
    best = labels[metric.argmin(axis=1)]
    same(".npy", np.load(folder / "symbols.npy"), best)
    if (folder / "ml.npy").exists():
        same("ml", np.load(folder / "ml.npy"), best)
    if (folder / "answer5.mat").exists():
        same(".mat", scipy.io.loadmat(folder / "answer5.mat")["symbols"], best)
    if (folder / "answer.h5").exists():
        with h5py.File(folder / "answer.h5") as file:
            same("HDF5", file["symbols"][()], best)
    whitener = np.linalg.inv(np.linalg.cholesky(covariance(3).astype("c16") * 0.2))
    y, h, _ = draw(4, 200, 200, 3, [4, 4], 0.2, covariance(3))
    labels, metric = distances(y, h, [4, 4], whitener)
    same("coloured noise", np.load(folder / "coloured-answer.npz")["symbols"], labels[metric.argmin(axis=1)])
    labels, metric = distances(y[:, [2, 0]], h[:, [2, 0]], [4, 4], np.linalg.inv(np.linalg.cholesky(covariance(3).astype("c16")[np.ix_([2, 0], [2, 0])] * 0.2)))
    same("two of three antennas", np.load(folder / "two.npy"), labels[metric.argmin(axis=1)])
    bad = np.load(folder / "bad-answer.npz")
    assert bad["status"][7] == 4 and not np.delete(bad["status"], 7).any()
    same("beside a bad vector", np.delete(bad["symbols"], 7, 0), np.delete(best, 7, 0))


if __name__ == "__main__":
    {"make": make, "check": check}[sys.argv[1]](pathlib.Path(sys.argv[2]))
