//! A few results worked out by hand; the rest is compared with another emulator in `rig/vbench/tests/core_oracle`.

use super::*;

fn with<T>(fpscr: u32, compute: impl FnOnce(&mut Environment) -> T) -> (T, u32) {
    let mut env = Environment { fpscr };
    let result = compute(&mut env);
    (result, env.fpscr & !fpscr)
}

#[test]
fn a_third_rounds_by_mode() {
    let third = |mode: u32| with(mode << MODE_SHIFT, |env| env.div(0x3F80_0000, 0x4040_0000));
    assert_eq!((0x3EAA_AAAB, IXC), third(0));
    assert_eq!((0x3EAA_AAAB, IXC), third(1));
    assert_eq!((0x3EAA_AAAA, IXC), third(2));
    assert_eq!((0x3EAA_AAAA, IXC), third(3));
}

#[test]
fn hardware_agrees_where_it_rounds_to_nearest() {
    // A walk over the bit patterns with a stride that is not a power of two.
    let mut pattern = 0x1234_5678u32;
    for _ in 0..20_000 {
        let next = pattern.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (a, b) = (f32::from_bits(pattern), f32::from_bits(next));
        pattern = next.rotate_left(7);
        if a.is_nan() || b.is_nan() {
            continue;
        }
        let (x, y) = (a.to_bits(), b.to_bits());
        let same = |wanted: f32, got: u32| wanted.is_nan() || wanted.to_bits() == got;
        assert!(same(a + b, with(0, |env| env.add(x, y, false)).0), "{:x} + {:x}", x, y);
        assert!(same(a * b, with(0, |env| env.mul(x, y)).0), "{:x} * {:x}", x, y);
        assert!(same(a / b, with(0, |env| env.div(x, y)).0), "{:x} / {:x}", x, y);
        assert!(same(a.sqrt(), with(0, |env| env.sqrt(x)).0), "sqrt {:x}", x);
    }
}

#[test]
fn flags_tell_what_happened() {
    assert_eq!((0x7F80_0000, DZC), with(0, |env| env.div(0x3F80_0000, 0)));
    assert_eq!((DEFAULT_NAN, IOC), with(0, |env| env.sqrt(0xBF80_0000)));
    assert_eq!(
        (0x7F80_0000, OFC | IXC),
        with(0, |env| env.mul(0x7F00_0000, 0x7F00_0000))
    );
    assert_eq!((0, UFC), with(FZ, |env| env.mul(0x0080_0000, 0x3F00_0000)));
    assert_eq!((0x3F80_0000, IDC), with(FZ, |env| env.add(0x3F80_0000, 1, false)));
    assert_eq!((0x7FC0_0001, IOC), with(0, |env| env.add(0x7F80_0001, 0, false)));
    assert_eq!((DEFAULT_NAN, IOC), with(DN, |env| env.add(0x7F80_0001, 0, false)));
}

#[test]
fn halves_convert_both_ways() {
    for half in 0..=0x7C00 {
        let (single, _) = with(0, |env| env.half_to_single(half));
        assert_eq!((half, 0), with(0, |env| env.single_to_half(single)));
    }
    assert_eq!((0x7FFF, IOC), with(AHP, |env| env.single_to_half(INFINITY)));
}
