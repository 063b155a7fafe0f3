//! Asking for one cell, by the rules and over HTTP, and holding the two against each other.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;

use hyper::Method;
use serde_json::Value;
use vestry_policies::{Action, Proposal, Rule, Status, Target, Verdict, decide};

use super::super::cast::{Cast, Player, Seat};
use super::table::{Block, Row, render};
use crate::harness::{Client, Response};

/// Method and path of a route, as the table of routes has them.
pub(crate) type Asked = (&'static str, &'static str);

/// A request to be sent.
pub(super) struct Request {
    pub(super) path: String,
    pub(super) headers: Vec<(&'static str, &'static str)>,
    pub(super) body: Option<Value>,
}

impl Request {
    pub(super) fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            headers: Vec::new(),
            body: None,
        }
    }

    pub(super) fn body(self, body: Value) -> Self {
        Self {
            body: Some(body),
            ..self
        }
    }

    pub(super) fn header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.push((name, value));
        self
    }
}

/// What a cell is about.
#[derive(Clone)]
pub(super) struct Cell {
    pub(super) route: Asked,
    /// The heading of the column: whose the target is, in relation to the principal.
    pub(super) column: &'static str,
    /// The state of the target; empty where there is only one.
    pub(super) state: &'static str,
    pub(super) action: Action,
    pub(super) target: Target,
    pub(super) status: Option<Status>,
    /// The proposal that it is about, as the rules see it.
    pub(super) proposal: Option<Proposal>,
    pub(super) kind: Kind,
}

/// How refusals show.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A refusal for not being in scope is a 404.
    Read,
    /// Every refusal is a 403; success is recorded under its rule.
    Write,
    /// Like a read, but with nothing to record and no 404.
    Plain,
    /// A refusal for not being in scope, or for not being one's to know of, is a 404; success is recorded under its rule.
    Hidden,
}

/// How many cells are asked for at a time.
const AT_A_TIME: usize = 8;

/// A cell with its request, and what makes its target first.
pub(super) struct Job {
    pub(super) index: usize,
    pub(super) cell: Cell,
    pub(super) make: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    pub(super) request: Request,
}

async fn send(client: &Client, method: &str, id: &str, request: Request) -> Response {
    let mut headers: Vec<(&str, &str)> = request.headers;
    headers.push(("x-request-id", id));
    let method = Method::from_bytes(method.as_bytes()).unwrap();
    client
        .send(method, &request.path, &headers, request.body)
        .await
}

/// The cells of one principal: the heading of each column, and what it says.
type Columns = Vec<(&'static str, String)>;

/// All cells that were asked so far.
pub(super) struct Probes<'a> {
    pub(super) cast: &'a Cast,
    /// By route, then by player: what the columns say.
    cells: BTreeMap<Asked, BTreeMap<usize, Columns>>,
    actions: BTreeMap<Asked, BTreeSet<&'static str>>,
    order: Vec<Asked>,
    /// What an allowed request came to, by route, column and state.
    allowed: BTreeMap<Asked, Vec<(String, BTreeSet<String>)>>,
    /// Changes that must be in the audit log under this rule, by request id.
    recorded: BTreeMap<String, &'static str>,
    faults: Vec<String>,
    count: usize,
    requests: usize,
    fresh: usize,
}

/// Gives every row of a route the same columns; what cannot be asked is a dash.
fn align(rows: &mut BTreeMap<usize, Columns>) {
    let mut columns: Vec<&'static str> = Vec::new();
    for (column, _) in rows.values().flatten() {
        if !columns.contains(column) {
            columns.push(column);
        }
    }
    columns.sort_by_key(|column| column.contains("recalled"));
    for row in rows.values_mut() {
        *row = columns
            .iter()
            .map(|column| {
                let cell = row.iter().find(|(known, _)| known == column);
                (
                    *column,
                    cell.map_or_else(|| "-".to_owned(), |(_, text)| text.clone()),
                )
            })
            .collect();
    }
}

