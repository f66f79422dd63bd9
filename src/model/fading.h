/* Error rates over Rayleigh fading that have a closed form. Knows no device. */
#ifndef CLR_MODEL_FADING_H
#define CLR_MODEL_FADING_H

/*
 * Bit error rate of one stream of Gray-labelled square M-QAM (M = 4, 16, ..., 1024) over
 * independent Rayleigh fading with `branches` antennas and maximum-ratio combining; es_n0: Es/N0 of
 * one antenna, linear. Cho and Yoon, IEEE Trans. Commun. 50 (2002), averaged over the gain's
 * distribution (Proakis, Digital Communications, 14.4-15). Of several streams it is a bound that no
 * detector passes: what is left when all other streams are known. Negative for another M.
 */
double clr_rayleigh_qam_ber(unsigned points, unsigned branches, double es_n0);

#endif
