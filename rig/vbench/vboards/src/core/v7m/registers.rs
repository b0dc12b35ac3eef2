//! Special registers: xPSR, the two stack pointers, the masks, CONTROL; MRS, MSR and CPS.

use super::fault::Trap;
use super::float::FPCA;
use super::Cpu;

/// CONTROL.nPRIV and CONTROL.SPSEL.
pub(super) const NPRIV: u32 = 1;
pub(super) const SPSEL: u32 = 2;

impl Cpu {
    /// Handler mode and thread mode with nPRIV clear are privileged.
    pub(super) fn privileged(&self) -> bool {
        (self.ipsr != 0 || self.control & NPRIV == 0) && !self.as_user
    }

    /// True if SP is the process stack pointer.
    fn on_process_stack(&self) -> bool {
        self.ipsr == 0 && self.control & SPSEL != 0
    }

    pub(super) fn apsr(&self) -> u32 {
        u32::from(self.n) << 31
            | u32::from(self.z) << 30
            | u32::from(self.c) << 29
            | u32::from(self.v) << 28
            | u32::from(self.q) << 27
            | u32::from(self.ge) << 16
    }

    pub(super) fn set_apsr(&mut self, value: u32) {
        self.n = value >> 31 & 1 != 0;
        self.z = value >> 30 & 1 != 0;
        self.c = value >> 29 & 1 != 0;
        self.v = value >> 28 & 1 != 0;
        self.q = value >> 27 & 1 != 0;
        self.set_ge(value);
    }

    fn set_ge(&mut self, value: u32) {
        if self.model.dsp {
            self.ge = (value >> 16 & 15) as u8;
        }
    }

    /// APSR, IPSR and EPSR (T and the IT state) as they are stacked.
    pub fn xpsr(&self) -> u32 {
        let it = u32::from(self.it);
        self.apsr() | (it & 3) << 25 | u32::from(self.thumb) << 24 | (it >> 2) << 10 | u32::from(self.ipsr)
    }

    /// Sets all of xPSR; a change of mode also changes the stack pointer in use.
    pub fn set_xpsr(&mut self, value: u32) {
        self.set_apsr(value);
        self.it = ((value >> 25 & 3) | (value >> 8 & 0xFC)) as u8;
        self.thumb = value >> 24 & 1 != 0;
        let exception = (value & 0x1FF) as u16;
        self.change_mode(exception, self.control);
    }

    /// Enters the mode of `ipsr` with `control`, swapping the stack pointers if the one in use changes.
    pub(super) fn change_mode(&mut self, ipsr: u16, control: u32) {
        let before = self.on_process_stack();
        self.ipsr = ipsr;
        self.control = control;
        if self.on_process_stack() != before {
            std::mem::swap(&mut self.regs[13], &mut self.other_sp);
        }
        self.attend();
    }

    pub fn msp(&self) -> u32 {
        if self.on_process_stack() {
            self.other_sp
        } else {
            self.regs[13]
        }
    }

    pub fn psp(&self) -> u32 {
        if self.on_process_stack() {
            self.regs[13]
        } else {
            self.other_sp
        }
    }

    pub fn set_msp(&mut self, value: u32) {
        if self.on_process_stack() {
            self.other_sp = value & !3;
        } else {
            self.regs[13] = value & !3;
        }
    }

    pub fn set_psp(&mut self, value: u32) {
        if self.on_process_stack() {
            self.regs[13] = value & !3;
        } else {
            self.other_sp = value & !3;
        }
    }

    /// CONTROL, FAULTMASK, BASEPRI and PRIMASK, one byte each, as DCRSR number 20 shows them (DDI 0403E, C1.6.3).
    pub fn masks(&self) -> u32 {
        self.control << 24 | u32::from(self.faultmask) << 16 | u32::from(self.basepri) << 8 | u32::from(self.primask)
    }

    /// Writes what [`Cpu::masks`] reads.
    pub fn set_masks(&mut self, value: u32) {
        self.faultmask = value >> 16 & 1 != 0;
        self.basepri = (value >> 8) as u8 & 0xF0;
        self.primask = value & 1 != 0;
        let writable = NPRIV | SPSEL | if self.model.fpu { FPCA } else { 0 };
        self.change_mode(self.ipsr, value >> 24 & writable);
    }

    /// MRS: the special register `number`. Unprivileged code sees only the flags.
    pub(super) fn read_special(&self, number: u32) -> u32 {
        let privileged = self.privileged();
        match number {
            0..=7 => {
                let flags = if number & 4 == 0 { self.apsr() } else { 0 };
                flags
                    | if number & 1 != 0 && privileged {
                        u32::from(self.ipsr)
                    } else {
                        0
                    }
            }
            20 => self.control,
            _ if !privileged => 0,
            8 => self.msp(),
            9 => self.psp(),
            16 => u32::from(self.primask),
            17 | 18 => u32::from(self.basepri),
            19 => u32::from(self.faultmask),
            _ => 0,
        }
    }

    /// MSR; `mask` bit 1 selects the flags, bit 0 GE.
    pub(super) fn write_special(&mut self, number: u32, mask: u8, value: u32) {
        if number < 8 {
            if number & 4 == 0 {
                let ge = u32::from(self.ge) << 16;
                if mask & 2 != 0 {
                    self.set_apsr(value & !0xF_0000 | ge);
                }
                if mask & 1 != 0 {
                    self.set_ge(value);
                }
            }
            return;
        }
        if !self.privileged() {
            return;
        }
        let priority = value as u8 & 0xF0;
        match number {
            8 => self.set_msp(value),
            9 => self.set_psp(value),
            16 => self.primask = value & 1 != 0,
            17 => self.basepri = priority,
            18 if priority != 0 && (self.basepri == 0 || priority < self.basepri) => self.basepri = priority,
            19 => self.set_faultmask(value & 1 != 0),
            20 => {
                // SPSEL can be written in thread mode only.
                let writable = NPRIV | if self.ipsr == 0 { SPSEL } else { 0 } | if self.model.fpu { FPCA } else { 0 };
                self.change_mode(self.ipsr, self.control & !writable | value & writable);
            }
            _ => {}
        }
        self.attend();
    }

    fn set_faultmask(&mut self, on: bool) {
        if !on || self.execution_priority(true) > -1 {
            self.faultmask = on;
        }
    }

    /// CPSIE and CPSID.
    pub(super) fn change_masks(&mut self, operand: u32) {
        if !self.privileged() {
            return;
        }
        let disable = operand & 16 != 0;
        if operand & 2 != 0 {
            self.primask = disable;
        }
        if operand & 1 != 0 {
            self.set_faultmask(disable);
        }
        self.attend();
    }

    /// The access of LDRT and its like: as user code would do it.
    pub(super) fn as_user<T>(&mut self, access: impl FnOnce(&mut Cpu) -> Result<T, Trap>) -> Result<T, Trap> {
        self.as_user = true;
        let result = access(self);
        self.as_user = false;
        result
    }
}
