"""Checks a UVH5 file with other people's readers: h5py for its structure, pyuvdata for what it means.

usage: check_uvh5.py structure FILE
       check_uvh5.py sky FILE AZIMUTH ELEVATION POLARISED PHASE [DEAD_STATION]
       check_uvh5.py mutate FILE NEW_FILE conjugate|swap|reverse

structure: every item of the format has its name, shape and type.
sky: the file holds one point source at that azimuth (north through east) and elevation in degrees,
    whose X and Y share the fraction POLARISED of their power, Y being PHASE degrees ahead of X; the
    Y of DEAD_STATION sees nothing of it. Read with the strict uvw check and phased to the source,
    every cross-correlation must have phase zero in every part of the band, XY the phase PHASE and YX
    the opposite.
mutate: spoils a file, to show that the check can fail.
"""

import shutil
import sys

import h5py
import numpy as np

# Phase errors allowed, in radians: noise leaves 0.01 in an eighth of the band of the files checked.
ZERO_RAD = 0.08


def fail(sentence):
    print(sentence)
    sys.exit(1)


def expect(truth, sentence):
    if not truth:
        fail(sentence)


def check_text(header, name):
    kind = header[name].dtype
    expect(kind.kind == "S" and header[name].shape == (), f"{name} is no fixed-length text")


