//! Access port protection: whether a debugger reaches the core and what the core reaches.
//!
//! Of chips up to build code Dxx UICR.APPROTECT decides, as a reset finds it. From Fxx on a chip is open only while
//! UICR.APPROTECT is HwDisabled and the firmware has written SwDisable since the last reset of all of it; or after an ERASEALL of
//! CTRL-AP, until such a reset (PS "Debug and trace", access port protection; registers and values: nrf52840.svd, nrfx 3.14.0).
//! Not modelled: the debug interface mode, in which a watchdog's reset does not close; System OFF.

/// Build codes of a chip (FICR, VARIANT) that differ here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BuildCode {
    #[default]
    D0,
    F0,
}

impl BuildCode {
    /// By the name that a bench file has for it.
    pub fn parse(name: &str) -> Result<BuildCode, String> {
        match name {
            "D0" => Ok(BuildCode::D0),
            "F0" => Ok(BuildCode::F0),
            other => Err(format!("no build_code \"{}\"; there are: D0, F0", other)),
        }
    }
}

/// Word of UICR.APPROTECT (0x10001208).
pub const UICR_WORD: usize = 0x208 / 4;
/// Its field PALL, and the values that open: of Dxx "Disabled" (any other one protects: the crate nrf52832-pac, PALL), of Fxx
/// "HwDisabled".
const PALL: u32 = 0xFF;
const DISABLED: u32 = 0xFF;
const HW_DISABLED: u32 = 0x5A;
/// APPROTECT.DISABLE, "SwDisable"; APPROTECT.FORCEPROTECT, "Force".
const SW_DISABLE: u32 = 0x5A;
const FORCE: u32 = 0;
const FORCEPROTECT: u32 = 0x550;
const DISABLE: u32 = 0x558;

/// The registers APPROTECT, and what opens the access port beside them.
#[derive(Clone, Debug)]
pub struct Protection {
    build_code: BuildCode,
    /// UICR.APPROTECT, as the last reset found it.
    found: u32,
    disable: u32,
    forced: bool,
    /// By an ERASEALL of CTRL-AP.
    erased: bool,
}

impl Protection {
    /// After power-on.
    pub fn new(build_code: BuildCode, uicr: u32) -> Protection {
        Protection {
            build_code,
            found: uicr & PALL,
            disable: 0,
            forced: false,
            erased: false,
        }
    }

    /// After a reset; one of the whole chip is by its pin or the watchdog.
    pub fn after_reset(&self, uicr: u32, of_all: bool) -> Protection {
        let kept = Protection {
            found: uicr & PALL,
            forced: false,
            ..self.clone()
        };
        if of_all {
            Protection::new(self.build_code, uicr)
        } else {
            kept
        }
    }

    pub fn is_open(&self) -> bool {
        let unlocked = self.found == HW_DISABLED && self.disable == SW_DISABLE;
        match self.build_code {
            BuildCode::D0 => self.found == DISABLED,
            BuildCode::F0 => !self.forced && (self.erased || unlocked),
        }
    }

    /// ERASEALL of CTRL-AP.
    pub fn erase(&mut self) {
        self.erased = true;
    }

    pub fn read(&self, offset: u32) -> Option<u32> {
        match (self.build_code, offset) {
            (BuildCode::F0, FORCEPROTECT) => Some(if self.forced { FORCE } else { u32::MAX }),
            (BuildCode::F0, DISABLE) => Some(self.disable),
            _ => None,
        }
    }

    pub fn write(&mut self, offset: u32, value: u32) -> Option<()> {
        match (self.build_code, offset) {
            (BuildCode::F0, FORCEPROTECT) => self.forced |= value & PALL == FORCE,
            (BuildCode::F0, DISABLE) => self.disable = value & PALL,
            _ => return None,
        }
        Some(())
    }
}
