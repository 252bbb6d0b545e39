//! Estimates at the same time, where there are threads.

/// How many threads the machine runs at a time; one where there are none.
pub fn threads() -> usize {
    if cfg!(target_arch = "wasm32") {
        return 1;
    }
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// The results of `of` for some items, in their order: on as many threads as the machine runs at a time.
#[cfg(not(target_arch = "wasm32"))]
pub fn each<I: Sync, T: Send>(items: &[I], of: impl Fn(&I) -> T + Sync) -> Vec<T> {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    let threads = threads().min(items.len());
    if threads < 2 {
        return items.iter().map(of).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut found = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else {
                return found;
            };
            found.push((at, of(item)));
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
    all.sort_unstable_by_key(|&(at, _)| at);
    all.into_iter().map(|(_, found)| found).collect()
}

/// The results of `of` for some items, one after the other.
#[cfg(target_arch = "wasm32")]
pub fn each<I: Sync, T: Send>(items: &[I], of: impl Fn(&I) -> T + Sync) -> Vec<T> {
    items.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::each;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let numbers: Vec<u64> = (3..50).collect();
        let squares: Vec<u64> = numbers.iter().map(|number| number * number).collect();
        assert_eq!(each(&numbers, |number| number * number), squares);
        assert_eq!(each(&[], |number: &u64| *number), Vec::<u64>::new());
    }
}
