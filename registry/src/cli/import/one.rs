//! The import of one skill.

use std::collections::HashMap;
use std::sync::Arc;

use hyper::StatusCode;
use tokio::sync::Mutex;
use vestry_policies::SkillName;

use super::done::{Done, Verdict};
use crate::bundle::{Bundle, LocalSkill};
use crate::cli::failure::{Failure, Refusal};
use crate::cli::output::value;
use crate::cli::send::{check_call, publish_call, upload};
use crate::cli::session::{As, Session, Trouble};
use crate::cli::skill::Reference;
use crate::client::{Answer, Call};

/// Whether something may be sent. The first that has something to send goes alone, so that what stops everything (an
/// elevation that is missing) is met once.
enum Gate {
    Untried,
    Open,
    Shut,
}

/// What all skills of an import have in common.
pub(super) struct Import {
    session: Session,
    scope: String,
    is_dry: bool,
    message: Option<String>,
    there: HashMap<String, String>,
    gate: Mutex<Gate>,
}

/// How sending goes wrong for everything.
struct InVain(String);

impl Import {
    pub(super) fn new(
        session: Session,
        scope: String,
        is_dry: bool,
        message: Option<String>,
        there: HashMap<String, String>,
    ) -> Self {
        Self {
            session,
            scope,
            is_dry,
            message,
            there,
            gate: Mutex::new(Gate::Untried),
        }
    }

    /// Imports a skill.
    pub(super) async fn one(self: Arc<Self>, skill: LocalSkill) -> Done {
        let mut done = Done::new(
            &skill.name,
            &skill.place().display().to_string(),
            Verdict::NotTried,
        );
        let name = match SkillName::parse(&skill.name) {
            Ok(name) => name,
            Err(error) => {
                done.verdict =
                    Verdict::refused(format!("{} is no name of a skill: {error}", skill.name));
                return done;
            }
        };
        let reading =
            tokio::task::spawn_blocking(move || Bundle::read(&skill).map(|bundle| (skill, bundle)));
        let (skill, bundle) = match reading.await {
            Ok(Ok(read)) => read,
            Ok(Err(unreadable)) => {
                done.verdict = Verdict::refused(unreadable.to_string());
                return done;
            }
            Err(error) => {
                done.verdict = Verdict::refused(error.to_string());
                return done;
            }
        };
        let current = self.there.get(name.as_str());
        let digest = bundle.digest().map(|digest| digest.to_string());
        if current == digest.as_ref() {
            done.verdict = Verdict::Unchanged;
            return done;
        }
        let reference = Reference {
            scope: self.scope.clone(),
            name: name.into(),
        };
        let lost = match current {
            Some(_) => self.lost(&reference, &skill).await,
            None => Ok(None),
        };
        let result = match lost {
            Ok(lost) => {
                done.warnings.extend(lost);
                self.through_the_gate(&reference, &bundle, &mut done).await
            }
            Err(in_vain) => Err(in_vain),
        };
        match result {
            Ok(verdict) => done.verdict = verdict,
            Err(InVain(sentence)) => done.fatal = Some(sentence),
        }
        done
    }

    /// A sentence about files that the skill has and that are left out here, so that the new revision is without them.
    async fn lost(
        &self,
        reference: &Reference,
        skill: &LocalSkill,
    ) -> Result<Option<String>, InVain> {
        if skill.left_out.is_empty() {
            return Ok(None);
        }
        let answer = self
            .session
            .send_patiently(As::Oneself, &Call::get(reference.path(&[])))
            .await
            .map_err(in_vain)?;
        // Whoever may not read it is told so when publishing.
        let lost: Vec<&str> = value::items(&answer.body, "files")
            .iter()
            .map(|file| value::text(file, "path"))
            .filter(|path| skill.leaves_out(path))
            .collect();
        Ok(match lost.as_slice() {
            [] => None,
            [one] => Some(format!(
                "the skill has the file {one}, which is left out here; the new revision is without it"
            )),
            [first, rest @ ..] => Some(format!(
                "the skill has {first} and {} more that are left out here; the new revision is without them",
                rest.len()
            )),
        })
    }

    async fn through_the_gate(
        &self,
        skill: &Reference,
        bundle: &Bundle,
        done: &mut Done,
    ) -> Result<Verdict, InVain> {
        let mut gate = self.gate.lock().await;
        match *gate {
            Gate::Shut => return Ok(Verdict::NotTried),
            Gate::Open => drop(gate),
            Gate::Untried => {
                let result = self.send(skill, bundle, done).await;
                *gate = match result {
                    Ok(_) => Gate::Open,
                    Err(_) => Gate::Shut,
                };
                return result;
            }
        }
        let result = self.send(skill, bundle, done).await;
        if result.is_err() {
            *self.gate.lock().await = Gate::Shut;
        }
        result
    }