def structure(path):
    with h5py.File(path, "r") as file:
        header, data = file["Header"], file["Data"]
        for name in ("telescope_name", "instrument", "history", "version", "vis_units"):
            check_text(header, name)
        expect(header["version"][()] == b"1.2", "version is not 1.2")
        count = {}
        for name in ("Nants_data", "Nants_telescope", "Nbls", "Nblts", "Nspws", "Nfreqs", "Npols",
                     "Ntimes", "Nphase"):
            expect(header[name].shape == () and header[name].dtype.kind == "i", f"{name} is no integer")
            count[name] = int(header[name][()])
        rows, channels, antennas = count["Nblts"], count["Nfreqs"], count["Nants_telescope"]
        expect(count["Nbls"] == antennas * (antennas + 1) // 2, "Nbls is not that of all pairs")
        expect(rows == count["Nbls"] * count["Ntimes"], "Nblts is not Nbls x Ntimes")
        for name in ("latitude", "longitude", "altitude"):
            expect(header[name].shape == () and header[name].dtype.kind == "f", f"{name} is no number")
        shapes = {
            "ant_1_array": ("i", (rows,)), "ant_2_array": ("i", (rows,)),
            "antenna_numbers": ("i", (antennas,)), "antenna_names": ("S", (antennas,)),
            "antenna_positions": ("f", (antennas, 3)), "uvw_array": ("f", (rows, 3)),
            "time_array": ("f", (rows,)), "integration_time": ("f", (rows,)),
            "freq_array": ("f", (channels,)), "channel_width": ("f", (channels,)),
            "spw_array": ("i", (1,)), "flex_spw_id_array": ("i", (channels,)),
            "polarization_array": ("i", (count["Npols"],)),
            "phase_center_id_array": ("i", (rows,)), "phase_center_app_ra": ("f", (rows,)),
            "phase_center_app_dec": ("f", (rows,)), "phase_center_frame_pa": ("f", (rows,)),
        }
        for name, (kind, shape) in shapes.items():
            item = header[name]
            expect(item.dtype.kind == kind and item.shape == shape, f"{name} is {item.dtype} {item.shape}")
        labels = [-5, -6, -7, -8] if count["Npols"] == 4 else [-5]
        expect(list(header["polarization_array"]) == labels, "polarization_array has other labels")
        expect(header["flex_spw"].dtype == bool and not header["flex_spw"][()], "flex_spw is wrong")
        centre = header["phase_center_catalog/0"]
        expect(centre["cat_type"][()] == b"unprojected", "the phase centre is not unprojected")
        expect(np.allclose(header["phase_center_app_dec"][:], np.radians(header["latitude"][()])),
               "phase_center_app_dec is not the latitude")
        expect(np.all(header["channel_width"][:] > 0), "a channel has no width")
        shape = (rows, channels, count["Npols"])
        visdata = data["visdata"]
        expect(visdata.shape == shape and data["flags"].shape == shape and
               data["nsamples"].shape == shape, "the data sets have another shape")
        expect(visdata.chunks is not None and visdata.maxshape[0] is None, "visdata cannot grow")
        expect(visdata.dtype.kind == "c" or
               visdata.dtype == np.dtype([("r", "<i4"), ("i", "<i4")]), f"visdata is {visdata.dtype}")
        expect(data["flags"].dtype == bool, f"flags is {data['flags'].dtype}, not h5py's boolean")
        expect(data["nsamples"].dtype.kind == "f", "nsamples is no floating-point number")
        expect(np.all((data["nsamples"][:] >= 0) & (data["nsamples"][:] <= 1)), "nsamples passes 1")
        expect(np.array_equal(data["flags"][:], data["nsamples"][:] == 0),
               "flags are not where nothing was present")


def read(path):
    import pyuvdata

    file = pyuvdata.UVData()
    file.read(path, strict_uvw_antpos_check=True)
    return file


def mean_phase(values):
    return np.angle(np.sum(values))


def look_at(file, polarised, phase_deg, dead, how):
    """Every cross-correlation of a file that is phased to its source."""
    phase = np.radians(phase_deg)
    edge = file.Nfreqs // 6  # the source rolls off towards the band's edges
    parts = np.array_split(np.arange(edge, file.Nfreqs - edge), min(8, file.Nfreqs - 2 * edge))
    names = list(file.get_pols())
    seen = 0
    for first, second in file.get_antpairs():
        # summed over the integrations: [channel, polarisation]
        sums = np.sum(file.get_data(first, second, squeeze="none"), axis=0)
        value = {name: sums[:, k] for k, name in enumerate(names)}
        everywhere = np.concatenate(parts)
        scale = np.abs(np.sum(value["xx"][everywhere]))
        if first == second:
            if dead != first and "xy" in names and polarised:
                error = mean_phase(value["xy"][everywhere] * np.exp(-1j * phase))
                expect(abs(error) < ZERO_RAD, f"{how}: XY of antenna {first} is off by {error:.3f} rad")
            continue
        seen += 1
        wanted = {"xx": 0.0, "yy": 0.0, "xy": phase, "yx": -phase}
        for name in names:
            strength = np.abs(np.sum(value[name][everywhere])) / scale
            quiet = (name[0] == "y" and first == dead) or (name[1] == "y" and second == dead)
            if quiet or (name in ("xy", "yx") and not polarised):
                expect(strength < 0.1, f"{how}: {name} of ({first}, {second}) should be silent, "
                                       f"it is {strength:.2f} of xx")
                continue
            if name in ("xy", "yx"):
                expect(abs(strength - polarised) < 0.1,
                       f"{how}: {name} of ({first}, {second}) is {strength:.2f} of xx, not {polarised}")
            for part in parts:
                error = mean_phase(value[name][part] * np.exp(-1j * wanted[name]))
                expect(abs(error) < ZERO_RAD, f"{how}: {name} of ({first}, {second}) at "
                       f"{file.freq_array[part].mean():.0f} Hz is off by {error:.3f} rad")
    expect(seen == file.Nants_data * (file.Nants_data - 1) // 2, "there are cross-correlations missing")


def sky(path, azimuth, elevation, polarised, phase_deg, dead=-1):
    from astropy import units
    from astropy.coordinates import AltAz, SkyCoord
    from astropy.time import Time
    from astropy.utils import iers

    iers.conf.auto_download = False
    file = read(path)
    expect(file.Nants_data > 1, "a file of one antenna proves nothing")
    # The phases that are to vanish are there before: else nothing would be proved.
    first, second = [pair for pair in file.get_antpairs() if pair[0] != pair[1]][-1]
    before = np.array(file.get_data(first, second, "xx"))
    # The same place on the celestial sphere. (pyuvdata's "driftscan" takes azimuth and elevation,
    # but in 3.2.8 it adds the hour angle to the sidereal time, which mirrors east and west.)
    when = Time(np.mean(file.time_array), format="jd")
    place = SkyCoord(AltAz(az=azimuth * units.deg, alt=elevation * units.deg, obstime=when,
                           location=file.telescope.location)).icrs
    file.phase(lon=place.ra.rad, lat=place.dec.rad, cat_type="sidereal", cat_name="source",
               phase_frame="icrs")
    after = file.get_data(first, second, "xx")
    expect(np.max(np.abs(np.angle(np.sum(before * np.conj(after), axis=0)))) > 1,
           "the source is too near to the zenith to prove anything")
    look_at(file, polarised, phase_deg, dead, "phased by pyuvdata")
    # By the file's own uvw and nothing else: w = uvw . (east, north, up) of the source.
    file = read(path)
    east, north = np.sin(np.radians(azimuth)), np.cos(np.radians(azimuth))
    flat, up = np.cos(np.radians(elevation)), np.sin(np.radians(elevation))
    turns = np.outer(file.uvw_array @ [flat * east, flat * north, up], file.freq_array / 299792458)
    file.data_array = file.data_array * np.exp(-2j * np.pi * turns)[:, :, np.newaxis]
    look_at(file, polarised, phase_deg, dead, "phased by uvw")


def mutate(path, new_path, how):
    shutil.copy(path, new_path)
    with h5py.File(new_path, "r+") as file:
        visdata = file["Data/visdata"]
        values = visdata[()]
        if how == "conjugate":
            if values.dtype.kind == "c":
                values = values.conj()
            else:
                values["i"] = -values["i"]
        elif how == "swap":  # XY and YX
            values = values[:, :, [0, 1, 3, 2]]
        elif how == "reverse":  # the channels
            values = values[:, ::-1]
        else:
            fail(f"there is no mutation {how}")
        visdata[...] = values


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "structure":
        structure(arguments[1])
    elif len(arguments) in (6, 7) and arguments[0] == "sky":
        sky(arguments[1], *map(float, arguments[2:6]), *map(int, arguments[6:]))
    elif len(arguments) == 4 and arguments[0] == "mutate":
        mutate(*arguments[1:])
    else:
        print(__doc__)
        sys.exit(2)


main(sys.argv[1:])
