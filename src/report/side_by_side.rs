//! Work on several ranks at a time, where there are threads.

use std::ops::Range;

/// What `of` gives for each of some numbers, in their order: on as many threads as the machine runs at a time.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn each<T: Send>(numbers: Range<u64>, of: impl Fn(u64) -> T + Sync) -> Vec<T> {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread;
    let threads = thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    let threads = threads.min(numbers.end.saturating_sub(numbers.start));
    if threads < 2 {
        return numbers.map(of).collect();
    }
    let next = AtomicU64::new(numbers.start);
    let work = || {
        let mut found = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= numbers.end {
                return found;
            }
            found.push((number, of(number)));
        }
    };
    let mut all = thread::scope(|scope| {
        // One of the threads is this one.
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut all = work();
        for other in others {
            match other.join() {
                Ok(found) => all.extend(found),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    all.sort_unstable_by_key(|&(number, _)| number);
    all.into_iter().map(|(_, found)| found).collect()
}

/// The same one after the other.
#[cfg(target_arch = "wasm32")]
pub(super) fn each<T: Send>(numbers: Range<u64>, of: impl Fn(u64) -> T + Sync) -> Vec<T> {
    numbers.map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::each;

    #[test]
    fn what_is_found_stands_in_order() {
        let squares: Vec<u64> = (3..50).map(|number| number * number).collect();
        assert_eq!(each(3..50, |number| number * number), squares);
        assert_eq!(each(5..5, |number| number), Vec::<u64>::new());
    }
}