pub(super) struct Outcome {
    pub(super) table: String,
    pub(super) faults: Vec<String>,
    pub(super) cells: usize,
    pub(super) requests: usize,
}

impl<'a> Probes<'a> {
    pub(super) fn new(cast: &'a Cast) -> Self {
        Self {
            cast,
            cells: BTreeMap::new(),
            actions: BTreeMap::new(),
            order: Vec::new(),
            allowed: BTreeMap::new(),
            recorded: BTreeMap::new(),
            faults: Vec::new(),
            count: 0,
            requests: 0,
            fresh: 0,
        }
    }

    /// A number that no other cell has.
    pub(super) fn fresh(&mut self) -> usize {
        self.fresh += 1;
        self.fresh
    }

    /// What the rules say of a cell; nothing for a credential that lets nobody in.
    pub(super) fn verdict(&self, player: &Player, cell: &Cell) -> Option<Verdict> {
        let seat: &Seat = player.seat.as_ref()?;
        let facts = seat.facts(
            &cell.target,
            cell.status,
            cell.proposal.clone(),
            self.cast.now(),
        );
        Some(decide(cell.action, &cell.target, &facts))
    }

    /// Sends the request of a cell, and holds the answer against the verdict.
    pub(super) async fn ask(&mut self, index: usize, cell: &Cell, request: Request) -> Response {
        let player = &self.cast.players[index];
        self.ask_as(index, player.clone(), cell, request).await
    }

    /// The same with another credential of the same player.
    pub(super) async fn ask_as(
        &mut self,
        index: usize,
        player: Player,
        cell: &Cell,
        request: Request,
    ) -> Response {
        let verdict = self.verdict(&player, cell);
        let id = format!("cell-{}", self.count);
        let response = self.send(&player, cell.route.0, &id, request).await;
        let text = self.judge(&player, cell, verdict, &response, &id);
        self.note(index, cell, text);
        response
    }

    /// Asks for many cells that do not disturb each other, some at a time.
    pub(super) async fn ask_many(&mut self, jobs: Vec<Job>) {
        let some = std::sync::Arc::new(tokio::sync::Semaphore::new(AT_A_TIME));
        let mut running = Vec::new();
        for (number, job) in jobs.into_iter().enumerate() {
            let Job {
                index,
                cell,
                make,
                request,
            } = job;
            let id = format!("cell-{}", self.count + number);
            let (client, method, some) = (
                self.cast.players[index].client.clone(),
                cell.route.0,
                std::sync::Arc::clone(&some),
            );
            let sent = {
                let id = id.clone();
                tokio::spawn(async move {
                    let _one = some.acquire().await.unwrap();
                    if let Some(make) = make {
                        make.await;
                    }
                    send(&client, method, &id, request).await
                })
            };
            running.push((index, cell, id, sent));
        }
        for (index, cell, id, sent) in running {
            let player = self.cast.players[index].clone();
            let verdict = self.verdict(&player, &cell);
            let response = sent.await.unwrap();
            self.requests += 1;
            let text = self.judge(&player, &cell, verdict, &response, &id);
            self.note(index, &cell, text);
        }
    }

    async fn send(
        &mut self,
        player: &Player,
        method: &str,
        id: &str,
        request: Request,
    ) -> Response {
        self.requests += 1;
        send(&player.client, method, id, request).await
    }

