//! Every number of the timing model, with its source. The rest of the core knows no cycle counts.
//!
//! Sources:
//! * M3 TRM: ARM DDI 0337I, Cortex-M3 TRM r2p1: table 3-1 (section 3.3.1, cycles per instruction, zero wait states)
//!   and section 3.3.3 "Load/store timings"; section 3.9.1 / chapter 6 for exceptions.
//! * M4 TRM: ARM DDI 0439D, Cortex-M4 TRM r0p1: table 3-1 (section 3.3.1), table 7-1 (section 7.2.3, floating point).
//!   Its table 3-1 also stands in TI SWCU192, table 3-25. The extensions' one cycle needs no entry here.
//! * PM0075: STM32F10xxx flash programming manual, section 1.2/3.1: FLASH_ACR, two 64-bit prefetch buffers, LATENCY.
//! * RM0008: STM32F10x reference manual, section 3.3.3.
//! * points: rig/vbench/tests/silicon/points.toml, measurements that others published, by id. docs/evidence/silicon.md
//!   has the model beside them; silicon/fit.py there fits the numbers and leaves out each point in turn.
//! * pipeline: jnk0le/random, `pipeline cycle test/doc/cortex_m3m4.md`, measured on an STM32F103.
//! * [E]: an estimate. Not compared with silicon.
//!
//! Not modelled, and which way it errs:
//! * The core's prefetch of three words is there only in what it does to a branch ([`TimingModel::branch_waits`]). Code
//!   of 32-bit instructions comes out 3 to 5 % too fast at two wait states all the same (cipher-rounds-2ws).
//! * A branch that is not taken costs 1, though the core has asked for its target by then: too fast, how much is
//!   unknown.
//! * Code in RAM has neither [`TimingModel::address_interlock`] nor [`TimingModel::store_load`], and IT does not fold.
//!   Its stores to a device are three to seven cycles too fast each (loop-f103-ram-pin4, -pin3): code and data share the
//!   system bus.
//! * Literal loads and fetches contend for one flash array only through [`FlashFetch::data_read`]: one or two cycles
//!   either way.
//! * LDM, STM and divides are not interrupted and resumed: an interrupt is late by up to about 12 cycles.
//! * A late exception costs a full vector fetch more, which is the most it can: too slow by up to 6 cycles. One that
//!   arrives during unstacking is taken after it: too slow by up to one return, 10 cycles.
//! * Lazy preservation of floating-point state is charged to the instruction that causes it: right in sum [E].
//! * Early termination of divides and long multiplies is a rule of thumb: off by one to three.
//!
//! Caches between flash and core (ART of the STM32L4) are the chip's: [`LineCache`].

use super::ops::Kind;

