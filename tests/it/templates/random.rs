//! Random templates that are accepted, large ones too, over random valid contexts.

use vestry::template::{Bounds, Checked, Compiled};

use super::generate::Generator;
use super::rng::Rng;
use super::world::{SMALL, check};
use super::{exhaustive::BOUNDS, long, reference, values};

/// What is wrong with a template that was accepted, for some random contexts of each situation.
pub(super) fn wrong(
    checked: &Checked,
    compiled: Option<&Compiled>,
    contexts: usize,
    rng: &mut Rng,
    pairs: &mut usize,
) -> Option<String> {
    let world = SMALL.world();
    for _ in 0..contexts {
        let situation = &world.situations[rng.below(world.situations.len())];
        let context = values::random(world, situation, rng);
        *pairs += 1;
        let wanted = match reference::render(checked.tree(), &context) {
            Ok(wanted) => wanted,
            Err(why) => return Some(format!("fails in {}: {why}\n{context}", situation.name)),
        };
        if wanted.len() as u64 > checked.cost().bytes {
            return Some(format!(
                "writes {} bytes and not at most {}\n{context}",
                wanted.len(),
                checked.cost().bytes
            ));
        }
        let Some(compiled) = compiled else { continue };
        match compiled.render_value(&context, BOUNDS) {
            Ok(rendered)
                if rendered.text == wanted
                    && !rendered.cut
                    && rendered.steps <= checked.cost().steps => {}
            other => {
                return Some(format!(
                    "gives {other:?}\nand not {wanted:?} within {:?}\n{context}",
                    checked.cost()
                ));
            }
        }
        let cut = compiled
            .render_value(
                &context,
                Bounds {
                    bytes: wanted.len() / 2,
                    deadline: None,
                },
            )
            .unwrap();
        if cut.text.len() > wanted.len() / 2 || cut.cut != (wanted.len() / 2 < wanted.len()) {
            return Some(format!("is cut to {cut:?}"));
        }
    }
    None
}

/// Accepted pieces, which together are a large template.
fn pieces(rng: &mut Rng, tries: usize) -> Vec<String> {
    let mut all = Vec::new();
    for _ in 0..tries {
        let tags = 1 + rng.below(8);
        let source = Generator::template(rng, tags);
        if check(&source).is_ok() {
            all.push(source);
        }
    }
    all
}

#[test]
fn what_is_accepted_renders_as_the_reference_does() {
    let mut rng = Rng::new(20_261_130);
    let wanted = if long() { 1_000_000 } else { 10_000 };
    let (mut pairs, mut templates, mut large, mut tried) = (0, 0, 0, 0);
    while pairs < wanted {
        let accepted = pieces(&mut rng, 60);
        tried += 60;
        // Numbers beside each other are refused; a text between them is not in the way of anything.
        let whole = accepted
            .iter()
            .cycle()
            .take(accepted.len().max(24))
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(" ; ");
        let whole = check(&whole).is_ok().then_some(whole);
        for source in accepted.iter().cloned().chain(whole.clone()) {
            let checked = check(&source).unwrap();
            let compiled =
                Compiled::new(&checked).unwrap_or_else(|refused| panic!("{refused}\n{source:?}"));
            let contexts = if source.matches("{{").count() >= 80 {
                40
            } else {
                12
            };
            large += usize::from(contexts == 40);
            templates += 1;
            let wrong = wrong(&checked, Some(&compiled), contexts, &mut rng, &mut pairs);
            assert!(wrong.is_none(), "{source:?}\n{}", wrong.unwrap());
        }
    }
    println!(
        "{pairs} pairs of {templates} accepted templates, {large} of 80 tags and more; {tried} were tried"
    );
    assert!(large > 5, "{large}");
}
