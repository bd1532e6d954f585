package ptx

import "strings"

// special has the special registers of PTX 9.0 (chapter 10): true for those that
// are vectors, of which a component is read.
var special = func() map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq("tid ntid ctaid nctaid clusterid nclusterid cluster_ctaid cluster_nctaid") {
		m["%"+name] = true
	}
	for name := range strings.FieldsSeq(`laneid warpid nwarpid smid nsmid gridid
		is_explicit_cluster cluster_ctarank cluster_nctarank
		lanemask_eq lanemask_le lanemask_lt lanemask_ge lanemask_gt
		clock clock_hi clock64 globaltimer globaltimer_lo globaltimer_hi
		pm0 pm1 pm2 pm3 pm4 pm5 pm6 pm7
		pm0_64 pm1_64 pm2_64 pm3_64 pm4_64 pm5_64 pm6_64 pm7_64
		envreg0 envreg1 envreg2 envreg3 envreg4 envreg5 envreg6 envreg7
		envreg8 envreg9 envreg10 envreg11 envreg12 envreg13 envreg14 envreg15
		envreg16 envreg17 envreg18 envreg19 envreg20 envreg21 envreg22 envreg23
		envreg24 envreg25 envreg26 envreg27 envreg28 envreg29 envreg30 envreg31
		reserved_smem_offset_begin reserved_smem_offset_end reserved_smem_offset_cap
		reserved_smem_offset_0 reserved_smem_offset_1
		total_smem_size aggr_smem_size dynamic_smem_size current_graph_exec`) {
		m["%"+name] = false
	}
	return m
}()

// component takes the component of a special register whose name was taken.
func (p *parser) component(name token) Operand {
	vector := special[name.text]
	if !vector {
		p.fail(p.tok.line, "%s has no components", name)
	}
	switch p.tok.text {
	case ".x", ".y", ".z", ".w":
	default:
		p.unexpected("a component .x, .y, .z or .w")
	}
	o := Operand{Kind: SpecialOperand, Name: name.text + p.tok.text}
	p.advance()
	return o
}
