//! Which exit ends which enter: `gpiorig.analysis.events.span_ends` has the rules.

/// Events in the order of time.
pub struct Events<'a> {
    pub positions: &'a [i64],
    pub samples: &'a [i64],
    pub nodes: &'a [u16],
    pub codes: &'a [u8],
    pub ids: &'a [i32],
    /// Ends of the gaps, increasing.
    pub gaps: &'a [i64],
}

/// The points whose spans are sought.
pub struct Points<'a> {
    /// By node and code: twice the number of the point, and one for an exit; -1 none.
    pub ends: &'a [i32],
    /// By point, whether ids count.
    pub by_id: &'a [u8],
}

/// Enters that wait for their exits, in the order of their points and of time; the first `count` are used.
pub struct Waiting<'a> {
    pub points: &'a mut [i32],
    pub positions: &'a mut [i64],
    pub ids: &'a mut [i32],
    pub gaps: &'a mut [i64],
    pub count: usize,
}

#[derive(Clone, Copy)]
struct Enter {
    position: i64,
    id: i32,
    /// The number of gaps before it.
    gaps: i64,
}

/// Write the enters and exits of spans in the order of the exits; returns their number, or nothing where an array does
/// not fit the others.
pub fn pairs(
    events: &Events,
    points: &Points,
    waiting: &mut Waiting,
    enters: &mut [i64],
    exits: &mut [i64],
) -> Option<usize> {
    let mut open: Vec<Vec<Enter>> = vec![Vec::new(); points.by_id.len()];
    for at in 0..waiting.count {
        let enter = Enter {
            position: *waiting.positions.get(at)?,
            id: *waiting.ids.get(at)?,
            gaps: *waiting.gaps.get(at)?,
        };
        open.get_mut(usize::try_from(*waiting.points.get(at)?).ok()?)?
            .push(enter);
    }
    let (mut written, mut gaps) = (0, 0);
    for (at, &position) in events.positions.iter().enumerate() {
        let end = *points
            .ends
            .get(usize::from(events.nodes[at]) * 256 + usize::from(events.codes[at]))?;
        let point = match usize::try_from(end) {
            Ok(end) => end / 2,
            Err(_) => continue,
        };
        while gaps < events.gaps.len() && events.gaps[gaps] <= events.samples[at] {
            gaps += 1;
        }
        let id = if *points.by_id.get(point)? != 0 {
            events.ids[at]
        } else {
            -1
        };
        let stack = open.get_mut(point)?;
        if end % 2 == 0 {
            stack.push(Enter {
                position,
                id,
                gaps: gaps as i64,
            });
        } else if let Some(place) = ended(stack, id) {
            let enter = stack.remove(place);
            if enter.gaps == gaps as i64 {
                *enters.get_mut(written)? = enter.position;
                *exits.get_mut(written)? = position;
                written += 1;
            }
        }
    }
    waiting.count = 0;
    for (point, stack) in open.iter().enumerate() {
        for enter in stack {
            *waiting.points.get_mut(waiting.count)? = i32::try_from(point).ok()?;
            *waiting.positions.get_mut(waiting.count)? = enter.position;
            *waiting.ids.get_mut(waiting.count)? = enter.id;
            *waiting.gaps.get_mut(waiting.count)? = enter.gaps;
            waiting.count += 1;
        }
    }
    Some(written)
}

/// The enter that an exit ends: the latest with its id, else the latest without; an exit without id ends any.
fn ended(open: &[Enter], id: i32) -> Option<usize> {
    let latest = |id: i32| open.iter().rposition(|enter| enter.id == id);
    let place = latest(id).or_else(|| latest(-1));
    place.or_else(|| if id < 0 { open.len().checked_sub(1) } else { None })
}

/// Where no span of a node is open, at most one place in `apart` events.
pub struct Closed<'a> {
    pub apart: i64,
    /// By node the last exit of its spans that have begun.
    pub until: &'a mut [i64],
    /// By node the latest place, divided by `apart`.
    pub latest: &'a mut [i64],
}

impl Closed<'_> {
    /// Write the places in some events, from a position on, just before which no span of their node is open; returns
    /// their number. `exits` are those of enters, -1 for other events.
    pub fn find(
        &mut self,
        nodes: &[u16],
        exits: &[i64],
        base: i64,
        out_nodes: &mut [u16],
        out: &mut [i64],
    ) -> Option<usize> {
        let mut written = 0;
        for ((position, &node), &exit) in (base..).zip(nodes).zip(exits) {
            if exit < 0 {
                continue;
            }
            let until = self.until.get_mut(usize::from(node))?;
            let latest = self.latest.get_mut(usize::from(node))?;
            let place = position.checked_div(self.apart)?;
            if position > *until && place != *latest {
                *latest = place;
                *out_nodes.get_mut(written)? = node;
                *out.get_mut(written)? = position;
                written += 1;
            }
            *until = exit.max(*until);
        }
        Some(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enters(ids: &[i32]) -> Vec<Enter> {
        let enter = |(position, &id): (i64, &i32)| Enter { position, id, gaps: 0 };
        (0..).zip(ids).map(enter).collect()
    }

    #[test]
    fn an_exit_ends_the_latest_enter_with_its_id_else_the_latest_without() {
        assert_eq!(Some(1), ended(&enters(&[4, 4, -1, 5]), 4));
        assert_eq!(Some(2), ended(&enters(&[4, 4, -1, 5]), 6));
        assert_eq!(None, ended(&enters(&[4, 5]), 6));
        assert_eq!(Some(1), ended(&enters(&[4, 5]), -1));
        assert_eq!(None, ended(&[], -1));
    }

    #[test]
    fn no_span_is_open_before_the_enter_that_follows_all_exits() {
        let mut closed = Closed {
            apart: 1,
            until: &mut [-1],
            latest: &mut [-1],
        };
        let (mut nodes, mut places) = ([9; 6], [0; 6]);
        let written = closed.find(&[0; 6], &[13, 12, -1, -1, 15, -1], 10, &mut nodes, &mut places);
        assert_eq!((Some(2), [10, 14]), (written, [places[0], places[1]]));
    }
}
