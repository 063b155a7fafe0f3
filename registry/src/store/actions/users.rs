//! Creating a user.

use sea_orm::{ActiveValue::Set, EntityTrait};
use serde::{Deserialize, Serialize};
use vestry_policies::{Action, Target, Username};

use crate::store::authorize::Governed;
use crate::store::entity::user;
use crate::store::error::{StoreError, StoreResult};
use crate::store::work::{Perform, Work};

/// Creates a human who can log in.
#[derive(Clone)]
pub struct CreateUser {
    /// The username.
    pub username: Username,
    /// What people call them.
    pub display_name: String,
    /// The password as a PHC string; hashed before anything is locked.
    pub password_hash: String,
}

impl std::fmt::Debug for CreateUser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CreateUser")
            .field("username", &self.username)
            .finish_non_exhaustive()
    }
}

/// A user that was created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreatedUser {
    /// The username.
    pub username: String,
    /// What people call them.
    pub display_name: String,
}

impl Governed for CreateUser {
    type Outcome = CreatedUser;
    const ACTION: Action = Action::CreateUser;
    fn target(&self) -> Target {
        Target::Server
    }
}

impl Perform for CreateUser {
    async fn perform(self, work: &mut Work<'_>) -> StoreResult<CreatedUser> {
        work.audit.target = format!("user:{}", self.username);
        let key = self.username.folded();
        if user::Entity::find_by_id(key.clone())
            .one(work.tx)
            .await?
            .is_some()
        {
            return Err(StoreError::AlreadyExists(format!(
                "The user `{}`",
                self.username
            )));
        }
        user::Entity::insert(user::ActiveModel {
            username_key: Set(key),
            username: Set(self.username.to_string()),
            display_name: Set(self.display_name.clone()),
            password: Set(self.password_hash),
            global_admin: Set(false),
            created_at: Set(work.now.0),
        })
        .exec_without_returning(work.tx)
        .await?;
        Ok(CreatedUser {
            username: self.username.to_string(),
            display_name: self.display_name,
        })
    }
}
