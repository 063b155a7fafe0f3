//! The arguments of a tool, read as strictly as the body of a request.

use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;

use crate::http::extract::{parse_json, refuse_nul};
use crate::http::problem::Problem;

/// Reads arguments of which texts are kept.
pub(super) fn read_kept<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, Problem> {
    let bytes = serde_json::to_vec(&arguments).map_err(Problem::internal)?;
    let kept = read(arguments)?;
    refuse_nul(&bytes)?;
    Ok(kept)
}

/// Reads arguments; what is wrong with them names the argument.
pub(super) fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, Problem> {
    let bytes = serde_json::to_vec(&arguments).map_err(Problem::internal)?;
    parse_json(&bytes).map_err(|mut problem| {
        // Where it stands in bytes that only this server has written says nothing to anybody.
        if let Problem::Malformed(fault) = &mut problem
            && let Some((sentence, _)) = fault.detail.split_once(" at line ")
        {
            fault.detail = format!("{sentence}.").into();
        }
        problem
    })
}
