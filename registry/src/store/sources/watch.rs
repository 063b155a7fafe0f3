//! Looking at the sources again and again. Polling sees every change on every kind of mount, also where a file system tells
//! nobody: network mounts, and mounts that are swapped whole.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use super::read::{fingerprint, read};
use super::{Source, Sources};
use crate::store::Inner;
use crate::store::rows::ScopeKey;

/// How often sources are looked at, unless a test says otherwise.
pub const SOURCE_POLL: Duration = Duration::from_secs(2);

impl Sources {
    /// Reads what has changed since it was read last. A source that cannot be read keeps what it listed.
    ///
    /// # Errors
    /// The first source that cannot be read, when `strict`.
    pub(in crate::store) fn refresh(&self, strict: bool) -> Result<Vec<ScopeKey>, String> {
        let mut changed = Vec::new();
        for source in &self.sources {
            match source.refresh() {
                Ok(true) => {
                    let key = ScopeKey::of(&source.spec.scope);
                    if let Some(generation) = self.generations.get(&key) {
                        // After the new list is in its place: who sees the new count reads the new list.
                        generation.fetch_add(1, Ordering::SeqCst);
                    }
                    changed.push(key);
                }
                Ok(false) => {}
                Err(error) if strict => return Err(error),
                Err(error) => {
                    tracing::warn!(source.name = source.label, error, "a source cannot be read")
                }
            }
        }
        Ok(changed)
    }
}

impl Source {
    /// Whether what it lists may have changed.
    fn refresh(&self) -> Result<bool, String> {
        let seen = fingerprint(&self.spec.directory)?;
        if self.listed().fingerprint == Some(seen) {
            return Ok(false);
        }
        let (skills, refused) = read(&self.spec.directory)?;
        for (path, why) in &refused {
            tracing::warn!(source.name = self.label, path = %path.display(), why, "a skill of a source is left out");
        }
        tracing::info!(
            source.name = self.label,
            skills = skills.len(),
            left_out = refused.len(),
            "a source was read"
        );
        // If it changed while it was read, the next look sees another fingerprint and reads it again.
        let mut listed = self.listed.write().unwrap_or_else(PoisonError::into_inner);
        *listed = Arc::new(super::Listed {
            skills,
            fingerprint: Some(seen),
        });
        Ok(true)
    }
}

/// Looks at the sources until the store is gone.
pub(in crate::store) async fn watch(inner: std::sync::Weak<Inner>, period: Duration) {
    let mut ticks = tokio::time::interval(period);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let Some(inner) = inner.upgrade() else {
            return;
        };
        let looked = tokio::task::spawn_blocking(move || {
            if let Ok(changed) = inner.sources.refresh(false)
                && !changed.is_empty()
            {
                inner.live.note_source_change();
            }
        });
        // A look that panicked is followed by the next one.
        let _ = looked.await;
    }
}
