//! Texts of ordinary skills that are near what the rules look for.

use super::misses;

#[test]
fn ordinary_instructions_are_left_alone() {
    misses(&[
        "Ignore warnings about unused imports.",
        "Skip the previous section if the customer has read it.",
        "Override the default timeout in the settings.",
        "Drop the existing constraint before you change the column.",
        "Do not tell the customer a delivery date that is not certain.",
        "Never show stack traces to visitors of the site.",
        "Explain to the user what you changed, and why.",
        "Ask before you delete anything.",
        "The system has three modes: normal, service and test.",
        "Act as a careful editor.",
        "You are a reviewer of Rust code.",
        "Report the failing test with its message.",
        "Send the weekly report to the team's channel.",
        "Change the bank account only after a call back.",
        "Replace secrets in examples with placeholders.",
    ]);
}

#[test]
fn ordinary_commands_are_left_alone() {
    misses(&[
        "curl -s https://api.example.com/v1/items | jq '.items[]'",
        "curl -fsS https://example.com/health && echo ok",
        "curl -s https://api.example.com/x | python3 -m json.tool",
        "cat names.txt | sort | uniq -c",
        "git log --oneline | head",
        "rm -rf build/ target/",
        "rm -f ./*.tmp",
        "kubectl get pods -o json | jq .",
        "| tool | use |\n|---|---|\n| curl | downloads |\n| bash | runs |",
        "ssh-keygen -t ed25519 -f deploy_key",
        "eval \"$(ssh-agent -s)\"",
        "source venv/bin/activate",
        "pip install -r requirements.txt",
        "npm install --save-dev prettier",
        "cp .env.example .env",
        "export PATH=\"$HOME/bin:$PATH\"",
        "echo 'hello' | tee out.txt",
        "python3 -c \"print(1)\"",
        "chmod 644 notes.txt",
    ]);
}

#[test]
fn ordinary_values_are_left_alone() {
    misses(&[
        "password: \"<your password>\"",
        "api_key = \"your-api-key-here\"",
        "AKIAIOSFODNN7EXAMPLE",
        "TOKEN=${{ secrets.DEPLOY_TOKEN }}",
        "export API_TOKEN=\"$(pass show api)\"",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "integrity=\"sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC\"",
        "550e8400-e29b-41d4-a716-446655440000",
        "see src/main/java/org/example/service/AbstractSingletonProxyFactoryBean.java",
        "postgres://user:password@localhost/db",
        "git@host.io:team/repository.git",
        "![badge](https://img.host.io/badge/build-passing-green.svg)",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
        "[home](https://docs.host.io/guide#install)",
        "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14",
        "<!-- TODO: a picture goes here -->",
        "<details><summary>More</summary>text</details>",
    ]);
}
