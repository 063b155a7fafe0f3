//! What a template means, as simply as it can be said: an interpreter that fails where handlebars.js or the crate may.

use serde_json::{Value as Json, json};
use vestry::template::tree::{Base, Block, BlockKind, Expr, ExprKind, Node, Path, Tree};

/// Why a template fails.
pub(super) type Failed = String;

struct Scope {
    this: Json,
    names: Vec<(String, Json)>,
    index: Option<(usize, usize)>,
    key: Option<String>,
}

pub(super) fn render(tree: &Tree, context: &Json) -> Result<String, Failed> {
    let mut scopes = vec![Scope {
        this: context.clone(),
        names: vec![],
        index: None,
        key: None,
    }];
    let mut out = String::new();
    nodes(&tree.body, &mut scopes, &mut out)?;
    Ok(out)
}

fn truthy(value: &Json) -> bool {
    !(value.is_null()
        || *value == json!(false)
        || *value == json!(0)
        || *value == json!("")
        || *value == json!([]))
}

fn nodes(nodes: &[Node], scopes: &mut Vec<Scope>, out: &mut String) -> Result<(), Failed> {
    for node in nodes {
        match node {
            Node::Text(text) => out.push_str(&text.written),
            Node::Comment(_) => {}
            Node::Output(output) => match value(&output.value, scopes)? {
                Json::Null => {}
                Json::String(text) => out.push_str(&text),
                Json::Bool(truth) => out.push_str(if truth { "true" } else { "false" }),
                Json::Number(number) => out.push_str(&number.to_string()),
                other => return Err(format!("{other} has no text")),
            },
            Node::Block(inner) => block(inner, scopes, out)?,
        }
    }
    Ok(())
}

fn block(block: &Block, scopes: &mut Vec<Scope>, out: &mut String) -> Result<(), Failed> {
    let given = value(&block.argument, scopes)?;
    let (index, key) = scopes
        .last()
        .map(|scope| (scope.index, scope.key.clone()))
        .unwrap();
    let name = |at: usize, value: Json| {
        block
            .params
            .get(at)
            .map(|param| (param.name.clone(), value))
    };
    let entries: Option<Vec<Scope>> = match block.kind {
        BlockKind::If | BlockKind::Unless => {
            if truthy(&given) == (block.kind == BlockKind::If) {
                return nodes(&block.body, scopes, out);
            }
            None
        }
        BlockKind::With if truthy(&given) || given.is_number() => Some(vec![Scope {
            names: name(0, given.clone()).into_iter().collect(),
            this: given,
            index,
            key,
        }]),
        BlockKind::With => None,
        BlockKind::Each => match &given {
            Json::Array(items) => {
                let turn = |(at, item): (usize, &Json)| Scope {
                    this: item.clone(),
                    names: name(0, item.clone())
                        .into_iter()
                        .chain(name(1, json!(at)))
                        .collect(),
                    index: Some((at, items.len())),
                    key: None,
                };
                Some(items.iter().enumerate().map(turn).collect())
            }
            Json::Object(entries) => {
                let mut sorted: Vec<_> = entries.iter().collect();
                sorted.sort_by_key(|(key, _)| key.as_str());
                let turn = |(at, (key, item)): (usize, (&String, &Json))| Scope {
                    this: item.clone(),
                    names: name(0, item.clone())
                        .into_iter()
                        .chain(name(1, json!(key)))
                        .collect(),
                    index: Some((at, entries.len())),
                    key: Some(key.clone()),
                };
                Some(sorted.into_iter().enumerate().map(turn).collect())
            }
            Json::Null => None,
            other => return Err(format!("{other} is no list")),
        },
    };
    match entries {
        Some(entries) if !entries.is_empty() => {
            for scope in entries {
                scopes.push(scope);
                nodes(&block.body, scopes, out)?;
                scopes.pop();
            }
            Ok(())
        }
        _ => match &block.otherwise {
            Some(otherwise) => nodes(&otherwise.body, scopes, out),
            None => Ok(()),
        },
    }
}

fn step(value: &Json, name: &str) -> Result<Json, Failed> {
    match value {
        Json::Object(fields) => fields
            .get(name)
            .cloned()
            .ok_or_else(|| format!("there is no {name}")),
        other => Err(format!("{other} has no {name}")),
    }
}

