//! What the store counts, as metrics.

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric as _};
use prometheus_client::metrics::counter::ConstCounter;

use crate::store::Store;

/// What the store counts, as metrics.
#[derive(Debug)]
pub(super) struct StoreMetrics(pub(super) Store);

impl Collector for StoreMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let counts = self.0.counts();
        for (name, help, value) in [
            (
                "vestry_content_queries",
                "Queries for the content of skills",
                counts.content_queries,
            ),
            (
                "vestry_scope_fills",
                "Times that a scope was read into the cache",
                counts.scope_fills,
            ),
        ] {
            let counter = ConstCounter::new(value);
            let metric = encoder.encode_descriptor(name, help, None, counter.metric_type())?;
            counter.encode(metric)?;
        }
        Ok(())
    }
}
