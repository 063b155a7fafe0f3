//! The skills that come with the program: six global ambient ones, one for each kind of opening.
//!
//! They are content like any other, and created as such at the first start of a server; here is what they say. Each is a
//! template that is guarded as a whole by `opening.kind`, so that it writes nothing but white space in any other situation.

/// A skill that comes with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltIn {
    /// Its name, as its frontmatter has it.
    pub name: &'static str,
    /// Its SKILL.md.
    pub skill_md: &'static str,
}

/// All of them, in the order of the kinds of opening in the built-in context schema.
pub const SKILLS: [BuiltIn; 6] = [
    BuiltIn {
        name: "opening-task-start",
        skill_md: include_str!("../built-in/opening-task-start/SKILL.md"),
    },
    BuiltIn {
        name: "opening-task-resume",
        skill_md: include_str!("../built-in/opening-task-resume/SKILL.md"),
    },
    BuiltIn {
        name: "opening-conversation-start",
        skill_md: include_str!("../built-in/opening-conversation-start/SKILL.md"),
    },
    BuiltIn {
        name: "opening-conversation-resume",
        skill_md: include_str!("../built-in/opening-conversation-resume/SKILL.md"),
    },
    BuiltIn {
        name: "opening-agent-conversation-start",
        skill_md: include_str!("../built-in/opening-agent-conversation-start/SKILL.md"),
    },
    BuiltIn {
        name: "opening-agent-conversation-resume",
        skill_md: include_str!("../built-in/opening-agent-conversation-resume/SKILL.md"),
    },
];
