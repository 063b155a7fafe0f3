//! What is published while a schema is activated, and the other way around.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use tokio::sync::Semaphore;
use vestry::store::{Point, Probe};

use super::{PAIRS, SCHEMA, activate, crowded, failing, publish, records, renamed};
use crate::harness::{Builder, People, TestServer};

/// Holds up the next who comes by a point while it is armed.
pub(crate) struct Gate {
    at: Point,
    is_armed: AtomicBool,
    reached: Semaphore,
    released: Semaphore,
}

impl Probe for Gate {
    fn reached(&self, point: Point) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            if point == self.at && self.is_armed.swap(false, Ordering::SeqCst) {
                self.reached.add_permits(1);
                self.released.acquire().await.unwrap().forget();
            }
        })
    }
}

impl Gate {
    pub(crate) fn new(at: Point) -> Arc<Self> {
        Arc::new(Self {
            at,
            is_armed: AtomicBool::new(false),
            reached: Semaphore::new(0),
            released: Semaphore::new(0),
        })
    }

    pub(crate) fn arm(&self) {
        self.is_armed.store(true, Ordering::SeqCst);
    }

    /// Waits until somebody is held up.
    pub(crate) async fn is_reached(&self) {
        self.reached.acquire().await.unwrap().forget();
    }

    pub(crate) fn release(&self) {
        self.released.add_permits(1);
    }
}

async fn server(at: Point) -> (TestServer, Arc<Gate>) {
    let gate = Gate::new(at);
    let server = Builder {
        probe: Some(gate.clone()),
        ..Builder::default()
    }
    .start()
    .await;
    (server, gate)
}

/// All live templates are fine under the schema, and then one is published that is not.
#[tokio::test(flavor = "multi_thread")]
async fn a_publication_that_overtakes_an_activation_is_named() {
    let (server, gate) = server(Point::Rechecked).await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    publish(&maria, "tenant:acme", "fine", "{{len people}}\n")
        .await
        .expect(201);
    publish(&maria, "tenant:acme", "later", "{{len people}}\n")
        .await
        .expect(201);
    for (number, name) in ["pairs", "later"].into_iter().enumerate() {
        gate.arm();
        let root = people.root.clone();
        let activation = tokio::spawn(async move { activate(&root, &crowded(2), false).await });
        gate.is_reached().await;
        // Neither a new one, nor a new revision of one that was looked at.
        let body = format!("{number}.\n{PAIRS}");
        publish(&maria, "tenant:acme", name, &body)
            .await
            .expect_one_of(&[200, 201]);
        gate.release();
        let refused = activation.await.unwrap();
        let refused = refused.expect_problem(409, "schema-breaking");
        let named = failing(&refused);
        assert_eq!(named.len(), number + 1, "{named:?}");
        assert!(named.iter().any(|one| one.contains(name)), "{named:?}");
    }
    assert_eq!(
        people.root.get(SCHEMA).await.expect(200).body["built_in"],
        true
    );
    assert!(records(&people.root).await.is_empty());
}

/// What is no template any more when the schema becomes active is in nobody's way.
#[tokio::test(flavor = "multi_thread")]
async fn a_template_that_is_mended_meanwhile_is_not_named() {
    let (server, gate) = server(Point::Rechecked).await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    publish(&maria, "tenant:acme", "pairs", PAIRS)
        .await
        .expect(201);
    gate.arm();
    let root = people.root.clone();
    let activation = tokio::spawn(async move { activate(&root, &crowded(2), false).await });
    gate.is_reached().await;
    publish(&maria, "tenant:acme", "pairs", "{{len people}}\n")
        .await
        .expect(200);
    gate.release();
    let made = activation.await.unwrap().expect(200);
    assert_eq!(
        (&made.body["checked"], &made.body["failing"]),
        (&json!(1), &json!([]))
    );
}

/// A publication was checked under the schema before, and another one is active when it takes the writer.
#[tokio::test(flavor = "multi_thread")]
async fn an_activation_that_overtakes_a_publication_holds_it_to_the_new_schema() {
    let (server, gate) = server(Point::Scanned).await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    gate.arm();
    let publisher = maria.clone();
    let body = "Of {{organization.name}}.\n";
    let publication =
        tokio::spawn(async move { publish(&publisher, "tenant:acme", "late", body).await });
    gate.is_reached().await;
    let made = activate(&people.root, &renamed(2), true).await.expect(200);
    assert_eq!(made.body["checked"], 0);
    gate.release();
    publication
        .await
        .unwrap()
        .expect_problem(422, "template-refused");
    maria.get("/v1/skills/tenant:acme/late").await.expect(404);
}

/// The same for a rollback.
#[tokio::test(flavor = "multi_thread")]
async fn an_activation_that_overtakes_a_rollback_holds_it_to_the_new_schema() {
    let (server, gate) = server(Point::Scanned).await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    publish(&maria, "tenant:acme", "old", "Of {{organization.name}}.\n")
        .await
        .expect(201);
    publish(&maria, "tenant:acme", "old", "{{len people}}\n")
        .await
        .expect(200);
    gate.arm();
    let publisher = maria.clone();
    let rollback = tokio::spawn(async move {
        publisher
            .post(
                "/v1/skills/tenant:acme/old/rollback",
                json!({"to": 1, "reason": "a test"}),
            )
            .await
    });
    gate.is_reached().await;
    activate(&people.root, &renamed(2), true).await.expect(200);
    gate.release();
    rollback
        .await
        .unwrap()
        .expect_problem(422, "template-refused");
    let kept = maria.get("/v1/skills/tenant:acme/old").await.expect(200);
    assert_eq!(kept.body["revision"], 2);
}

/// Many at once: each sees one schema whole, and what is live at the end holds under the one that is active at the end, or
/// was named.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_publishes_while_schemas_change_leaves_nothing_unnamed() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let publishing = tokio::spawn({
        let maria = maria.clone();
        async move {
            let mut published = 0;
            for number in 0..30 {
                let field = if number % 2 == 0 {
                    "organization"
                } else {
                    "firm"
                };
                let body = format!("{number} {{{{{field}.name}}}}\n");
                let name = format!("s-{number}");
                let answer = publish(&maria, "tenant:acme", &name, &body).await;
                let answer = answer.expect_one_of(&[201, 422]);
                published += usize::from(answer.status == 201);
            }
            published
        }
    });
    let mut last = None;
    for round in 0..6 {
        let schema = if round % 2 == 0 {
            renamed(2)
        } else {
            super::built_in(1)
        };
        last = Some(activate(&people.root, &schema, true).await.expect(200));
    }
    let published = publishing.await.unwrap();
    let named = failing(&last.unwrap());
    let now = people
        .root
        .post(
            "/v1/context-schema/check",
            json!({"schema": super::built_in(1)}),
        )
        .await
        .expect(200);
    assert_eq!(now.body["checked"], published);
    // Nothing was published that fails under what was active then and is active still, but for what was named.
    let failing_now = failing(&now);
    for one in &failing_now {
        assert!(named.contains(one), "{one} is not of {named:?}");
    }
    println!("{published} published, {} fail", failing_now.len());
}
