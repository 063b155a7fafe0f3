//! Comparing a text with the rules.

use std::ops::Range;

use super::detect::{Detector, urls};
use super::document::Document;
use super::hits::Hits;
use super::matcher::Matcher;
use super::pass::Scan;
use super::scanner::Scanner;
use super::secret;
use super::view::View;

impl Scan {
    /// Finds secrets, in no order.
    pub(super) fn secrets(
        &mut self,
        scanner: &Scanner,
        document: &Document<'_>,
        hits: &mut Hits,
    ) -> Vec<Range<usize>> {
        let bytes = document.text().as_bytes();
        let mut secrets = Vec::new();
        scanner.secrets.find(bytes, &mut self.work, |rule, places| {
            let limits = scanner.limits.get(&rule).copied().unwrap_or_default();
            for place in places {
                let secret = bytes.get(place.clone()).unwrap_or_default();
                let counts = !secret::is_stand_in(secret)
                    && (!limits.mixed || secret::is_mixed(secret))
                    && secret::entropy(secret) >= limits.min_entropy;
                if counts {
                    hits.add(rule, document.line(place.start), place.clone(), None);
                    secrets.push(place);
                }
            }
        });
        secrets
    }

    /// Compares a view with the rules for it. `base` is where in the text it begins.
    pub(super) fn compare(
        &mut self,
        matcher: &Matcher,
        view: &View,
        (document, base): (&Document<'_>, usize),
        hits: &mut Hits,
    ) {
        matcher.find(view.bytes(), &mut self.work, |rule, places| {
            for place in places {
                let start = base.saturating_add(view.origin(place.start));
                let end = base.saturating_add(view.origin(place.end)).max(start);
                hits.add(rule, document.line(start), start..end, None);
            }
        });
    }

    /// Compares the text as it is.
    pub(super) fn text(&mut self, scanner: &Scanner, document: &Document<'_>, hits: &mut Hits) {
        let bytes = document.text().as_bytes();
        scanner.text.find(bytes, &mut self.work, |rule, places| {
            for place in places {
                hits.add(rule, document.line(place.start), place, None);
            }
        });
    }

    /// Finds addresses.
    pub(super) fn hosts(&mut self, scanner: &Scanner, document: &Document<'_>, hits: &mut Hits) {
        for address in urls::find(document.text()) {
            let line = document.line(address.place.start);
            let host = address.host.clone();
            for detector in address.odd() {
                if let Some(rule) = scanner.detector(detector) {
                    hits.add(
                        rule,
                        line,
                        address.place.clone(),
                        Some(format!("The host is `{host}`.")),
                    );
                }
            }
            let known = scanner
                .hosts
                .iter()
                .filter(|(known, _)| address.is_at(known))
                .map(|(_, rule)| *rule)
                .max_by_key(|rule| scanner.rules.get(*rule).map(|rule| rule.severity));
            let rule = known.or_else(|| {
                let is_external = address.is_external();
                scanner
                    .detector(Detector::ExternalUrl)
                    .filter(|_| is_external)
            });
            if let Some(rule) = rule
                && self.hosts.insert((host.clone(), rule))
            {
                hits.add(
                    rule,
                    line,
                    address.place,
                    Some(format!("The host is `{host}`.")),
                );
            }
        }
    }
}