    async fn send(
        &self,
        skill: &Reference,
        bundle: &Bundle,
        done: &mut Done,
    ) -> Result<Verdict, InVain> {
        let current = self.there.get(&skill.name.to_string()).map(String::as_str);
        let change = if current.is_some() {
            Verdict::Updated
        } else {
            Verdict::Created
        };
        if self.is_dry {
            return self.check(skill, bundle, change, done).await;
        }
        let as_ = As::Elevated(&self.scope);
        if let Some(answer) = upload(&self.session, as_, bundle).await.map_err(in_vain)? {
            return self.refused(&answer, current.is_none());
        }
        let call = publish_call(skill.path(&[]), bundle, self.message.as_deref(), current);
        let answer = self
            .session
            .send_patiently(as_, &call)
            .await
            .map_err(in_vain)?;
        if answer.status == StatusCode::ACCEPTED {
            value::needs(&answer.body, &["id"]).map_err(said_in_vain)?;
            return Ok(Verdict::refused(format!(
                "it waits for a review as {}: `vestry proposal show {0}`",
                answer.text("id")
            )));
        }
        if answer.status.is_success() {
            value::needs(&answer.body, &["revision", "digest"]).map_err(said_in_vain)?;
            warn(done, &answer);
            return Ok(if value::flag(&answer.body, "unchanged") {
                Verdict::Unchanged
            } else {
                change
            });
        }
        if answer.status == StatusCode::PRECONDITION_FAILED {
            return self.overtaken(skill, bundle).await;
        }
        self.refused(&answer, current.is_none())
    }

    /// What a dry run says: what the server would say, where everything can be shown to it without being stored.
    async fn check(
        &self,
        skill: &Reference,
        bundle: &Bundle,
        change: Verdict,
        done: &mut Done,
    ) -> Result<Verdict, InVain> {
        if !bundle.fits() {
            done.warnings
                .push("its files are too large to be checked without uploading them".to_owned());
            return Ok(change);
        }
        let call = check_call(skill.path(&["check"]), bundle, self.message.as_deref());
        let answer = self
            .session
            .send_patiently(As::Elevated(&self.scope), &call)
            .await
            .map_err(in_vain)?;
        if !answer.status.is_success() {
            return self.refused(&answer, change == Verdict::Created);
        }
        value::needs(&answer.body, &["allowed"]).map_err(said_in_vain)?;
        warn(done, &answer);
        if value::flag(&answer.body, "allowed") {
            return Ok(change);
        }
        let rule = answer.text("rule").to_owned();
        self.refusal(
            Refusal {
                status: StatusCode::FORBIDDEN.as_u16(),
                code: if rule == "quota-exceeded" {
                    rule.clone()
                } else {
                    "refused".to_owned()
                },
                detail: format!("publishing it is refused by the rule {rule}"),
                rule,
            },
            change == Verdict::Created,
        )
    }

    /// Somebody wrote it meanwhile; perhaps it was us, and the answer was lost.
    async fn overtaken(&self, skill: &Reference, bundle: &Bundle) -> Result<Verdict, InVain> {
        let call = Call::get(skill.path(&[]));
        let answer = self
            .session
            .send_patiently(As::Oneself, &call)
            .await
            .map_err(in_vain)?;
        let ours = bundle.digest().map(|digest| digest.to_string());
        if answer.status.is_success() && Some(answer.text("digest")) == ours.as_deref() {
            return Ok(Verdict::Unchanged);
        }
        Ok(Verdict::Refused {
            code: "precondition-failed".to_owned(),
            rule: String::new(),
            reason: "somebody changed it during the import; repeat the import".to_owned(),
        })
    }

    fn refused(&self, answer: &Answer, creates: bool) -> Result<Verdict, InVain> {
        self.refusal(Refusal::of(answer), creates)
    }

    fn refusal(&self, refusal: Refusal, creates: bool) -> Result<Verdict, InVain> {
        let sentence = refusal.sentence(Some(&self.scope));
        // A full scope takes no new skill; revisions are counted for each skill by itself.
        let is_full = creates && refusal.code == "quota-exceeded";
        if refusal.is_of_the_caller() || is_full {
            return Err(InVain(sentence));
        }
        Ok(Verdict::Refused {
            code: refusal.code,
            rule: refusal.rule,
            reason: sentence,
        })
    }
}

fn in_vain(trouble: Trouble) -> InVain {
    said_in_vain(Failure::from(trouble))
}

fn said_in_vain(failure: Failure) -> InVain {
    InVain(match failure {
        Failure::Sentence(sentence) | Failure::Usage(sentence) => sentence,
        Failure::Said | Failure::Unread => String::new(),
    })
}

fn warn(done: &mut Done, answer: &Answer) {
    done.warnings.extend(value::warnings(&answer.body));
    done.findings
        .extend(value::items(&answer.body, "findings").iter().cloned());
}