fn path(path: &Path, scopes: &[Scope]) -> Result<Json, Failed> {
    let last = scopes.last().unwrap();
    let up = |levels: usize| {
        scopes
            .len()
            .checked_sub(levels + 1)
            .map(|at| scopes[at].this.clone())
            .ok_or_else(|| "past the root".to_owned())
    };
    let mut steps = path.steps.iter();
    let mut at = match path.base {
        Base::Plain => {
            let first = steps.next().unwrap();
            let named = scopes
                .iter()
                .rev()
                .flat_map(|scope| &scope.names)
                .find(|(name, _)| *name == first.name);
            match named {
                Some((_, value)) => value.clone(),
                None => step(&last.this, &first.name)?,
            }
        }
        Base::This => last.this.clone(),
        Base::Up(levels) => up(levels)?,
        Base::Root => scopes[0].this.clone(),
        Base::Index => json!(last.index.ok_or("no index")?.0),
        Base::First => json!(last.index.ok_or("no first")?.0 == 0),
        Base::Last => last
            .index
            .map(|(at, count)| json!(at + 1 == count))
            .ok_or("no last")?,
        Base::Key => json!(last.key.clone().ok_or("no key")?),
    };
    for name in steps {
        at = step(&at, &name.name)?;
    }
    Ok(at)
}

fn value(expr: &Expr, scopes: &[Scope]) -> Result<Json, Failed> {
    let call = match &expr.kind {
        ExprKind::Path(found) => return path(found, scopes),
        ExprKind::Str(text) => return Ok(json!(text)),
        ExprKind::Int(number) => return Ok(json!(number)),
        ExprKind::Bool(truth) => return Ok(json!(truth)),
        ExprKind::Null => return Ok(Json::Null),
        ExprKind::Call(call) => call,
    };
    let values = call
        .arguments
        .iter()
        .map(|argument| value(argument, scopes))
        .collect::<Result<Vec<_>, _>>()?;
    let text = |at: usize| values[at].as_str().unwrap_or_default().to_owned();
    Ok(match call.name.as_str() {
        "eq" => json!(values[0] == values[1]),
        "ne" => json!(values[0] != values[1]),
        "and" => json!(values.iter().all(truthy)),
        "or" => json!(values.iter().any(truthy)),
        "not" => json!(!truthy(&values[0])),
        "lookup" => return step(&values[0], values[1].as_str().unwrap()),
        "len" => match &values[0] {
            Json::String(text) => json!(text.chars().count()),
            Json::Array(items) => json!(items.len()),
            Json::Object(entries) => json!(entries.len()),
            Json::Null => json!(0),
            other => return Err(format!("{other} has no length")),
        },
        "default" => values[usize::from(values[0].is_null())].clone(),
        "join" => match &values[0] {
            Json::Array(items) => json!(
                items
                    .iter()
                    .map(|item| item.as_str().unwrap())
                    .collect::<Vec<_>>()
                    .join(&text(1))
            ),
            _ => json!(""),
        },
        "upper" => json!(text(0).to_uppercase()),
        "lower" => json!(text(0).to_lowercase()),
        "json" => json!(
            serde_json::to_string(&values[0])
                .unwrap()
                .replace('\u{85}', "\\u0085")
                .replace('\u{2028}', "\\u2028")
                .replace('\u{2029}', "\\u2029")
        ),
        "truncate" => {
            let (text, most) = (
                text(0),
                usize::try_from(values[1].as_u64().unwrap()).unwrap(),
            );
            if text.chars().count() > most {
                json!(text.chars().take(most - 1).collect::<String>() + "…")
            } else {
                json!(text)
            }
        }
        "indent" => {
            let by = " ".repeat(usize::try_from(values[1].as_u64().unwrap()).unwrap());
            let lines = text(0);
            const ENDS: &str = "\n\r\u{b}\u{c}\u{1c}\u{1d}\u{1e}\u{85}\u{2028}\u{2029}";
            let ends = |c: char| ENDS.contains(c);
            let lines = lines.split_inclusive(ends).map(|line| {
                if line.starts_with(ends) {
                    line.to_owned()
                } else {
                    by.clone() + line
                }
            });
            json!(lines.collect::<String>())
        }
        // The random contexts hold no dates, which then stay as they are.
        "date" => json!(text(0)),
        other => return Err(format!("there is no helper {other}")),
    })
}