    fn judge(
        &mut self,
        player: &Player,
        cell: &Cell,
        verdict: Option<Verdict>,
        response: &Response,
        id: &str,
    ) -> String {
        let status = response.status.as_u16();
        let (expected, agrees) = match verdict {
            None => (
                "401".to_owned(),
                status == 401 && response.code() == player.shut_out,
            ),
            Some(Verdict::Allow(rule)) => {
                let is_offer = response.code().starts_with("offer-");
                (
                    rule.as_str().to_owned(),
                    (status != 401 || is_offer) && status != 403 && status < 500,
                )
            }
            Some(Verdict::Review(rule)) => (format!("review {}", rule.as_str()), status == 202),
            Some(Verdict::Deny(rule @ (Rule::NotInScope | Rule::NotYourProposal)))
                if matches!(cell.kind, Kind::Read | Kind::Hidden) =>
            {
                (
                    rule.as_str().to_owned(),
                    status == 404 && response.code() == "not-found" && response.rule().is_empty(),
                )
            }
            Some(Verdict::Deny(rule)) => (
                rule.as_str().to_owned(),
                status == 403 && response.code() == "refused" && response.rule() == rule.as_str(),
            ),
        };
        if !agrees {
            self.faults.push(format!(
                "{} {}, {}, {} {}: the rules say {verdict:?}, HTTP {status} {} {}",
                cell.route.0,
                cell.route.1,
                player.label,
                cell.column,
                cell.state,
                response.code(),
                response.rule()
            ));
        }
        self.hold_invariants(player, cell, verdict);
        if let Some(Verdict::Allow(rule)) = verdict {
            self.note_allowed(cell, response);
            let changed = response.status.is_success() && response.body["unchanged"] != true;
            let is_write =
                cell.kind == Kind::Write || (cell.kind == Kind::Hidden && cell.route.0 != "GET");
            if is_write && changed {
                self.recorded.insert(id.to_owned(), rule.as_str());
            }
        }
        expected
    }

    /// Invariants 2, 3 and 4, said again without the rules' own words.
    fn hold_invariants(&mut self, player: &Player, cell: &Cell, verdict: Option<Verdict>) {
        let Some(seat) = &player.seat else { return };
        let Target::Scope(scope) = &cell.target else {
            return;
        };
        let allowed = verdict.is_some_and(Verdict::is_allowed);
        let is_content = cell.action != Action::Elevate;
        if is_content && allowed && !seat.has_scope(scope) {
            self.faults
                .push(format!("invariant 4: {} at {scope}", player.label));
        }
        // To propose is to ask; to decide is to publish.
        let publishes = match cell.action {
            Action::ProposeSkill => false,
            Action::DecideProposal => true,
            _ => cell.kind == Kind::Write,
        };
        if is_content && allowed && publishes && scope.is_shared() {
            let elevated = seat.elevation.as_ref().is_some_and(|elevation| {
                elevation.scope == *scope && elevation.expires_at > self.cast.now()
            });
            if player.session.is_none() || !elevated {
                self.faults
                    .push(format!("invariants 2 and 3: {} at {scope}", player.label));
            }
        }
    }

    fn note_allowed(&mut self, cell: &Cell, response: &Response) {
        let mut said = response.status.as_u16().to_string();
        if response.body["unchanged"] == true {
            said.push('=');
        }
        if !response.status.is_success() {
            said = format!("{said} {}", response.code());
        }
        let state = if cell.state.is_empty() {
            cell.column
        } else {
            cell.state
        };
        let states = self.allowed.entry(cell.route).or_default();
        match states.iter_mut().find(|(known, _)| known == state) {
            Some((_, said_before)) => {
                said_before.insert(said);
            }
            None => states.push((state.to_owned(), BTreeSet::from([said]))),
        }
    }

    /// Notes what a cell says. Cells of one column that differ in state only must say the same.
    pub(super) fn note(&mut self, index: usize, cell: &Cell, text: String) {
        self.count += 1;
        if !self.order.contains(&cell.route) {
            self.order.push(cell.route);
        }
        self.actions
            .entry(cell.route)
            .or_default()
            .insert(cell.action.as_str());
        let row = self
            .cells
            .entry(cell.route)
            .or_default()
            .entry(index)
            .or_default();
        match row.iter().find(|(column, _)| *column == cell.column) {
            Some((_, before)) if *before == text => {}
            Some((_, before)) => self.faults.push(format!(
                "{} {}, {}, {}: {text} when {}, but {before} before",
                cell.route.0, cell.route.1, self.cast.players[index].label, cell.column, cell.state
            )),
            None => row.push((cell.column, text)),
        }
    }

