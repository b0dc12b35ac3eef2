//! Which processor of the ARMv7-M family a core is.

use super::timing::TimingModel;

/// What distinguishes the processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    pub cpuid: u32,
    /// DSP extension (ARMv7E-M).
    pub dsp: bool,
    /// Floating-point extension FPv4-SP.
    pub fpu: bool,
    pub timing: TimingModel,
}

impl Model {
    /// Cortex-M3 r1p1, as in the STM32F103 of medium and high density (PM0056 sections 1.3 and 4.4.2).
    pub const CORTEX_M3: Model = Model {
        cpuid: 0x411F_C231,
        dsp: false,
        fpu: false,
        timing: TimingModel::CORTEX_M3,
    };
    /// Cortex-M4 r0p1 without floating point.
    pub const CORTEX_M4: Model = Model {
        cpuid: 0x410F_C241,
        dsp: true,
        fpu: false,
        timing: TimingModel::CORTEX_M4,
    };
    /// Cortex-M4 r0p1 with floating point, as in the STM32L476 (PM0214 sections 1.3, 4.2 and 4.4.2).
    pub const CORTEX_M4F: Model = Model {
        fpu: true,
        ..Model::CORTEX_M4
    };
}
