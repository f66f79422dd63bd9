# The kernels, embedded as byte arrays with a table of names.
kernel_sources += \
	cl/common.cl \
	cl/correlator_reverse.cl \
	cl/fengine_order.cl \
	cl/fengine_pfb.cl \
	cl/fengine_tile.cl
kernel_sources += \
	cl/montecarlo_count.cl \
	cl/montecarlo_generate.cl \
	cl/montecarlo_random.cl \
	cl/rounded.cl
kernel_sources += \
	cl/dft_bf16.cl \
	cl/dft_bf16_product.cl \
	cl/dft_bf16_stage.cl \
	cl/dft_bf16_unit.cl \
	cl/dft_children.cl \
	cl/dft_circle.cl \
	cl/dft_direct.cl \
	cl/dft_dmma.cl \
	cl/dft_dmma_stage.cl \
	cl/dft_fold.cl \
	cl/dft_fold_stage.cl \
	cl/dft_item.cl \
	cl/dft_library.cl \
	cl/dft_link.cl \
	cl/dft_loads.cl \
	cl/dft_phase.cl \
	cl/dft_points.cl \
	cl/dft_pruned.cl \
	cl/dft_pruned_taps.cl \
	cl/dft_rows.cl \
	cl/dft_tile.cl \
	cl/dft_turns.cl
kernel_sources += \
	cl/children.cl \
	cl/detector_children.cl \
	cl/detector_columns.cl \
	cl/detector_common.cl \
	cl/detector_descent.cl \
	cl/detector_fine.cl \
	cl/detector_fsd.cl \
	cl/detector_group.cl \
	cl/detector_group_answer.cl \
	cl/detector_group_qr.cl \
	cl/detector_kbest.cl \
	cl/detector_kbest_fronts.cl \
	cl/detector_kbest_lists.cl \
	cl/detector_lane.cl \
	cl/detector_linear.cl \
	cl/detector_llr.cl \
	cl/detector_memory.cl \
	cl/detector_ml.cl \
	cl/detector_mmse.cl \
	cl/detector_output.cl \
	cl/detector_prepare.cl \
	cl/detector_qr.cl \
	cl/detector_soft.cl \
	cl/detector_statistics.cl \
	cl/detector_tree.cl \
	cl/detector_whiten.cl \
	cl/detector_work.cl
kernel_sources += cl/sinr.cl cl/test_device.cl
kernel_sources += \
	cl/bench_peak.cl \
	cl/xengine_blas.cl \
	cl/xengine_block.cl \
	cl/packed_dot.cl \
	cl/tf32.cl \
	cl/xengine_dot4.cl \
	cl/xengine_finish.cl \
	cl/xengine_layout.cl \
	cl/xengine_mma.cl \
	cl/xengine_mma_floats.cl \
	cl/xengine_mma_products.cl \
	cl/xengine_mma_stage.cl \
	cl/xengine_orders.cl \
	cl/xengine_output.cl \
	cl/xengine_place.cl \
	cl/xengine_fma.cl \
	cl/xengine_fma_copies.cl \
	cl/xengine_fma_products.cl \
	cl/amd_fragments.cl \
	cl/xengine_mfma.cl \
	cl/xengine_panel.cl \
	cl/xengine_quads.cl \
	cl/xengine_triangle.cl \
	cl/xengine_sums.cl \
	cl/xengine_tile.cl \
	cl/xengine_times.cl \
	cl/xengine_units.cl \
	cl/xengine_valid.cl \
	cl/xengine_wgmma.cl \
	cl/xengine_wgmma_copies.cl \
	cl/xengine_wgmma_float_rounds.cl \
	cl/xengine_wgmma_floats.cl \
	cl/xengine_wgmma_gram.cl \
	cl/xengine_wgmma_pass.cl \
	cl/xengine_wgmma_product.cl \
	cl/xengine_wgmma_rounds.cl \
	cl/xengine_wgmma_samples.cl \
	cl/xengine_wgmma_sums.cl
EXTRA_DIST += $(kernel_sources) cl/resources.txt tools/embed_kernels.sh
CLEANFILES += src/device/kernels.c

src/device/kernels.c: $(kernel_sources) tools/embed_kernels.sh
	@$(MKDIR_P) src/device
	$(AM_V_GEN)$(SHELL) $(top_srcdir)/tools/embed_kernels.sh $(top_srcdir) $(kernel_sources) > $@.new && mv $@.new $@
