//! Prompt templates for roles of workflows. They are content like skills, under `/v1/skills/{scope}/prompt:{name}`; what is here
//! is asking for one.

pub(in crate::http) mod resolve;
