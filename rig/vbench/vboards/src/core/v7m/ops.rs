//! One decoded instruction: what the decoders produce and the executor consumes.

/// What an instruction does. `…Imm` takes `Op::imm` as second operand, `…Reg` a register shifted by a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
#[repr(u8)]
pub enum Kind {
    /// Place in the predecode cache that has not been decoded yet.
    Undecoded,
    Undefined,
    Coprocessor,
    // Data processing.
    AndImm,
    BicImm,
    OrrImm,
    OrnImm,
    EorImm,
    AddImm,
    AdcImm,
    SbcImm,
    SubImm,
    RsbImm,
    MovImm,
    MvnImm,
    TstImm,
    TeqImm,
    CmnImm,
    CmpImm,
    AndReg,
    BicReg,
    OrrReg,
    OrnReg,
    EorReg,
    AddReg,
    AdcReg,
    SbcReg,
    SubReg,
    RsbReg,
    MovReg,
    MvnReg,
    TstReg,
    TeqReg,
    CmnReg,
    CmpReg,
    /// Shift of `n` by the low byte of register `m`; the type is in `s`.
    ShiftByReg,
    Movt,
    /// `imm` plus the word-aligned PC.
    Adr,
    /// ADD PC, Rm and MOV PC, Rm.
    AddPc,
    MovPc,
    // Multiply and divide: `x` is the accumulator or RdHi, `d` is Rd or RdLo.
    Mul,
    Mla,
    Mls,
    Umull,
    Smull,
    Umlal,
    Smlal,
    Udiv,
    Sdiv,
    // Bit fields: `x` is the least significant bit, `imm` the width.
    Bfi,
    Sbfx,
    Ubfx,
    /// Saturation to `imm` bits of `n` shifted by (`s`, `x`).
    Ssat,
    Usat,
    // Extension of `m` rotated right by `x`.
    Sxtb,
    Sxth,
    Uxtb,
    Uxth,
    Rev,
    Rev16,
    Revsh,
    Rbit,
    Clz,
    // DSP extension: see `decode_dsp` for what `s` and `x` hold.
    Pkh,
    Ssat16,
    Usat16,
    ExtendAdd,
    Parallel,
    Qadd,
    Sel,
    SmlaXy,
    Smlad,
    Smlaw,
    Smlsd,
    Smmla,
    Smmls,
    Usada8,
    SmlalXy,
    Smlald,
    Smlsld,
    Umaal,
    // Single loads and stores: base `n` plus `imm`.
    LdrImm,
    LdrbImm,
    LdrhImm,
    LdrsbImm,
    LdrshImm,
    StrImm,
    StrbImm,
    StrhImm,
    // Base `n` plus register `m` shifted left by `x`.
    LdrReg,
    LdrbReg,
    LdrhReg,
    LdrsbReg,
    LdrshReg,
    StrReg,
    StrbReg,
    StrhReg,
    /// Word at the aligned PC plus `imm`.
    LdrLit,
    /// Every other form: size in `s`, the form in `flags`.
    Load,
    Store,
    // Doubleword (`d`, `m`), multiple (`imm` is the list) and exclusive (size in `s`, `m` is the status register).
    Ldrd,
    Strd,
    Ldm,
    Stm,
    Ldrex,
    Strex,
    Clrex,
    // Branches.
    B,
    BCond,
    Bl,
    Bx,
    Blx,
    Cbz,
    Cbnz,
    Tbb,
    Tbh,
    // System.
    It,
    Nop,
    Wfi,
    Wfe,
    Sev,
    Svc,
    Bkpt,
    /// `imm`: bit 0 FAULTMASK, bit 1 PRIMASK, bit 4 set (disable).
    Cps,
    Mrs,
    Msr,
    Dmb,
    Isb,
    // Floating point: see `decode_float`.
    /// Undefined, but of coprocessors 10 and 11: NOCP comes first if access is denied (section A5.3.18).
    Vundefined,
    Vldr,
    Vstr,
    Vldm,
    Vstm,
    VmovToCore,
    VmovFromCore,
    VmovPairToCore,
    VmovPairFromCore,
    Vmrs,
    Vmsr,
    VmovImm,
    VmovReg,
    Vabs,
    Vneg,
    Vadd,
    Vsub,
    Vmul,
    Vnmul,
    Vdiv,
    Vsqrt,
    Vmla,
    Vmls,
    Vnmla,
    Vnmls,
    Vfma,
    Vfms,
    Vfnma,
    Vfnms,
    Vcmp,
    VcvtFromHalf,
    VcvtToHalf,
    VcvtFromInt,
    VcvtToInt,
    VcvtFixed,
}

