//! Servers behind TLS.

use std::sync::Arc;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use super::{Shell, run};
use crate::harness::Directory;

/// A server with this certificate that says who it takes everyone for. Gives its port.
async fn server(certificate: &CertifiedKey<rcgen::KeyPair>) -> u16 {
    let key = PrivateKeyDer::Pkcs8(certificate.signing_key.serialize_der().into());
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                // A client that does not trust the certificate leaves here.
                let Ok(mut stream) = acceptor.accept(stream).await else {
                    return;
                };
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(stream.read_u8().await.unwrap());
                }
                let body = r#"{"principal":"human:over-tls"}"#;
                let answer = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                );
                stream.write_all(answer.as_bytes()).await.unwrap();
                stream.shutdown().await.unwrap();
            });
        }
    });
    port
}

#[tokio::test(flavor = "multi_thread")]
async fn https_is_spoken_with_servers_that_the_machine_trusts_and_with_no_others() {
    let ours = generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let theirs = generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let directory = Directory::new();
    let trusted = directory.path().join("trusted.pem");
    std::fs::create_dir_all(directory.path()).unwrap();
    std::fs::write(&trusted, ours.cert.pem()).unwrap();
    let whoami = |host: &'static str, port: u16| {
        let shell = Shell::of(format!("https://{host}:{port}"));
        let mut command = shell.command(&[
            "whoami",
            "--json",
            "--server",
            &shell.server,
            "--token",
            "x",
        ]);
        command.env("SSL_CERT_FILE", &trusted);
        async move {
            let ran = run(command, "").await;
            drop(shell);
            ran
        }
    };
    let port = server(&ours).await;
    assert_eq!(
        whoami("localhost", port).await.json()["principal"],
        "human:over-tls"
    );
    // The right certificate for another name, and another certificate for the right name.
    for (host, port) in [("127.0.0.1", port), ("localhost", server(&theirs).await)] {
        let sentence = whoami(host, port).await.sentence(1);
        assert!(sentence.starts_with("cannot reach https://"), "{sentence}");
        assert!(sentence.contains("certificate"), "{sentence}");
    }
}
