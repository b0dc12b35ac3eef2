//! Search in increasing numbers from a place that is near.

/// How many of increasing numbers are less than a number, sought around `near` of them.
pub fn less(numbers: &[i64], number: i64, near: usize) -> usize {
    let (mut low, mut high) = (near, numbers.len());
    let mut reach = 1;
    if near > 0 && numbers[near - 1] >= number {
        (low, high) = (0, near - 1);
        while reach < near {
            if numbers[near - 1 - reach] < number {
                low = near - reach;
                break;
            }
            high = near - 1 - reach;
            reach *= 2;
        }
    } else {
        while near + reach <= numbers.len() {
            if numbers[near + reach - 1] >= number {
                high = near + reach - 1;
                break;
            }
            low = near + reach;
            reach *= 2;
        }
    }
    low + numbers[low..high].partition_point(|&other| other < number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_that_of_a_search_from_the_start() {
        const NUMBERS: [i64; 8] = [5, 5, 7, 9, 20, 20, 21, 30];
        for number in 0..40 {
            let expected = NUMBERS.iter().filter(|&&other| other < number).count();
            for near in 0..=NUMBERS.len() {
                assert_eq!(expected, less(&NUMBERS, number, near));
            }
        }
    }
}
