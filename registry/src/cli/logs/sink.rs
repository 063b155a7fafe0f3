//! Where lines wait for the thread that writes them.
//!
//! Whoever logs appends to one buffer and goes on; a thread writes what has gathered, in one piece, a few milliseconds
//! after the first line of it. So logging costs a request neither a system call nor the waking of a thread.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tracing_subscriber::fmt::MakeWriter;

/// How long lines gather.
const GATHER: Duration = Duration::from_millis(5);
/// The most bytes that wait; lines beyond are dropped and counted, so that a reader who sleeps does not stop the server.
const MOST_WAITING: usize = 32 << 20;

/// Takes lines. Cheap to clone.
#[derive(Clone)]
pub(super) struct Sink(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: Vec<u8>,
    dropped: u64,
    is_closing: bool,
}

/// Writes out what waits when it is dropped.
#[must_use = "logging ends when the guard is dropped"]
pub(in crate::cli) struct Guard {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// A sink that writes to this, and what keeps it writing.
pub(super) fn start(to: Box<dyn Write + Send>) -> (Sink, Guard) {
    let shared = Arc::new(Shared::default());
    let for_thread = Arc::clone(&shared);
    let thread = std::thread::Builder::new()
        .name("logs".to_owned())
        .spawn(move || for_thread.write_all(to))
        .ok();
    let guard = Guard {
        shared: Arc::clone(&shared),
        thread,
    };
    (Sink(shared), guard)
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_all(&self, mut to: Box<dyn Write + Send>) {
        let mut lines = Vec::new();
        loop {
            let state = self
                .changed
                .wait_while(self.state(), |state| {
                    state.waiting.is_empty() && !state.is_closing
                })
                .unwrap_or_else(PoisonError::into_inner);
            let (mut state, _) = self
                .changed
                .wait_timeout_while(state, GATHER, |state| !state.is_closing)
                .unwrap_or_else(PoisonError::into_inner);
            std::mem::swap(&mut state.waiting, &mut lines);
            let dropped = std::mem::take(&mut state.dropped);
            let is_closing = state.is_closing;
            drop(state);
            // There is nobody to tell that the log itself cannot be written.
            let _ = to.write_all(&lines).and_then(|()| to.flush());
            lines.clear();
            if dropped > 0 {
                tracing::warn!(
                    lines = dropped,
                    "lines of the log were dropped, because what reads standard error is too slow"
                );
            }
            if is_closing && self.state().waiting.is_empty() {
                return;
            }
        }
    }
}

impl Write for &Sink {
    /// Takes a whole line.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut state = self.0.state();
        if state.waiting.len() + line.len() > MOST_WAITING {
            state.dropped += 1;
            return Ok(line.len());
        }
        let was_empty = state.waiting.is_empty();
        state.waiting.extend_from_slice(line);
        drop(state);
        if was_empty {
            self.0.changed.notify_one();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Sink {
    type Writer = &'a Sink;

    fn make_writer(&'a self) -> Self::Writer {
        self
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.shared.state().is_closing = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    struct Sent(mpsc::Sender<Vec<u8>>);

    impl Write for Sent {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.send(bytes.to_vec()).map_err(io::Error::other)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_of_many_threads_arrive_whole_and_all_of_them() {
        let (sender, written) = mpsc::channel();
        let (sink, guard) = start(Box::new(Sent(sender)));
        let threads: Vec<_> = (0..8)
            .map(|thread| {
                let sink = sink.clone();
                std::thread::spawn(move || {
                    for number in 0..1_000 {
                        let line = format!("{thread} {number} {}\n", "x".repeat(number % 97));
                        (&sink).write_all(line.as_bytes()).unwrap();
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        drop(guard);
        let bytes: Vec<u8> = written.try_iter().flatten().collect();
        let text = String::from_utf8(bytes).unwrap();
        let mut next = [0_usize; 8];
        for line in text.lines() {
            let mut words = line.split(' ');
            let thread: usize = words.next().unwrap().parse().unwrap();
            let number: usize = words.next().unwrap().parse().unwrap();
            assert_eq!(number, next[thread], "{line}");
            assert_eq!(words.next().unwrap().len(), number % 97);
            next[thread] += 1;
        }
        assert_eq!(next, [1_000; 8]);
    }

    #[test]
    fn a_line_is_written_while_the_guard_lives() {
        let (sender, written) = mpsc::channel();
        let (sink, _guard) = start(Box::new(Sent(sender)));
        (&sink).write_all(b"one\n").unwrap();
        let got = written.recv_timeout(Duration::from_secs(10)).unwrap();
        assert_eq!(got, b"one\n");
    }

    #[test]
    fn what_does_not_fit_is_dropped_and_counted() {
        let sink = Sink(Arc::default());
        let line = vec![b'x'; MOST_WAITING / 2];
        for _ in 0..3 {
            (&sink).write_all(&line).unwrap();
        }
        assert_eq!(sink.0.state().dropped, 1);
        assert_eq!(sink.0.state().waiting.len(), line.len() * 2);
    }
}
