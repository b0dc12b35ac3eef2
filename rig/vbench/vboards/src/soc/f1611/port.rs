//! A digital port: eight pins (SLAU049F chapter 9; pin schematics in SLAS368).

/// Registers of a port, in the order of ports 1 and 2; ports 3 to 6 have IN, OUT, DIR, SEL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Register {
    In,
    Out,
    Dir,
    Ifg,
    Ies,
    Ie,
    Sel,
}

/// The state of one port.
#[derive(Clone, Debug, Default)]
pub struct Port {
    pub out: u8,
    pub dir: u8,
    pub ifg: u8,
    pub ies: u8,
    pub ie: u8,
    pub sel: u8,
    /// Pins whose module decides the direction, and those of them that it drives.
    pub module_rules: u8,
    pub module_drives: u8,
    /// Levels that modules put on selected pins.
    pub module_level: u8,
    /// Pins that something outside drives, and with which level.
    driven: u8,
    driven_level: u8,
    /// Levels of nets without a driver.
    rest: u8,
    net: u8,
}

impl Port {
    pub fn new(rest: u8) -> Port {
        Port {
            rest,
            net: rest,
            ..Port::default()
        }
    }

    pub fn net(&self) -> u8 {
        self.net
    }

    /// Something outside drives a pin.
    pub fn drive(&mut self, bit: u16, level: bool) {
        let mask = 1 << bit;
        self.driven |= mask;
        self.driven_level = if level {
            self.driven_level | mask
        } else {
            self.driven_level & !mask
        };
    }

    /// A module's output has a new level.
    pub fn set_module(&mut self, bit: u16, level: bool) {
        let mask = 1 << bit;
        self.module_level = if level {
            self.module_level | mask
        } else {
            self.module_level & !mask
        };
    }

    fn wanted(&self) -> u8 {
        let module = self.sel & self.module_rules;
        let drives = self.dir & !module | self.module_drives & module;
        let own = self.out & !self.sel | self.module_level & self.sel;
        let outside = self.driven_level & self.driven | self.rest & !self.driven;
        own & drives | outside & !drives
    }

    /// The nets take their levels; returns those that change. Edges of pins set interrupt flags (ports 1 and 2; the
    /// others have no such register and none is read).
    pub fn settle(&mut self) -> u8 {
        let net = self.wanted();
        let changed = net ^ self.net;
        self.net = net;
        self.ifg |= changed & (net ^ self.ies);
        changed
    }

    pub fn interrupt(&self) -> bool {
        self.ifg & self.ie != 0
    }

    pub fn read(&self, register: Register) -> u8 {
        match register {
            Register::In => self.net,
            Register::Out => self.out,
            Register::Dir => self.dir,
            Register::Ifg => self.ifg,
            Register::Ies => self.ies,
            Register::Ie => self.ie,
            Register::Sel => self.sel,
        }
    }

    /// Writing IES may set flags (SLAU049F 9.2.6, "may"): here it never does.
    pub fn write(&mut self, register: Register, value: u8) {
        match register {
            Register::In => {}
            Register::Out => self.out = value,
            Register::Dir => self.dir = value,
            Register::Ifg => self.ifg = value,
            Register::Ies => self.ies = value,
            Register::Ie => self.ie = value,
            Register::Sel => self.sel = value,
        }
    }

    /// PUC: all but OUT and IES is cleared (SLAU049F 9.3); what is outside stays.
    pub fn reset(&mut self) {
        self.dir = 0;
        self.ifg = 0;
        self.ie = 0;
        self.sel = 0;
    }
}
