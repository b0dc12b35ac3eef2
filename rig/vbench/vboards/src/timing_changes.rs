//! A changed timing model, to find out how much a result depends on it. Boards with a Cortex-M only.

use crate::core::v7m::timing::TimingModel;

/// The most that a setting may be: an instruction stays far shorter than the reaction time of the air.
const MOST: u64 = 20;

type Change = fn(&mut TimingModel, u64);

/// Every setting by name; [`TimingModel`] says what each is.
const SETTINGS: [(&str, Change); 33] = [
    ("flash_wait_states", |model, n| model.flash_wait_states = Some(n)),
    ("flash_prefetch", |model, n| model.flash_prefetch = Some(n)),
    ("apb1_wait_cycles", |model, n| model.apb1_wait_cycles = Some(n)),
    ("apb2_wait_cycles", |model, n| model.apb2_wait_cycles = Some(n)),
    ("refill", |model, n| model.refill = n),
    ("refill_decoded", |model, n| model.refill_decoded = n),
    ("refill_ram", |model, n| model.refill_ram = n),
    ("refill_unaligned", |model, n| model.refill_unaligned = n),
    ("branch_keeps_line", |model, n| model.branch_keeps_line = n),
    ("branch_waits", |model, n| model.branch_waits = n),
    ("fetch_ahead", |model, n| model.fetch_ahead = n),
    ("it_folds", |model, n| model.it_folds = n.min(1)),
    ("address_interlock", |model, n| model.address_interlock = n),
    ("store_load", |model, n| model.store_load = n),
    ("write_buffer", |model, n| model.write_buffer = n),
    ("load", |model, n| model.load = n),
    ("store_indexed", |model, n| model.store_indexed = n),
    ("per_register", |model, n| model.per_register = n),
    ("access", |model, n| model.access = n),
    ("unaligned", |model, n| model.unaligned = n),
    ("multiply_accumulate", |model, n| model.multiply_accumulate = n),
    ("long_multiply", |model, n| model.long_multiply = n),
    ("long_multiply_wide", |model, n| model.long_multiply_wide = n),
    ("long_multiply_accumulate", |model, n| {
        model.long_multiply_accumulate = n
    }),
    ("special_register", |model, n| model.special_register = n),
    ("table_branch", |model, n| model.table_branch = n),
    ("load_pc", |model, n| model.load_pc = n),
    ("exception_entry", |model, n| model.exception_entry = n),
    ("exception_return", |model, n| model.exception_return = n),
    ("tail_chain", |model, n| model.tail_chain = n),
    ("float_stacking", |model, n| model.float_stacking = n),
    ("dma_hold", |model, n| model.dma_hold = n),
    ("dma_transfer", |model, n| model.dma_transfer = n.max(3)),
];

/// What is changed, in the order it was asked for.
#[derive(Clone, Default)]
pub struct TimingChanges {
    changes: Vec<(Change, u64)>,
}

impl TimingChanges {
    /// Changes one number of the model.
    pub fn set(&mut self, name: &str, value: u64) -> Result<(), String> {
        let change = SETTINGS.iter().find(|setting| setting.0 == name).ok_or_else(|| {
            let names: Vec<&str> = SETTINGS.iter().map(|setting| setting.0).collect();
            format!(
                "no setting \"{}\" of the timing model; there are: {}",
                name,
                names.join(", ")
            )
        })?;
        if value > MOST {
            return Err(format!("{} = {}: at most {} cycles", name, value, MOST));
        }
        self.changes.push((change.1, value));
        Ok(())
    }

    /// A model with the changes.
    pub fn applied(&self, mut model: TimingModel) -> TimingModel {
        for (change, value) in &self.changes {
            change(&mut model, *value);
        }
        model
    }
}
