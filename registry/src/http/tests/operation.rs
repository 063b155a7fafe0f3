//! Health, metrics and the explanations of problems.

use super::*;
use crate::http::health::{self, Operated, Readiness};
use crate::http::problem::{self, Cause};

#[derive(Clone)]
struct State {
    readiness: Readiness,
    registry: Arc<Registry>,
    well: bool,
}

impl Operated for State {
    fn readiness(&self) -> &Readiness {
        &self.readiness
    }

    async fn check(&self) -> Result<(), Cause> {
        if self.well {
            Ok(())
        } else {
            Err("secret".into())
        }
    }

    fn registry(&self) -> &Registry {
        &self.registry
    }
}

fn state(well: bool) -> (State, EdgeLayer) {
    let mut registry = Registry::default();
    let layer = edge(&mut registry);
    let state = State {
        readiness: Readiness::new(),
        registry: Arc::new(registry),
        well,
    };
    (state, layer)
}

fn app(state: &State, layer: &EdgeLayer) -> Router {
    let mut rows = health::routes();
    rows.extend(problem::routes());
    Table(rows)
        .router()
        .layer(layer.clone())
        .with_state(state.clone())
}

async fn get(app: Router, path: &str) -> (StatusCode, HeaderMap, Vec<u8>) {
    send_to(app, request("GET", path).body(Bytes::empty()).unwrap()).await
}

#[tokio::test]
async fn is_ready_until_it_drains() {
    let (well, layer) = state(true);
    assert_eq!(get(app(&well, &layer), "/healthz").await.0, StatusCode::OK);
    assert_eq!(get(app(&well, &layer), "/readyz").await.0, StatusCode::OK);
    well.readiness.drain();
    expect(get(app(&well, &layer), "/readyz").await, Code::Busy);
    assert_eq!(get(app(&well, &layer), "/healthz").await.0, StatusCode::OK);

    let (ill, layer) = state(false);
    expect(get(app(&ill, &layer), "/readyz").await, Code::Busy);
}

#[tokio::test]
async fn counts_by_template_never_by_path() {
    let (state, layer) = state(true);
    for path in ["/problems/busy", "/problems/nothing", "/made-up"] {
        get(app(&state, &layer), path).await;
    }
    let (_, headers, body) = get(app(&state, &layer), "/metrics").await;
    assert!(
        headers["content-type"]
            .to_str()
            .unwrap()
            .starts_with("application/openmetrics-text")
    );
    let text = String::from_utf8(body).unwrap();
    for line in [
        r#"vestry_http_requests_total{method="GET",route="/problems/{code}",status="2xx"} 1"#,
        r#"vestry_http_requests_total{method="GET",route="/problems/{code}",status="4xx"} 1"#,
        r#"vestry_http_requests_total{method="GET",route="unmatched",status="4xx"} 1"#,
        "vestry_http_requests_in_flight 1",
        r#"vestry_http_request_duration_seconds_count{method="GET",route="/problems/{code}"} 2"#,
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(!text.contains("made-up") && !text.contains("nothing"));
}

#[tokio::test]
async fn explains_every_problem() {
    let (state, layer) = state(true);
    let (_, _, all) = get(app(&state, &layer), "/problems").await;
    let all = String::from_utf8(all).unwrap();
    for code in Code::ALL {
        let (status, _, body) = get(app(&state, &layer), code.type_uri()).await;
        assert_eq!(status, StatusCode::OK);
        assert!(String::from_utf8(body).unwrap().contains(code.meaning()));
        assert!(all.contains(code.meaning()));
    }
    expect(
        get(app(&state, &layer), "/problems/x").await,
        Code::NotFound,
    );
}
