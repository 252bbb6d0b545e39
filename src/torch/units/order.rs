//! Putting short lists in order.

/// Sorts as `sort_by_key` does, equal ones staying as they came, by moving each down to its place:
/// for lists of a few dozen. The standard library's sort comes anew with each kind of thing, some
/// 3 KB a time, which the page would have to download.
pub fn sort_short<T, K: Ord>(list: &mut [T], key: impl Fn(&T) -> K) {
    for end in 1..list.len() {
        let mut at = end;
        while at > 0 && key(&list[at - 1]) > key(&list[at]) {
            list.swap(at - 1, at);
            at -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sort_short;

    #[test]
    fn short_lists_are_sorted_and_equal_ones_stay_as_they_came() {
        let mut list = [(3, 'a'), (1, 'b'), (3, 'c'), (2, 'd'), (1, 'e')];
        let mut expected = list;
        sort_short(&mut list, |&(key, _)| key);
        expected.sort_by_key(|&(key, _)| key);
        assert_eq!(list, expected);
    }
}