/// Shift types as encoded, and RRX.
pub const LSL: u8 = 0;
pub const LSR: u8 = 1;
pub const ASR: u8 = 2;
pub const ROR: u8 = 3;
pub const RRX: u8 = 4;

/// Sizes of `Load`, `Store`, `Ldrex` and `Strex`.
pub const BYTE: u8 = 0;
pub const HALF: u8 = 1;
pub const WORD: u8 = 2;
pub const SIGNED_BYTE: u8 = 4;
pub const SIGNED_HALF: u8 = 5;

/// Data processing: sets the flags (a 16-bit encoding does not when it stands in an IT block).
pub const SET_FLAGS: u8 = 1;
/// Data processing, immediate: the constant also gives the carry, in [`CARRY`].
pub const HAS_CARRY: u8 = 2;
pub const CARRY: u8 = 4;
/// Loads and stores: the base register takes the new address.
pub const WRITE_BACK: u8 = 8;
/// The access uses the base as it was before the offset is added.
pub const POST: u8 = 16;
/// LDM, STM: addresses end below the base.
pub const DECREMENT: u8 = 32;
/// LDRT and its like: the access has user privileges.
pub const UNPRIVILEGED: u8 = 64;
/// The offset is register `m` shifted left by `x`, not `imm`.
pub const INDEXED: u8 = 128;

/// A decoded instruction. The meaning of each field is at its [`Kind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op {
    pub kind: Kind,
    /// Bytes of code: 2 or 4.
    pub len: u8,
    pub d: u8,
    pub n: u8,
    pub m: u8,
    pub s: u8,
    pub x: u8,
    pub flags: u8,
    pub imm: u32,
}

impl Op {
    pub const UNDECODED: Op = Op {
        kind: Kind::Undecoded,
        len: 2,
        d: 0,
        n: 0,
        m: 0,
        s: 0,
        x: 0,
        flags: 0,
        imm: 0,
    };

    /// An operation without operands; the decoders fill in the rest with struct update.
    pub const fn new(kind: Kind) -> Op {
        Op { kind, ..Op::UNDECODED }
    }

    /// Whether it puts a result other than a loaded value into a register.
    #[inline(always)]
    pub fn calculates(&self, register: u8) -> bool {
        self.d == register && self.kind >= Kind::AndImm && self.kind < Kind::LdrImm && !self.is_compare()
    }

    /// Whether it stores a single register.
    #[inline(always)]
    pub fn is_store(&self) -> bool {
        use Kind::{Store, StrImm, StrReg, StrbImm, StrbReg, StrhImm, StrhReg};
        matches!(
            self.kind,
            StrImm | StrbImm | StrhImm | StrReg | StrbReg | StrhReg | Store
        )
    }

    /// Whether it belongs to the DSP extension.
    pub fn is_dsp(&self) -> bool {
        self.kind as u8 >= Kind::Pkh as u8 && self.kind as u8 <= Kind::Umaal as u8
    }

    /// Whether a 16-bit encoding sets flags even inside an IT block.
    pub fn is_compare(&self) -> bool {
        matches!(
            self.kind,
            Kind::TstImm
                | Kind::TeqImm
                | Kind::CmnImm
                | Kind::CmpImm
                | Kind::TstReg
                | Kind::TeqReg
                | Kind::CmnReg
                | Kind::CmpReg
        )
    }
}
