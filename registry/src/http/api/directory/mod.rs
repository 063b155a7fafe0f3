//! Who and what there is: users, tenants, members, services, settings.

pub(in crate::http) mod members;
pub(in crate::http) mod services;
pub(in crate::http) mod settings;
pub(in crate::http) mod tenants;
pub(in crate::http) mod users;
