//! Snapshots, which are read by a thread beside the page's where the browser has one.

use crate::browser::{Chosen, Timer, Workers};
use crate::inputs::{Overview, Refused, read_snapshot};
use leptos::task::spawn_local;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

/// The largest file that is read by the page's own thread, in bytes: the page does not respond meanwhile.
pub(super) const MOST_HERE: u64 = 128 << 20;
/// The largest snapshot that a thread of its own reads, in bytes. Snapshots that are mostly frames take nearly six
/// times as much memory: 1.5 GB.
const MOST_BESIDE: u64 = 240 << 20;

/// From an answer to the end of the thread that gave it.
const PAUSE: Duration = Duration::from_millis(500);

thread_local! {
    /// The thread that reads a snapshot, or has read one a moment ago.
    static READER: RefCell<Workers> = RefCell::default();
    /// Its end.
    static END: Timer = Timer::default();
}

/// A snapshot in few numbers, or why the file is none; nothing where it could not be read.
type Read = Option<Result<Overview, Refused>>;

fn overview(content: &[u8]) -> Result<Overview, Refused> {
    read_snapshot(content).map(|snapshot| Overview::from(&snapshot))
}

/// The purpose of a file that is a snapshot.
pub(super) const PURPOSE: &str = "snapshot";

/// In a worker: what the content of a file is.
pub(super) fn answer(content: Option<Vec<u8>>) -> String {
    let read: Read = content.map(|content| overview(&content));
    serde_json::to_string(&read).unwrap_or_default()
}

/// The outcome of reading a snapshot's file.
pub(super) enum Outcome {
    /// It was read.
    Read(Overview),
    /// It is none.
    Refused(Refused),
    /// The bytes of the file, and the most bytes that can be read.
    TooLarge(u64, u64),
    /// The browser does not give its content.
    Unread,
}

/// Has a snapshot's file read. The thread that reads it ends afterwards, as its memory would never shrink.
pub(super) fn read(file: Rc<Chosen>, told: impl FnOnce(Outcome) + 'static) {
    let size = file.size();
    if size > MOST_BESIDE {
        return told(Outcome::TooLarge(size, MOST_BESIDE));
    }
    let workers = Workers::start(1);
    let former = READER.replace(workers.clone());
    former.stop();
    END.with(Timer::clear);
    if workers.count() == 0 {
        return read_here(file, told);
    }
    let asked = Rc::clone(&file);
    workers.ask_of(PURPOSE, &asked, move |worked| {
        // When the answer is shown: to give back a gigabyte takes a while.
        END.with(|end| end.set(PAUSE, || READER.take().stop()));
        let read = worked.text();
        let read = read.and_then(|text| serde_json::from_str::<Read>(&text).ok()?);
        match read {
            Some(read) => told(outcome(read)),
            // No thread came up, or its memory was not enough.
            None => read_here(file, told),
        }
    });
}

fn read_here(file: Rc<Chosen>, told: impl FnOnce(Outcome) + 'static) {
    if file.size() > MOST_HERE {
        return told(Outcome::TooLarge(file.size(), MOST_HERE));
    }
    spawn_local(async move {
        let content = file.content().await;
        told(content.map_or(Outcome::Unread, |content| outcome(overview(&content))));
    });
}

fn outcome(read: Result<Overview, Refused>) -> Outcome {
    match read {
        Ok(snapshot) => Outcome::Read(snapshot),
        Err(refused) => Outcome::Refused(refused),
    }
}
