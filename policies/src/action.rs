//! What can be asked of the server, and of what it is asked.

use crate::id::TenantId;
use crate::scope::Scope;

/// The object of an action.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Target {
    /// The installation as a whole: its users and tenants, or the caller itself.
    Server,
    /// A tenant as an administered thing: its settings, members, services, audit.
    Tenant(TenantId),
    /// The content of a scope.
    Scope(Scope),
}

macro_rules! actions {
    ($($(#[$doc:meta])* $variant:ident => $text:literal,)*) => {
        /// An action of the API.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Action { $($(#[$doc])* $variant,)* }

        impl Action {
            /// Every action, in the order of their declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The kebab-case name that audit records and policy cases use.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// The action of a kebab-case name.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

actions! {
    /// Learn who one is. Target: server.
    ReadIdentity => "read-identity",
    /// End one's own session or elevation. Target: server.
    EndSession => "end-session",
    /// Step up for one scope. Target: that scope.
    Elevate => "elevate",
    /// Create, list and revoke one's own API keys. Target: server.
    ManageOwnKeys => "manage-own-keys",
    /// Mint a token for an agent of the service's own tenant. Target: tenant.
    MintToken => "mint-token",

    /// Take the catalog of a turn. Target: server.
    TakeCatalog => "take-catalog",
    /// Load an offered skill. Target: server; what is offered is the offer's own question.
    LoadSkill => "load-skill",

    /// List the skills of one's scopes, resolved. Target: server.
    ListSkills => "list-skills",
    /// Read metadata, history and diffs of a scope's skills. Target: scope.
    ReadSkill => "read-skill",
    /// Read a body by any way but a load or an opening. Target: scope.
    ReadBody => "read-body",
    /// Check what a publication would do, without doing it. Target: scope.
    CheckSkill => "check-skill",

    /// Upload the bytes of a file that a skill will bundle. Target: the narrowest of one's scopes.
    UploadBlob => "upload-blob",
    /// Create or update a skill. Target: scope.
    PublishSkill => "publish-skill",
    /// Make an earlier revision's content the current one. Target: scope.
    RollbackSkill => "rollback-skill",
    /// Archive a skill. Target: scope.
    ArchiveSkill => "archive-skill",
    /// Leave a skill out of new catalogs. Target: scope.
    DisableSkill => "disable-skill",
    /// Undo that. Target: scope.
    EnableSkill => "enable-skill",
    /// Recall a revision at once, reversibly. Target: scope.
    QuarantineSkill => "quarantine-skill",
    /// Undo that. Target: scope.
    ReleaseSkill => "release-skill",
    /// Recall a revision for good. Target: scope.
    RevokeSkill => "revoke-skill",
    /// Keep narrower scopes from overriding a skill. Target: scope, shared.
    SealSkill => "seal-skill",
    /// Undo that. Target: scope, shared.
    UnsealSkill => "unseal-skill",
    /// Hide a global skill from a tenant's members. Target: the tenant's scope.
    HideSkill => "hide-skill",
    /// Undo that. Target: the tenant's scope.
    ShowSkill => "show-skill",

    /// Propose content for a shared scope. Target: scope.
    ProposeSkill => "propose-skill",
    /// List the proposals that one may read, or read one. Target: server, or the proposal's scope.
    ReadProposal => "read-proposal",
    /// Change the content of a proposal. Target: its scope.
    EditProposal => "edit-proposal",
    /// Say something about a proposal. Target: its scope.
    CommentProposal => "comment-proposal",
    /// Take a proposal back. Target: its scope.
    WithdrawProposal => "withdraw-proposal",
    /// Compare a stale proposal with what is there now. Target: its scope.
    RebaseProposal => "rebase-proposal",
    /// Approve or reject a proposal. Target: its scope.
    DecideProposal => "decide-proposal",

    /// Create a user. Target: server.
    CreateUser => "create-user",
    /// List the users. Target: server.
    ListUsers => "list-users",
    /// Create a tenant. Target: server.
    CreateTenant => "create-tenant",
    /// List the tenants. Target: server.
    ListTenants => "list-tenants",
    /// Add a member or change its role. Target: tenant.
    SetMember => "set-member",
    /// Remove a member. Target: tenant.
    RemoveMember => "remove-member",
    /// List the members. Target: tenant.
    ListMembers => "list-members",
    /// Create a service and its key. Target: tenant.
    CreateService => "create-service",
    /// Revoke a service. Target: tenant.
    RevokeService => "revoke-service",
    /// List the services, without keys. Target: tenant.
    ListServices => "list-services",
    /// Read the settings. Target: tenant.
    ReadSettings => "read-settings",
    /// Change the settings. Target: tenant.
    WriteSettings => "write-settings",
    /// Read the audit log. Target: tenant, or server for global's.
    ReadAudit => "read-audit",
    /// Learn which turns were offered a revision and which loaded it. Target: the scope, if it is an actor's or a tenant's; for
    /// a global skill the tenant whose turns they are, or server, for those of nobody's tenant and for how many there were in
    /// each.
    ReadRecallReport => "read-recall-report",
    /// Look up what templates are written against, and try one. Target: server.
    UseTemplates => "use-templates",
    /// Change which skills a role is offered. Target: scope.
    AttachSkills => "attach-skills",
    /// Render what a run begins with. Target: server.
    OpenRun => "open-run",
    /// Learn what another context schema would change, and which templates of all tenants fail under it. Target: server.
    CheckSchema => "check-schema",
    /// Make another context schema the active one. Target: server.
    ActivateSchema => "activate-schema",
    /// Follow what changes. Target: server; which changes one learns of is decided for each, as reading it is.
    ReadEvents => "read-events",
    /// Ask what somebody may do, and why. Target: server about oneself, the tenant about others in it, global about
    /// others outside of tenants.
    Explain => "explain",
}
