//! The C interfaces of [`crate::table`] and [`crate::vcd`]: text to changes.

use super::{guarded, input, output, REFUSED};
use crate::table::{Changes, Keys, State, GROUP};
use crate::vcd;

/// # Safety
/// Each pointer refers to `capacity` writable elements, and no two of them overlap.
unsafe fn changes<'a>(
    times: *mut i64,
    masks: *mut u64,
    values: *mut u64,
    unknown: *mut u64,
    offsets: *mut i64,
    capacity: usize,
) -> Option<Changes<'a>> {
    // SAFETY: as the caller promises; null is checked.
    unsafe {
        Some(Changes {
            times: output(times, capacity)?,
            masks: output(masks, capacity)?,
            values: output(values, capacity)?,
            unknown: output(unknown, capacity)?,
            offsets: output(offsets, capacity)?,
            groups: &mut [],
        })
    }
}

/// Read lines of a table; returns the number of changes.
///
/// `keys` holds the names of channels, each ended by a newline, in `keys_length` of its `keys_capacity` bytes; while
/// scanning, new ones are added as far as there is room, and `keys_length` tells. `groups` has `capacity` elements where a
/// column holds the number of a group, and none otherwise.
///
/// # Safety
/// `state` and `keys_length` point to one valid object each; `data` to `length` readable bytes, `roles` and `bits` to
/// `columns` and `bits_length` readable elements, `keys` to `keys_capacity` writable bytes, `groups` to `group_count`, the
/// others to `capacity` writable elements; and no two of them overlap.
#[no_mangle]
pub unsafe extern "C" fn gpiorig_table_feed(
    state: *mut State,
    data: *const u8,
    length: usize,
    roles: *const i32,
    columns: usize,
    bits: *const i32,
    bits_length: usize,
    keys: *mut u8,
    keys_capacity: usize,
    keys_length: *mut usize,
    times: *mut i64,
    masks: *mut u64,
    values: *mut u64,
    unknown: *mut u64,
    offsets: *mut i64,
    capacity: usize,
    groups: *mut i64,
    group_count: usize,
) -> i64 {
    guarded(|| {
        // SAFETY: the caller promises valid, disjoint objects of these lengths (see above); null is checked.
        let parts = unsafe {
            (
                state.as_mut(),
                input(data, length),
                input(roles, columns),
                input(bits, bits_length),
                output(keys, keys_capacity),
                keys_length.as_mut(),
                changes(times, masks, values, unknown, offsets, capacity),
                output(groups, group_count),
            )
        };
        let (state, data, roles, bits, keys, keys_length, mut out) = match parts {
            (Some(a), Some(b), Some(c), Some(d), Some(e), Some(f), Some(g), Some(groups)) => {
                (a, b, c, d, e, f, Changes { groups, ..g })
            }
            _ => return REFUSED,
        };
        let valid = *keys_length <= keys.len() && roles.iter().all(|role| (GROUP..64).contains(role));
        if !valid || state.numerator <= 0 || state.denominator <= 0 {
            return REFUSED;
        }
        let mut known = Keys::new(&keys[..*keys_length], keys.len());
        let before = known.names.len();
        let count = state.feed(data, roles, bits, &mut known, &mut out);
        for name in &known.names[before..] {
            let end = *keys_length + name.len() + 1;
            if let Some(place) = keys.get_mut(*keys_length..end) {
                place[..name.len()].copy_from_slice(name);
                place[name.len()] = b'\n';
                *keys_length = end;
            } else {
                return REFUSED;
            }
        }
        count as i64
    })
}

/// Read value changes of a VCD file; returns the number of changes.
///
/// # Safety
/// `state` points to one valid object, `data` to `length` readable bytes, `variables` to `variable_count` readable
/// elements, the others to `capacity` writable elements; and no two of them overlap.
#[no_mangle]
pub unsafe extern "C" fn gpiorig_vcd_feed(
    state: *mut vcd::State,
    data: *const u8,
    length: usize,
    variables: *const vcd::Variable,
    variable_count: usize,
    times: *mut i64,
    masks: *mut u64,
    values: *mut u64,
    unknown: *mut u64,
    offsets: *mut i64,
    capacity: usize,
) -> i64 {
    guarded(|| {
        // SAFETY: the caller promises valid, disjoint objects of these lengths (see above); null is checked.
        let parts = unsafe {
            (
                state.as_mut(),
                input(data, length),
                input(variables, variable_count),
                changes(times, masks, values, unknown, offsets, capacity),
            )
        };
        match parts {
            (Some(state), Some(data), Some(variables), Some(mut out))
                if state.numerator > 0
                    && state.denominator > 0
                    && variables.iter().all(|variable| variable.first < 64) =>
            {
                state.feed(data, variables, &mut out) as i64
            }
            _ => REFUSED,
        }
    })
}