/// What an instruction or exception costs beyond its first cycle, at zero wait states.
///
/// The numbers of the two processors stand side by side in [`TimingModel::CORTEX_M3`] and [`TimingModel::CORTEX_M4`];
/// [`super::Cpu::set_timing`] takes any other, to find out how much a result depends on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimingModel {
    /// Pipeline refill P of a branch to an address in a register, of CBZ, and of ISB: 1..=3 (both TRMs, table 3-1).
    /// CoreMark at zero wait states is 2 % too fast with 1 (coremark-f103-0ws).
    pub refill: u64,
    /// The same of a branch to a constant, which the core asks for while it decodes the branch: 1
    /// (core-f103-bne-taken, and cipher-loop-0ws with CMP just before BNE).
    pub refill_decoded: u64,
    /// What a target in RAM costs more, which is fetched over the system bus: 1 (loop-f103-ram-delay,
    /// loop-f103-ram-subs-bhi).
    pub refill_ram: u64,
    /// What a target of 32 bits that is not aligned to a word costs more, its second word being another fetch: 1 (M3
    /// TRM table 3-1, note on P; toggle-f103-eorw at offset 2).
    pub refill_unaligned: u64,
    /// Whether the flash's buffer survives a taken branch, 1 or 0: a loop of SUBS and BNE in one line takes 6 cycles
    /// at two wait states (loop-f103-flash-empty-riot), as if its line were read each time.
    pub branch_keeps_line: u64,
    /// Whether a taken branch waits for a fetch of the next line that is under way, 1 or 0: an AHB transfer that
    /// waits cannot be given up (IHI 0033, 3.1). Without it that loop takes 5 cycles. A chip with caches has no such
    /// wait here.
    pub branch_waits: u64,
    /// By how many cycles the flash starts to read the next line before the core gets to the one in the buffer: 0.
    /// More makes straight code of 32-bit instructions faster than silicon (cipher-rounds-2ws).
    pub fetch_ahead: u64,
    /// Whether IT takes no cycle after an instruction of 16 bits, 1 or 0 (both TRMs, table 3-1: "may be folded").
    /// No point determines it.
    pub it_folds: u64,
    /// LDR and its like: 2, the second cycle of which pipelines away after another load (M3 TRM 3.3.3, M4 TRM 3.3.2).
    pub load: u64,
    /// STR with a register offset: as a load; STR with immediate offset costs 1 (same sections).
    pub store_indexed: u64,
    /// LDM, STM, LDRD, STRD, PUSH, POP, VLDM, VSTM, VLDR, VSTR: 1 + N (table 3-1, M4 TRM table 7-1).
    pub per_register: u64,
    /// What a load or store waits whose address the instruction before it has calculated (M3 TRM 3.3.3; pipeline:
    /// "base address and offset must be available 1 cycle earlier").
    pub address_interlock: u64,
    /// What a load waits after a store (core-f103-store-then-load).
    pub store_load: u64,
    /// Whether a store to a device lets the next instruction start before it is done, 1 or 0 (M3 TRM 3.3.3: one
    /// entry).
    pub write_buffer: u64,
    /// Every data access, on top of the above: 0. For studies of slower memories.
    pub access: u64,
    /// An unaligned access that crosses nothing but its own alignment: one more bus access (M3 TRM section 3.3.3)
    /// [E].
    pub unaligned: u64,
    /// MLA, MLS: M3 2, M4 1 (table 3-1).
    pub multiply_accumulate: u64,
    /// SMULL, UMULL: M3 3..=5, M4 1 (table 3-1): the least beyond the first cycle.
    pub long_multiply: u64,
    /// What each operand of more than 16 bits adds to it [E: which operands give which count].
    pub long_multiply_wide: u64,
    /// What the accumulation of SMLAL, UMLAL adds: M3 4..=7, M4 1 (table 3-1).
    pub long_multiply_accumulate: u64,
    /// MRS, MSR: M3 r2p1 1, r1p1 (which the STM32F103 has) 2 [E]; M4 1 (table 3-1).
    pub special_register: u64,
    /// TBB, TBH: 2 for the load, 1 for the add, 3 for the refill: at least six (M3 TRM 3.3.3).
    pub table_branch: u64,
    /// LDR PC: two for the load, three for the reload, at least five (M3 TRM 3.3.3): what is left of them beside the
    /// first cycle, load and refill.
    pub load_pc: u64,
    /// Exception entry from asserted to first instruction (M3 TRM sections 1.1 and 3.9, M4 TRM 3.9: 12 cycles).
    pub exception_entry: u64,
    /// Exception return, unstacking and refill, after the cycle of BX or those of POP [E within 10..=12].
    pub exception_return: u64,
    /// Tail-chained entry, after the cycle of BX or those of POP (TRM: 6 cycles).
    pub tail_chain: u64,
    /// Preserving or restoring S0..S15 and FPSCR: 29 - 12 cycles over a basic entry [E; ARM AN298, "Lazy stacking"].
    pub float_stacking: u64,
    /// For how many cycles an access of DMA keeps the core from the same slave of the bus matrix, beside what a bridge
    /// takes: 1 (AN2548 rev 2, 3.1: at most one bus cycle). Not measured. 0: DMA costs the core nothing.
    pub dma_hold: u64,
    /// Cycles of a transfer of DMA from RAM to RAM, 3 or more: 5 [E]. One of arbitration and two for each access, of
    /// which the second is that of the slave; bridges come on top. No document that was at hand states it.
    /// yjh0502/stm32-dma-benchmark (F103, 72 MHz) shows 0.55 of a loop of the processor, whose length it does not give:
    /// 5 or 6 if that takes 9 to 11 cycles.
    pub dma_transfer: u64,
    /// Wait states of the flash; None: those that the firmware has set. For studies.
    pub flash_wait_states: Option<u64>,
    /// Whether the flash reads ahead: 1 or 0; None: as the firmware has set it. For studies.
    pub flash_prefetch: Option<u64>,
    /// What an access to APB1 waits; None: what the chip's prescaler gives.
    pub apb1_wait_cycles: Option<u64>,
    /// The same for APB2.
    pub apb2_wait_cycles: Option<u64>,
}

