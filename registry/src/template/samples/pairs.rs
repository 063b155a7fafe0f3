//! Choices in which any two factors are met in all four ways.

use super::factors::Factors;

/// Whether something is there.
pub(super) type Choice = bool;

/// Lists of choices, one choice for each factor, that meet every pair that can be met, as far as `most` lists do.
///
/// Greedy: each list takes the first pair that is not met yet, with what it needs, and then chooses for one factor after
/// the other what meets most further pairs.
pub(super) fn cover(factors: &Factors, most: usize) -> Vec<Vec<Choice>> {
    let mut open = Open::of(factors);
    let mut lists = Vec::new();
    loop {
        let mut list = Partial::new(factors);
        if let Some(pair) = open.first() {
            list.take(&pair);
        }
        for index in 0..factors.list.len() {
            list.choose(index, &open);
        }
        open.remove(&list);
        lists.push(list.complete());
        if open.first().is_none() || lists.len() >= most {
            return lists;
        }
    }
}

/// Two factors, and the choice for each.
type Pair = [(usize, Choice); 2];

/// The four ways to choose for two factors.
const WAYS: [(Choice, Choice); 4] = [(true, true), (true, false), (false, true), (false, false)];

/// The pairs that are not met yet, as four bits for each two factors.
struct Open {
    factors: usize,
    ways: Vec<u8>,
}

impl Open {
    /// Every pair that some context of the situation meets.
    fn of(factors: &Factors) -> Self {
        let count = factors.list.len();
        let mut open = Self {
            factors: count,
            ways: vec![0; count * count],
        };
        for one in 0..count {
            for other in 0..one {
                for (first, second) in WAYS {
                    let pair = [(one, first), (other, second)];
                    if Partial::new(factors).take(&pair)
                        && let Some(ways) = open.ways.get_mut(one * count + other)
                    {
                        *ways |= way(first, second);
                    }
                }
            }
        }
        open
    }

    fn first(&self) -> Option<Pair> {
        let place = self.ways.iter().position(|ways| *ways != 0)?;
        let ways = *self.ways.get(place)?;
        let (first, second) = WAYS
            .into_iter()
            .find(|(first, second)| ways & way(*first, *second) != 0)?;
        // There is a place, so that there are factors.
        let (one, other) = (place / self.factors, place % self.factors);
        Some([(one, first), (other, second)])
    }

    /// The ways that are open for two factors, whichever comes first.
    fn has(&self, [(one, first), (other, second)]: Pair) -> bool {
        let (place, bit) = if one > other {
            (one * self.factors + other, way(first, second))
        } else {
            (other * self.factors + one, way(second, first))
        };
        self.ways.get(place).is_some_and(|ways| ways & bit != 0)
    }

    /// Whether anything is open for a factor that is there or not.
    fn has_any(&self, index: usize) -> bool {
        let row = (0..index).map(|other| index * self.factors + other);
        let column = (index + 1..self.factors).map(|one| one * self.factors + index);
        row.chain(column)
            .any(|place| self.ways.get(place).is_some_and(|ways| *ways != 0))
    }

    /// Takes out what a list meets.
    fn remove(&mut self, list: &Partial<'_>) {
        for one in 0..self.factors {
            for other in 0..one {
                if let (Some(first), Some(second)) = (list.met(one), list.met(other))
                    && let Some(ways) = self.ways.get_mut(one * self.factors + other)
                {
                    *ways &= !way(first, second);
                }
            }
        }
    }
}

fn way(first: Choice, second: Choice) -> u8 {
    1 << (u8::from(first) * 2 + u8::from(second))
}

/// Choices of which some are still open.
struct Partial<'f> {
    factors: &'f Factors,
    choices: Vec<Option<Choice>>,
}

impl<'f> Partial<'f> {
    fn new(factors: &'f Factors) -> Self {
        Self {
            factors,
            choices: factors.list.iter().map(|factor| factor.fixed).collect(),
        }
    }

    /// Chooses so that the pair is met; whether that was possible. Otherwise nothing changes.
    fn take(&mut self, pair: &Pair) -> bool {
        let mut wanted = Vec::with_capacity(8);
        for (index, choice) in pair {
            wanted.push((*index, *choice));
            // What is absent because something above it is absent was never asked.
            wanted.extend(self.above(*index).map(|above| (above, true)));
        }
        let free = wanted.iter().all(|(index, choice)| {
            self.choices
                .get(*index)
                .is_some_and(|chosen| chosen.is_none_or(|chosen| chosen == *choice))
        });
        let contradicts = wanted
            .iter()
            .any(|(index, choice)| wanted.contains(&(*index, !choice)));
        if !free || contradicts {
            return false;
        }
        for (index, choice) in wanted {
            self.set(index, choice);
        }
        true
    }

    /// Chooses for a factor what meets most pairs with those that were chosen before.
    fn choose(&mut self, index: usize, open: &Open) {
        let chosen = self.choices.get(index).is_some_and(Option::is_some);
        if chosen
            || self
                .above(index)
                .any(|above| self.choice(above) != Some(true))
        {
            return;
        }
        let gain = |choice: Choice| {
            (0..open.factors)
                .filter(|other| *other != index)
                .filter_map(|other| self.met(other).map(|second| (other, second)))
                .filter(|other| open.has([(index, choice), *other]))
                .count()
        };
        // What is below can only be met while this is there.
        let below = self
            .factors
            .list
            .iter()
            .enumerate()
            .filter(|(below, _)| self.above(*below).any(|above| above == index))
            .filter(|(below, _)| open.has_any(*below))
            .count();
        let there = gain(true) + below >= gain(false);
        self.set(index, there);
    }

    /// The choice of a factor, if a context with these choices shows it.
    fn met(&self, index: usize) -> Option<Choice> {
        if self
            .above(index)
            .all(|above| self.choice(above) == Some(true))
        {
            self.choice(index)
        } else {
            None
        }
    }

    fn choice(&self, index: usize) -> Option<Choice> {
        self.choices.get(index).copied().flatten()
    }

    fn set(&mut self, index: usize, choice: Choice) {
        if let Some(chosen) = self.choices.get_mut(index) {
            *chosen = Some(choice);
        }
    }

    /// Everything above a factor, the nearest first.
    fn above(&self, index: usize) -> impl Iterator<Item = usize> + use<'f> {
        let factors = self.factors;
        let of = move |index: usize| factors.list.get(index).and_then(|factor| factor.above);
        std::iter::successors(of(index), move |above| of(*above))
    }

    fn complete(self) -> Vec<Choice> {
        self.choices
            .into_iter()
            .map(Option::unwrap_or_default)
            .collect()
    }
}
