//! Output up to its bound.

use std::io;

use handlebars::Output;

use super::meter::Meter;

/// What stands at the end of a text that was cut.
pub(super) const MARKER: &str = "\n[cut: the rest is longer than the limit]";

pub(super) struct Bounded<'m> {
    text: String,
    most: usize,
    cut: bool,
    meter: &'m Meter,
}

/// At most so many bytes of a text, at a character boundary.
fn at_most(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes))
        .unwrap_or_default()
}

impl<'m> Bounded<'m> {
    pub(super) fn new(most: usize, meter: &'m Meter) -> Bounded<'m> {
        Bounded {
            text: String::new(),
            most,
            cut: false,
            meter,
        }
    }

    pub(super) fn is_cut(&self) -> bool {
        self.cut
    }

    pub(super) fn finish(self) -> String {
        if !self.cut {
            return self.text;
        }
        let mut text = self.text;
        let kept = at_most(&text, self.most.saturating_sub(MARKER.len())).len();
        text.truncate(kept);
        text.push_str(at_most(MARKER, self.most));
        text
    }
}

impl Output for Bounded<'_> {
    fn write(&mut self, text: &str) -> io::Result<()> {
        self.meter.tick().map_err(io::Error::other)?;
        let left = self.most.saturating_sub(self.text.len());
        if text.len() > left {
            self.text.push_str(at_most(text, left));
            self.cut = true;
            return Err(io::Error::other("the output is longer than its limit"));
        }
        self.text.push_str(text);
        Ok(())
    }
}
