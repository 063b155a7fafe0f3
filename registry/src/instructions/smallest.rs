//! The smallest of many, in memory for the few.

use std::collections::BinaryHeap;

use super::MAX_ENTRIES;

/// The smallest 200 of what is put in, and how many others there were.
#[derive(Debug)]
pub(super) struct Smallest<T> {
    heap: BinaryHeap<T>,
    more: u64,
}

impl<T: Ord> Smallest<T> {
    pub(super) fn new() -> Self {
        Self {
            heap: BinaryHeap::with_capacity(MAX_ENTRIES),
            more: 0,
        }
    }

    /// Puts one in, and the largest out when there is no room for both.
    pub(super) fn push(&mut self, item: T) {
        if self.heap.len() < MAX_ENTRIES {
            self.heap.push(item);
            return;
        }
        self.more = self.more.saturating_add(1);
        if let Some(mut largest) = self.heap.peek_mut()
            && item < *largest
        {
            *largest = item;
        }
    }

    /// Those that are kept, in order, and how many are not.
    pub(super) fn into_sorted(self) -> (Vec<T>, u64) {
        (self.heap.into_sorted_vec(), self.more)
    }
}