    /// Notes a fault of a cell.
    pub(super) fn fault(&mut self, index: usize, cell: &Cell, what: &str) {
        self.faults.push(format!(
            "{} {}, {}, {} {}: {what}",
            cell.route.0, cell.route.1, self.cast.players[index].label, cell.column, cell.state
        ));
    }

    /// Sends a request that needs no credential as everyone: the answers must be one and the same.
    pub(super) async fn ask_public(
        &mut self,
        route: Asked,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) {
        let mut first = None;
        for index in 0..self.cast.players.len() {
            let mut request = Request::new(path);
            request.body = body.clone();
            let player = self.cast.players[index].clone();
            let response = self.send(&player, method, "public", request).await;
            let said = format!("{} {}", response.status.as_u16(), response.code());
            let said = said.trim_end().to_owned();
            let cell = Cell {
                route,
                column: "anything",
                state: "",
                action: Action::ReadIdentity,
                target: Target::Server,
                status: None,
                proposal: None,
                kind: Kind::Plain,
            };
            if *first.get_or_insert_with(|| said.clone()) != said {
                self.fault(index, &cell, &format!("{said}, although it is public"));
            }
            self.note(index, &cell, said);
            self.actions.insert(route, BTreeSet::from(["(public)"]));
        }
    }

    /// Looks every change up in the audit log, and draws the table.
    pub(super) async fn finish(mut self) -> Outcome {
        let mut found = BTreeMap::new();
        let home = self.cast.people.elevated("pavel", "tenant:acme").await;
        let other = self.cast.people.elevated("greta", "tenant:globex").await;
        for (reader, log) in [
            (&home, "tenant"),
            (&other, "tenant"),
            (&self.cast.people.root, "global"),
        ] {
            let mut cursor = String::new();
            loop {
                let path = format!("/v1/audit?log={log}&limit=200{cursor}");
                let page = reader.get(&path).await.expect(200);
                for item in page.body["items"].as_array().unwrap() {
                    if let Some(id) = item["request_id"].as_str() {
                        found
                            .entry(id.to_owned())
                            .or_insert_with(Vec::new)
                            .push(item["rule"].as_str().unwrap_or_default().to_owned());
                    }
                }
                match page.body["next_cursor"].as_str() {
                    Some(next) => cursor = format!("&cursor={next}"),
                    None => break,
                }
            }
        }
        for (id, rule) in &self.recorded {
            let records = found.get(id).map(Vec::as_slice).unwrap_or_default();
            if records != [(*rule).to_owned()] {
                self.faults.push(format!(
                    "{id} was allowed by {rule}, recorded as {records:?}"
                ));
            }
        }
        let players = &self.cast.players;
        for row in self.cells.values_mut() {
            align(row);
        }
        let blocks = self
            .order
            .iter()
            .map(|route| Block {
                route: *route,
                action: self.actions[route]
                    .iter()
                    .copied()
                    .collect::<Vec<_>>()
                    .join(", "),
                rows: self.cells[route]
                    .iter()
                    .map(|(index, cells)| Row {
                        label: players[*index].label,
                        cells: cells.clone(),
                    })
                    .collect(),
                allowed: self
                    .allowed
                    .get(route)
                    .into_iter()
                    .flatten()
                    .map(|(state, said)| {
                        let said: Vec<&str> = said.iter().map(String::as_str).collect();
                        format!("{state} {}", said.join(" or "))
                    })
                    .collect(),
            })
            .collect();
        Outcome {
            table: render(blocks),
            faults: self.faults,
            cells: self.count,
            requests: self.requests,
        }
    }
}