impl TimingModel {
    /// Cortex-M3.
    pub const CORTEX_M3: TimingModel = TimingModel {
        refill: 2,
        refill_decoded: 1,
        refill_ram: 1,
        refill_unaligned: 1,
        branch_keeps_line: 0,
        branch_waits: 1,
        fetch_ahead: 0,
        it_folds: 1,
        load: 1,
        store_indexed: 1,
        per_register: 1,
        address_interlock: 1,
        store_load: 1,
        write_buffer: 1,
        access: 0,
        unaligned: 1,
        multiply_accumulate: 1,
        long_multiply: 2,
        long_multiply_wide: 1,
        long_multiply_accumulate: 1,
        special_register: 1,
        table_branch: 5,
        load_pc: 1,
        exception_entry: 12,
        exception_return: 10,
        tail_chain: 6,
        float_stacking: 0,
        dma_hold: 1,
        dma_transfer: 5,
        flash_wait_states: None,
        flash_prefetch: None,
        apb1_wait_cycles: None,
        apb2_wait_cycles: None,
    };
    /// Cortex-M4, with or without floating point.
    pub const CORTEX_M4: TimingModel = TimingModel {
        multiply_accumulate: 0,
        long_multiply: 0,
        long_multiply_wide: 0,
        long_multiply_accumulate: 0,
        special_register: 0,
        branch_waits: 0,
        float_stacking: 17,
        ..TimingModel::CORTEX_M3
    };

    /// Cycles of a long multiply beyond the first.
    pub fn long_multiply(&self, a: u32, b: u32, accumulate: bool) -> u64 {
        let wide = |v: u32| u64::from(v.leading_zeros() < 16 && (!v).leading_zeros() < 16);
        let accumulation = if accumulate { self.long_multiply_accumulate } else { 0 };
        self.long_multiply + self.long_multiply_wide * (wide(a) + wide(b)) + accumulation
    }
}

/// Wake from WFI or WFE until the next instruction or the exception entry starts [E].
pub const WAKE: u64 = 1;

/// VMOV of two registers: 2 (M4 TRM table 7-1).
pub const FLOAT_PAIR_EXTRA: u64 = 1;

/// Cycles of floating-point arithmetic beyond the first (M4 TRM table 7-1): VDIV and VSQRT 14, multiply-accumulate 3.
pub fn float_extra(kind: Kind) -> u64 {
    match kind {
        Kind::Vdiv | Kind::Vsqrt => 13,
        Kind::Vmla | Kind::Vmls | Kind::Vnmla | Kind::Vnmls => 2,
        Kind::Vfma | Kind::Vfms | Kind::Vfnma | Kind::Vfnms => 2,
        _ => 0,
    }
}

