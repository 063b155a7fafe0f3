//! One kind of thing that was verified.

/// The most findings of a kind that are said one by one.
const MOST_FAULTS: usize = 20;

/// One kind of thing: how many there are, and what is wrong with them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    name: &'static str,
    checked: u64,
    found: u64,
    faults: Vec<String>,
}

impl Part {
    pub(super) fn new(name: &'static str) -> Self {
        Self {
            name,
            checked: 0,
            found: 0,
            faults: Vec::new(),
        }
    }

    /// So many more were looked at.
    pub(super) fn checked(&mut self, number: u64) {
        self.checked = self.checked.saturating_add(number);
    }

    /// Something is wrong, in a sentence with its place.
    pub(super) fn fault(&mut self, sentence: String) {
        self.found = self.found.saturating_add(1);
        if self.faults.len() < MOST_FAULTS {
            self.faults.push(sentence);
        }
    }

    /// What they are, such as `revisions`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// How many were looked at.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.checked
    }

    /// How much is wrong.
    #[must_use]
    pub fn found(&self) -> u64 {
        self.found
    }

    /// What is wrong, a sentence each with its place; the first twenty.
    #[must_use]
    pub fn faults(&self) -> &[String] {
        &self.faults
    }
}
