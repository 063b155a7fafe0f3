//! Compares our tree with the crate's, which is the authority, and gives the crate's our white space.
//!
//! Trees are equal when they have the same blocks, values and literals in the same order, and their texts differ in white space only.

use handlebars::Template;
use handlebars::template::{BlockParam, HelperTemplate, Parameter, TemplateElement};

use super::tree::{Block, Call, Expr, ExprKind, Node, Text};

/// Where the trees differ.
pub(super) type Same = Result<(), String>;

fn differ<T>(ours: impl std::fmt::Debug, theirs: impl std::fmt::Debug) -> Result<T, String> {
    let mut text = format!("{ours:?} is {theirs:?} to the crate");
    if text.len() > 400 {
        text = text.chars().take(400).collect();
    }
    Err(text)
}

/// Compares a body and rewrites the crate's: our texts for its own, and paths for calls of `lookup`.
pub(super) fn body(ours: &[Node], theirs: &mut Template) -> Same {
    let elements = std::mem::take(&mut theirs.elements);
    let mut marks = std::mem::take(&mut theirs.mapping).into_iter();
    let mut last = marks.clone().next();
    let mut text = String::new();
    let mut nodes = ours.iter();
    for element in elements {
        let mark = marks.next();
        match element {
            TemplateElement::RawString(more) => text.push_str(&more),
            TemplateElement::Comment(_) => {}
            other => {
                last = mark.or(last);
                let node = texts_before(&mut nodes, &mut text, theirs, &last)?;
                let Some(node) = node else {
                    return differ("the end", &other);
                };
                theirs.elements.push(one(node, other)?);
                theirs.mapping.extend(last.clone());
            }
        }
    }
    match texts_before(&mut nodes, &mut text, theirs, &last)? {
        Some(node) => differ(node, "the end"),
        None => Ok(()),
    }
}

/// Takes our texts up to the next tag, which the crate's must equal but for white space.
fn texts_before<'n>(
    nodes: &mut std::slice::Iter<'n, Node>,
    theirs: &mut String,
    template: &mut Template,
    mark: &Option<handlebars::template::TemplateMapping>,
) -> Result<Option<&'n Node>, String> {
    let mut ours = String::new();
    let mut next = None;
    for node in nodes {
        match node {
            Node::Text(Text { written, .. }) => {
                ours.push_str(written);
                if !written.is_empty() {
                    template
                        .elements
                        .push(TemplateElement::RawString(written.clone()));
                    template.mapping.extend(mark.clone());
                }
            }
            Node::Comment(_) => {}
            other => {
                next = Some(other);
                break;
            }
        }
    }
    if !same_text(&ours, theirs) {
        return differ(ours, theirs);
    }
    theirs.clear();
    Ok(next)
}

fn same_text(one: &str, other: &str) -> bool {
    let ink = |c: &char| !c.is_whitespace() && *c != '\u{feff}';
    one.chars().filter(ink).eq(other.chars().filter(ink))
}

fn one(ours: &Node, theirs: TemplateElement) -> Result<TemplateElement, String> {
    Ok(match (ours, theirs) {
        (Node::Output(output), TemplateElement::Expression(mut helper)) if !output.triple => {
            written(&output.value, &mut helper)?;
            TemplateElement::Expression(helper)
        }
        (Node::Output(output), TemplateElement::HtmlExpression(mut helper)) if output.triple => {
            written(&output.value, &mut helper)?;
            TemplateElement::HtmlExpression(helper)
        }
        (Node::Block(ours), TemplateElement::HelperBlock(mut helper)) => {
            block(ours, &mut helper)?;
            TemplateElement::HelperBlock(helper)
        }
        (ours, theirs) => return differ(ours, theirs),
    })
}

/// `{{path}}` or `{{helper …}}`
fn written(ours: &Expr, theirs: &mut HelperTemplate) -> Same {
    if theirs.block || theirs.chain || theirs.block_param.is_some() || !theirs.hash.is_empty() {
        return differ(ours, theirs);
    }
    match &ours.kind {
        ExprKind::Path(_) if theirs.params.is_empty() => parameter(ours, &mut theirs.name),
        ExprKind::Call(call) => {
            name(&call.name, &theirs.name)?;
            arguments(call, theirs)?;
            if let Some(path) = ours.as_path() {
                theirs.name = path_parameter(&path.written())?;
                theirs.params.clear();
            }
            Ok(())
        }
        _ => differ(ours, theirs),
    }
}