/// SDIV, UDIV: 2..=12 (table 3-1) by early termination on leading zeros and ones [E: four quotient bits a cycle].
pub fn divide_extra(dividend: u32, divisor: u32) -> u64 {
    let quotient_bits = (divisor.leading_zeros() + 1).saturating_sub(dividend.leading_zeros());
    if dividend == 0 || divisor == 0 || quotient_bits == 0 {
        return 1;
    }
    u64::from((quotient_bits + 3) / 4 + 2).min(11)
}

/// Caches of a chip between its flash and the core, of lines of 64 bits: number = byte address / 8.
pub trait LineCache {
    /// Whether an instruction line is there; from now on it is.
    fn instruction(&mut self, line: u32) -> bool;
    /// Whether a line of data is there; from now on it is.
    fn data(&mut self, line: u32) -> bool;
    /// Forgets everything (reset, flash rewritten).
    fn flush(&mut self);
    /// The chip's control register has this value.
    fn control(&mut self, register: u32);
}

/// The flash as instruction fetch sees it: 64-bit lines and a prefetch of the next line (PM0075, RM0008 3.3.3).
///
/// A line takes `wait states + 1` cycles. While a line is consumed the flash reads the following one, so straight
/// code waits only if it consumes a line faster than that. Anywhere else, and at each target of a branch, the fetch
/// waits in full.
pub struct FlashFetch {
    /// Line in the buffer: byte address / 8; `u32::MAX` when none is.
    line: u32,
    /// The same before the branch that was taken.
    buffered: u32,
    /// Cycle at which the core started to use the line.
    entered: u64,
    /// Cycle at which the line after it is there.
    next_ready: u64,
    // See [`TimingModel`].
    pub refill_unaligned: u64,
    pub branch_keeps_line: bool,
    pub fetch_ahead: u64,
    pub branch_waits: bool,
    /// Words of the line from the one that was fetched first.
    words: u64,
    /// Wait states of one array access.
    pub wait_states: u64,
    /// The flash reads the following line while one is consumed.
    pub prefetch: bool,
    /// Caches of the chip, if it has some.
    pub cache: Option<Box<dyn LineCache>>,
}

/// Bytes of a flash line as a shift.
const LINE_SHIFT: u32 = 3;

impl FlashFetch {
    pub fn new() -> FlashFetch {
        FlashFetch {
            line: u32::MAX,
            buffered: u32::MAX,
            entered: 0,
            next_ready: 0,
            refill_unaligned: 0,
            branch_keeps_line: true,
            fetch_ahead: 0,
            branch_waits: false,
            words: 2,
            wait_states: 0,
            prefetch: true,
            cache: None,
        }
    }

    /// Nothing is buffered any more (reset, flash rewritten).
    pub fn flush(&mut self) {
        (self.line, self.buffered) = (u32::MAX, u32::MAX);
        if let Some(cache) = self.cache.as_mut() {
            cache.flush();
        }
    }

    /// True if the instruction lies entirely in the buffered line: no wait, nothing to do.
    #[inline(always)]
    pub fn holds(&self, address: u32, len: u32) -> bool {
        address >> LINE_SHIFT == self.line && (address + len - 1) >> LINE_SHIFT == self.line
    }

    /// A branch is taken after `now`: what it waits for a fetch that is under way. The next fetch is that of a
    /// target.
    #[inline(always)]
    pub fn branch(&mut self, now: u64) -> u64 {
        let under_way = self.branch_waits && self.prefetch && self.line != u32::MAX && now >= self.entered + self.words;
        self.buffered = if self.branch_keeps_line { self.line } else { u32::MAX };
        self.line = u32::MAX;
        if under_way {
            self.next_ready.saturating_sub(now)
        } else {
            0
        }
    }

    /// Cycles that fetching `len` bytes at `address` waits at `now`.
    #[inline(always)]
    pub fn fetch(&mut self, address: u32, len: u32, now: u64) -> u64 {
        let (line, last) = (address >> LINE_SHIFT, (address + len - 1) >> LINE_SHIFT);
        if self.line != u32::MAX || line != last || self.buffered != u32::MAX || self.cache.is_some() {
            return self.fetch_lines(address, len, now);
        }
        // What is met most: a target in one line that is in no buffer.
        self.line = line;
        self.words = 2 - u64::from(address >> 2 & 1);
        self.entered = now + self.wait_states;
        self.next_ready = self.entered + self.wait_states + 1;
        self.wait_states + self.split_target(address, len)
    }

