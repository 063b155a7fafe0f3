//! Lines that are cut: while nothing goes over them, in the middle of a read, and in the middle of a commit.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::json;

use super::{Scene, unavailable};
use crate::harness::postgres::Direction;

#[tokio::test(flavor = "multi_thread")]
async fn who_finds_an_idle_line_cut_does_not_notice() {
    let Some(scene) = Scene::new().await else {
        return;
    };
    for round in 0..6 {
        scene.catalog().await.expect(200);
        scene
            .write(&format!("before-{round}"), 1 + round % 2)
            .await
            .expect(200);
        scene.proxy.cut();
        // At once, while the lines are taken to be there; and later, when they are asked first.
        if round % 2 == 1 {
            tokio::time::sleep(Duration::from_millis(700)).await;
        }
        scene.catalog().await.expect(200);
        scene.read().await.expect(200);
        scene.proxy.cut();
        let revision = scene.revision().await;
        let written = scene
            .write(&format!("after-{round}"), 2 - round % 2)
            .await
            .expect(200);
        assert_eq!(written.body["revision"], revision + 1);
    }
    scene.holds().await;
}

/// Many lines at once are broken, and more of them than a request tries.
#[tokio::test(flavor = "multi_thread")]
async fn after_many_lines_were_cut_all_is_well_again() {
    let Some(scene) = Scene::new().await else {
        return;
    };
    for _ in 0..5 {
        let (mut well, mut told) = (0, 0);
        for cut in [false, true] {
            if cut {
                scene.proxy.cut();
            }
            let asked = (0..40).map(|number| {
                let client = if number % 2 == 0 {
                    scene.maria.clone()
                } else {
                    scene.agent.clone()
                };
                tokio::spawn(async move { client.get("/v1/skills").await })
            });
            for asked in asked.collect::<Vec<_>>() {
                let answer = asked.await.unwrap();
                if answer.status == 200 {
                    well += 1;
                } else {
                    unavailable(answer, &["database-unavailable", "busy"]);
                    told += 1;
                }
            }
        }
        println!("{well} answers, {told} told to come again");
        assert!(well >= 40);
        scene.read().await.expect(200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_that_is_cut_is_tried_again_or_told_so() {
    let Some(scene) = Scene::new().await else {
        return;
    };
    let mut seen = BTreeMap::new();
    for direction in [Direction::ToDatabase, Direction::ToServer] {
        for bytes in (0..1_600).step_by(67) {
            scene.proxy.cut_after(direction, bytes);
            for answer in [scene.read().await, scene.catalog().await] {
                let status = answer.status.as_u16();
                if status != 200 {
                    unavailable(answer, &["database-unavailable"]);
                }
                *seen.entry(status).or_insert(0) += 1;
            }
            scene.proxy.pass().await;
            scene.read().await.expect(200);
        }
    }
    println!("{seen:?}");
    assert!(seen[&200] > 50, "{seen:?}");
}

/// Writes, each cut after some bytes.
struct Cuts<'a> {
    scene: &'a Scene,
    revision: u64,
    keys: u64,
    seen: BTreeMap<String, u64>,
    /// How many of those whose outcome was not known had their effect.
    had_it: u64,
}

impl<'a> Cuts<'a> {
    async fn of(scene: &'a Scene) -> Self {
        Self {
            scene,
            revision: scene.revision().await,
            keys: 0,
            seen: BTreeMap::new(),
            had_it: 0,
        }
    }

    /// One write, and once more with its key; whether it was so long.
    async fn at(&mut self, direction: Direction, bytes: usize) -> bool {
        let scene = self.scene;
        self.keys += 1;
        let (key, to) = (format!("key-{}", self.keys), 1 + self.revision % 2);
        scene.proxy.cut_after(direction, bytes);
        let answer = scene.write(&key, to).await;
        let is_cut = !scene.proxy.has_yet_to_cut();
        let said = if answer.status == 200 {
            "200".to_owned()
        } else {
            let codes = ["outcome-unknown", "database-unavailable"];
            unavailable(answer, &codes).code().to_owned()
        };
        scene.proxy.pass().await;
        let more = scene.revision().await - self.revision;
        let why = format!("{said} after {bytes} bytes {direction:?}");
        match said.as_str() {
            "200" => assert_eq!(more, 1, "{why}"),
            // It says that nothing was changed.
            "database-unavailable" => assert_eq!(more, 0, "{why}"),
            _ => self.had_it += more,
        }
        *self.seen.entry(said).or_default() += 1;
        let again = scene.write(&key, to).await.expect(200);
        self.revision += 1;
        assert_eq!(again.body["revision"], self.revision, "{why}");
        assert_eq!(scene.revision().await, self.revision, "{why}");
        is_cut
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_is_cut_has_one_effect_under_its_key() {
    let Some(scene) = Scene::new().await else {
        return;
    };
    let mut cuts = Cuts::of(&scene).await;
    for direction in [Direction::ToDatabase, Direction::ToServer] {
        let mut last = 0;
        for bytes in (0..20_000).step_by(173) {
            if !cuts.at(direction, bytes).await {
                break;
            }
            last = bytes;
        }
        // The commit is the end of it, in few bytes.
        for bytes in (last.saturating_sub(60)..last + 173).step_by(6) {
            cuts.at(direction, bytes).await;
        }
    }
    let Cuts { seen, had_it, .. } = cuts;
    println!("{seen:?}; {had_it} of the unknown were there");
    for said in ["200", "outcome-unknown", "database-unavailable"] {
        assert!(seen.contains_key(said), "{said} was not met: {seen:?}");
    }
    scene.holds().await;
}

/// A refresh token is used once, and one that is used again ends its session. Whoever is told that nothing was changed can send it
/// again; and that it is not known whether something was is never said while the database can be asked.
#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_that_is_cut_ends_no_session() {
    let Some(scene) = Scene::new().await else {
        return;
    };
    let client = scene.server.client();
    let body = json!({"username": "maria", "password": crate::harness::PASSWORD});
    let login = client.post("/v1/login", body).await.expect(200);
    let mut token = login.text("refresh_token");
    let mut seen = BTreeMap::new();
    // Whether it was cut.
    let mut at = async |direction, bytes| {
        scene.proxy.cut_after(direction, bytes);
        let sent = json!({"refresh_token": token});
        let answer = client.post("/v1/refresh", sent.clone()).await;
        let is_cut = !scene.proxy.has_yet_to_cut();
        scene.proxy.pass().await;
        let answer = if answer.status == 200 {
            *seen.entry("200").or_insert(0) += 1;
            answer
        } else {
            *seen.entry("503").or_insert(0) += 1;
            unavailable(answer, &["database-unavailable"]);
            client.post("/v1/refresh", sent).await.expect(200)
        };
        token = answer.text("refresh_token");
        is_cut
    };
    for direction in [Direction::ToDatabase, Direction::ToServer] {
        let mut last = 0;
        for bytes in (0..20_000).step_by(97) {
            if !at(direction, bytes).await {
                break;
            }
            last = bytes;
        }
        // The commit is the end of it, in few bytes.
        for bytes in (last.saturating_sub(60)..last + 97).step_by(4) {
            at(direction, bytes).await;
        }
    }
    println!("{seen:?}");
    assert!(seen["200"] > 2 && seen["503"] > 2, "{seen:?}");
    scene.holds().await;
}
