//! Everything that a server keeps, as its own lists tell it: what "nothing written" is compared by.

use crate::harness::{Client, People};

/// The bytes of every list that administrators, publishers and auditors can read.
pub(crate) struct State {
    root: Client,
    ines: Client,
    maria: Client,
}

impl State {
    /// Of the usual people's server. Logging in is recorded, so that this comes before the first look.
    pub(crate) async fn of(people: &People) -> Self {
        Self {
            root: people.root.clone(),
            ines: people.human("ines").await,
            maria: people.human("maria").await,
        }
    }

    /// What is there now.
    pub(crate) async fn now(&self) -> Vec<(String, String)> {
        let mut state = Vec::new();
        for (client, path) in [
            (&self.ines, "/v1/audit?limit=200"),
            (&self.root, "/v1/audit?log=global&limit=200"),
            (&self.root, "/v1/users?limit=200"),
            (&self.root, "/v1/tenants?limit=200"),
            (&self.root, "/v1/tenants/acme/members?limit=200"),
            (&self.root, "/v1/tenants/globex/members?limit=200"),
            (&self.root, "/v1/tenants/acme/services?limit=200"),
            (&self.root, "/v1/tenants/globex/services?limit=200"),
            (&self.root, "/v1/tenants/acme/settings"),
            (&self.root, "/v1/keys?limit=200"),
            (&self.maria, "/v1/keys?limit=200"),
            (&self.maria, "/v1/skills?limit=200"),
            (&self.maria, "/v1/skills?scope=tenant:acme&limit=200"),
            (
                &self.maria,
                "/v1/skills?scope=tenant:acme&status=archived&limit=200",
            ),
            (&self.maria, "/v1/skills?scope=actor:maria&limit=200"),
            (&self.root, "/v1/skills?scope=global&limit=200"),
        ] {
            let answer = client.get(path).await.expect(200);
            assert!(
                answer.body["next_cursor"].is_null(),
                "{path} has more than one page"
            );
            let text = String::from_utf8(answer.bytes.to_vec()).unwrap();
            state.push((path.to_owned(), text));
        }
        state
    }

    /// Asserts that nothing has been written since.
    #[track_caller]
    pub(crate) fn same(before: &[(String, String)], after: &[(String, String)]) {
        for ((path, before), (_, after)) in before.iter().zip(after) {
            assert_eq!(before, after, "{path} has changed");
        }
    }
}