    /// What a target waits for its second word, if it needs one.
    #[inline(always)]
    fn split_target(&self, address: u32, len: u32) -> u64 {
        if len == 4 && address & 2 != 0 {
            self.refill_unaligned
        } else {
            0
        }
    }

    #[inline(never)]
    fn fetch_lines(&mut self, address: u32, len: u32, now: u64) -> u64 {
        let (first, last) = (address >> LINE_SHIFT, (address + len - 1) >> LINE_SHIFT);
        let mut wait = 0;
        if self.line == u32::MAX {
            self.line = self.buffered;
            wait = self.split_target(address, len);
        }
        self.words = 2 - u64::from(address >> 2 & 1);
        wait += self.load_line(first, now);
        if last != first {
            // The second half is asked for one cycle after the first.
            wait += self.load_line(last, now + wait + 1);
            self.words = 2;
        }
        wait
    }

    fn load_line(&mut self, line: u32, now: u64) -> u64 {
        if line == self.line {
            return 0;
        }
        let cached = self.cache.as_mut().map_or(false, |cache| cache.instruction(line));
        let wait = if cached {
            0
        } else if self.prefetch && self.line != u32::MAX && line == self.line + 1 {
            self.next_ready.saturating_sub(now)
        } else {
            self.wait_states
        };
        let arrived = now + wait;
        let asked = if line == self.line.wrapping_add(1) {
            self.next_ready
                .max(arrived.saturating_sub(self.fetch_ahead))
                .min(arrived)
        } else {
            arrived
        };
        self.line = line;
        self.entered = arrived;
        self.next_ready = asked + self.wait_states + 1;
        wait
    }

    /// Cycles that a data or literal read at a byte offset in the flash waits, and the prefetch it delays [E].
    #[inline(always)]
    pub fn data_read(&mut self, offset: usize, now: u64) -> u64 {
        let line = (offset >> LINE_SHIFT) as u32;
        if self.cache.as_mut().map_or(false, |cache| cache.data(line)) {
            return 0;
        }
        if self.next_ready > now {
            self.next_ready += self.wait_states;
        }
        self.wait_states
    }
}

impl Default for FlashFetch {
    fn default() -> FlashFetch {
        FlashFetch::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequential_lines_are_prefetched() {
        let mut flash = FlashFetch {
            wait_states: 2,
            ..FlashFetch::new()
        };
        // First fetch: the full two wait states; the next line is there three cycles later.
        assert_eq!(2, flash.fetch(0x0800_0000, 2, 10));
        assert!(flash.holds(0x0800_0006, 2));
        // Consumed in one cycle (now 13): ready at 15.
        assert_eq!(2, flash.fetch(0x0800_0008, 2, 13));
        // Consumed in four cycles: no wait.
        assert_eq!(0, flash.fetch(0x0800_0010, 2, 19));
        // A jump waits in full, a straddling instruction at the target waits for both lines.
        assert_eq!(2 + 2, flash.fetch(0x0800_0106, 4, 30));
    }

    #[test]
    fn no_wait_states_cost_nothing() {
        let mut flash = FlashFetch::new();
        assert_eq!(0, flash.fetch(0x0800_0000, 4, 0));
        assert_eq!(0, flash.fetch(0x0800_0008, 4, 1));
        assert_eq!(0, flash.fetch(0x0800_0ffe, 4, 2));
    }

    #[test]
    fn divides_terminate_early() {
        assert_eq!(2, 1 + divide_extra(3, 1000));
        assert_eq!(2, 1 + divide_extra(0, 7));
        assert_eq!(11, 1 + divide_extra(u32::MAX, 1));
    }
}
