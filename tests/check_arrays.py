"""Array files against NumPy, h5py and SciPy: make FOLDER writes files, check FOLDER compares what clradio made of them.

make: one file IN.<suffix> for each way to write, with the arrays of sample(). The test script turns each into
OUT.<in>.<format> by clradio's reader and writer, and check reads those with the Python libraries.
"""
import pathlib
import sys

import h5py
import numpy as np
import scipy.io

TYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16"]


def sample(code, shape, seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 100, shape) - (0 if code[0] == "u" else 50)
    if code[0] == "c":
        values = values + 1j * rng.integers(-50, 50, shape)
    if code[0] in "fc":
        values = values / 8
    return np.asarray(values, dtype=code)


def arrays(several=True):
    shapes = [(5,), (3, 4), (2, 3, 4), (7, 1, 2, 3), (300, 70)]
    made = {}
    for k, code in enumerate(TYPES):
        made["x_" + code] = sample(code, shapes[k % len(shapes)], k)
    return made


def make(folder):
    made = arrays()
    for k, (name, values) in enumerate(made.items()):
        turned = values.astype(values.dtype.newbyteorder(">")) if k % 2 else values
        turned = np.asfortranarray(turned) if k % 3 else turned
        np.save(folder / f"in-{name}.npy", turned)
    np.savez(folder / "in-all.npz", **made)
    np.savez_compressed(folder / "in-packed.npz", **made)
    with h5py.File(folder / "in-plain.h5", "w") as file:
        for name, values in made.items():
            file.create_dataset("group/" + name, data=values.astype(values.dtype.newbyteorder(">")))
        file["group/a text"] = "not an array of numbers"
        file["group/nothing"] = h5py.Empty("f8")  # a type without elements, as pyuvdata writes some
    with h5py.File(folder / "in-packed.h5", "w") as file:
        for k, (name, values) in enumerate(made.items()):
            how = {"compression": ["gzip", "lzf"][k % 2], "shuffle": True} if values.size > 1 else {}
            data = file.create_dataset(name, data=values, **how)
            for axis in range(values.ndim):
                data.dims[axis].label = f"axis{axis}"
    with h5py.File(folder / "in-scales.h5", "w") as file:
        for name, values in made.items():
            data = file.create_dataset(name, data=values)
            for axis in range(values.ndim):
                scale = file.require_group("scales").create_dataset(f"{name}_{axis}", data=np.arange(values.shape[axis]))
                scale.make_scale(f"s{axis}")
                data.dims[axis].attach_scale(scale)
    scipy.io.savemat(folder / "in-plain.mat", made)
    scipy.io.savemat(folder / "in-packed.mat", made, do_compression=True)
    scipy.io.savemat(folder / "in-field.mat", {"channel": made})


def read(path, kind):
    if kind == "npy":
        return {"a": np.load(path)}
    if kind == "npz":
        return dict(np.load(path))
    if kind == "mat":
        return {k: v for k, v in scipy.io.loadmat(path).items() if k[0] != "_"}
    found = {}
    with h5py.File(path, "r") as file:
        def take(name, item):
            if not isinstance(item, h5py.Dataset):
                return
            values = item[()]
            if kind == "mat7.3":
                assert file.userblock_size == 512, path
                wanted = {"f": "double", "i": "int64"}.get(values.dtype.kind, "double")
                assert item.attrs["MATLAB_class"].decode() == wanted, (path, name, item.attrs["MATLAB_class"])
                if values.dtype.names:
                    values = values["real"] + 1j * values["imag"]
                values = values.T
            found[name] = values
        file.visititems(take)
    if kind == "mat7.3":
        with open(path, "rb") as file:
            head = file.read(128)
        assert head.startswith(b"MATLAB 7.3 MAT-file") and head[124:] == b"\x00\x02IM", path
    return found


def check(folder):
    made = arrays()
    count = 0
    for path in sorted(folder.glob("out.*")):
        _, source, kind = path.name.split("@")
        found = read(path, kind)
        if source.endswith(".npy"):
            found = {source[3:-4]: found.popitem()[1]}
            wanted = {source[3:-4]: made[source[3:-4]]}
        else:
            wanted = made
        for name, values in wanted.items():
            got = found[name]
            if "mat" in kind or source.endswith(".mat"):  # nothing there has fewer than two axes
                values = np.asarray(values)
                got = got.reshape(values.shape) if got.size == values.size and min(values.ndim, got.ndim) < 2 else got
            assert got.shape == values.shape, (path, name, got.shape, values.shape)
            assert np.array_equal(got, values), (path, name)
            assert got.dtype.kind == values.dtype.kind.replace("u", "i"), (path, name, got.dtype)
            count += 1
    for source, label in (("in-packed.h5", "axis"), ("in-scales.h5", "x_")):
        with h5py.File(folder / f"out.@{source}@hdf5", "r") as file:
            data = file["x_i8"]
            for axis in range(data.ndim):
                name = data.dims[axis].label
                assert name == (f"axis{axis}" if label == "axis" else f"x_i8_{axis}"), (source, name)
    print(f"{count} arrays agree")
    assert count > 200


if __name__ == "__main__":
    {"make": make, "check": check}[sys.argv[1]](pathlib.Path(sys.argv[2]))
