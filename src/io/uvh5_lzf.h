/* The LZF filter for reading HDF5 files that h5py wrote. */
#ifndef CLR_IO_UVH5_LZF_H
#define CLR_IO_UVH5_LZF_H

/* Once or often; does nothing where HDF5 finds such a filter by itself. */
void clr_hdf_register_lzf(void);

#endif