fn block(ours: &Block, theirs: &mut HelperTemplate) -> Same {
    name(ours.kind.name(), &theirs.name)?;
    let params: Vec<&str> = ours
        .params
        .iter()
        .map(|param| param.name.as_str())
        .collect();
    let same_params = match (&theirs.block_param, params.as_slice()) {
        (None, []) => true,
        (Some(BlockParam::Single(Parameter::Name(one))), [ours]) => one == ours,
        (Some(BlockParam::Pair((Parameter::Name(one), Parameter::Name(two)))), [first, second]) => {
            one == first && two == second
        }
        _ => false,
    };
    let [argument] = theirs.params.as_mut_slice() else {
        return differ(&ours.argument, &theirs.params);
    };
    if !same_params || !theirs.block || !theirs.hash.is_empty() {
        return differ(ours, theirs);
    }
    parameter(&ours.argument, argument)?;
    match &mut theirs.template {
        Some(template) => body(&ours.body, template)?,
        None if ours.body.is_empty() => {}
        None => return differ(&ours.body, "nothing"),
    }
    match (&ours.otherwise, &mut theirs.inverse) {
        (None, None) => Ok(()),
        (Some(otherwise), Some(template)) => body(&otherwise.body, template),
        (ours, theirs) => differ(ours, theirs),
    }
}

fn name(ours: &str, theirs: &Parameter) -> Same {
    match theirs {
        Parameter::Name(name) if name == ours => Ok(()),
        // What has no arguments is a path to the crate, of one step.
        Parameter::Path(path) if path_text(path) == ours => Ok(()),
        _ => differ(ours, theirs),
    }
}

fn path_text(path: &handlebars::Path) -> &str {
    match path {
        handlebars::Path::Relative((_, raw)) | handlebars::Path::Local((_, _, raw)) => raw,
    }
}

fn path_parameter(path: &str) -> Result<Parameter, String> {
    handlebars::Path::parse(path)
        .map(Parameter::Path)
        .map_err(|error| error.to_string())
}

fn arguments(ours: &Call, theirs: &mut HelperTemplate) -> Same {
    if ours.arguments.len() != theirs.params.len() || !theirs.hash.is_empty() {
        return differ(ours, &theirs.params);
    }
    ours.arguments
        .iter()
        .zip(&mut theirs.params)
        .try_for_each(|(ours, theirs)| parameter(ours, theirs))
}

fn parameter(ours: &Expr, theirs: &mut Parameter) -> Same {
    use serde_json::Value as Json;
    match (&ours.kind, &mut *theirs) {
        (ExprKind::Path(path), Parameter::Path(parsed)) => {
            let Parameter::Path(wanted) = path_parameter(&path.written())? else {
                return differ(ours, parsed);
            };
            let same = match (&wanted, &*parsed) {
                (handlebars::Path::Relative((one, _)), handlebars::Path::Relative((other, _))) => {
                    one == other
                }
                (
                    handlebars::Path::Local((level, name, _)),
                    handlebars::Path::Local((other, theirs, _)),
                ) => level == other && name == theirs,
                _ => false,
            };
            if same { Ok(()) } else { differ(ours, parsed) }
        }
        (ExprKind::Str(text), Parameter::Literal(Json::String(theirs))) if text == theirs => Ok(()),
        (ExprKind::Int(number), Parameter::Literal(Json::Number(theirs)))
            if theirs.as_i64() == Some(*number) =>
        {
            Ok(())
        }
        (ExprKind::Bool(truth), Parameter::Literal(Json::Bool(theirs))) if truth == theirs => {
            Ok(())
        }
        (ExprKind::Null, Parameter::Literal(Json::Null)) => Ok(()),
        (ExprKind::Call(call), Parameter::Subexpression(subexpression)) => {
            let TemplateElement::Expression(helper) = subexpression.element.as_mut() else {
                return differ(ours, "no call");
            };
            name(&call.name, &helper.name)?;
            arguments(call, helper)?;
            if let Some(path) = ours.as_path() {
                *theirs = path_parameter(&path.written())?;
            }
            Ok(())
        }
        (ours, theirs) => differ(ours, theirs),
    }
}
