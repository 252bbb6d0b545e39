//! Threads beside the page's own: the same program again, each in a worker.
//!
//! The page hands them texts or files and gets texts back, one at a time. gloo-worker is made for programs of their own,
//! which would have to be downloaded; these get the page's compiled parts (`public/worker.js`).

use super::failure::log_failures;
use super::files::Chosen;
use gloo_events::EventListener;
use gloo_utils::{document, window};
use js_sys::{Object, Reflect};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::pin::Pin;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent, Worker, WorkerOptions, WorkerType};

/// The outcome of a text.
pub enum Worked {
    /// The answer.
    Text(String),
    /// No thread was there to answer.
    Nobody,
    /// The thread broke off over it, and so did the next one.
    BrokeOff,
}

impl Worked {
    /// The answer, where there is one.
    pub fn text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            Self::Nobody | Self::BrokeOff => None,
        }
    }
}

/// Before a text that is a note.
const NOTE: char = '\u{1}';

/// Callback for the answer to a text, or for its absence.
type Told = Box<dyn FnOnce(Worked)>;

/// A text to work out, with the callback for its answer.
struct Asked {
    message: JsValue,
    told: Told,
    /// Whether a thread has broken off over it before.
    again: bool,
}

/// Threads that work texts out.
#[derive(Clone, Default)]
pub struct Workers(Rc<RefCell<Pool>>);

#[derive(Default)]
struct Pool {
    threads: Vec<Thread>,
    waiting: VecDeque<Asked>,
    /// Texts that every thread has to know.
    notes: Vec<JsValue>,
}

struct Thread {
    worker: Worker,
    /// It was started, and has not said yet that it is ready.
    starts: bool,
    /// How many of the notes it has.
    noted: usize,
    /// The text that it works out.
    asked: Option<Asked>,
    _listeners: [EventListener; 2],
}

impl Workers {
    /// At most `most` of them, one fewer than the machine has processors; none where the browser has none. All parts of
    /// the program must be there.
    pub fn start(most: u32) -> Self {
        let workers = Self::default();
        let processors = window().navigator().hardware_concurrency();
        let mut wanted = (1..=most).take_while(|&one| one == 1 || f64::from(one) < processors);
        while wanted.next().is_some() && workers.add().is_ok() {}
        workers
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.borrow().threads.len()
    }

    /// Has a text worked out.
    pub fn ask(&self, text: String, told: impl FnOnce(Worked) + 'static) {
        self.hand(VecDeque::push_back, text.into(), Box::new(told));
    }

    /// Has a text worked out before all others that wait.
    pub fn ask_first(&self, text: String, told: impl FnOnce(Worked) + 'static) {
        self.hand(VecDeque::push_front, text.into(), Box::new(told));
    }

    /// Has a file read and worked out after a note on its purpose: its content is never here.
    pub fn ask_of(&self, purpose: &str, file: &Chosen, told: impl FnOnce(Worked) + 'static) {
        self.note(purpose);
        self.hand(VecDeque::push_back, file.message(), Box::new(told));
    }

    /// Has every thread know a text before anything else that is asked from here on.
    pub fn note(&self, text: &str) {
        let note = format!("{NOTE}{text}");
        self.0.borrow_mut().notes.push(note.into());
    }

    /// Ends all threads, and gives their memory back.
    pub fn stop(&self) {
        let threads = std::mem::take(&mut self.0.borrow_mut().threads);
        for thread in threads {
            thread.worker.terminate();
        }
    }

    /// Queues a message for the threads; where there is no thread, `told` hears that at once.
    fn hand(&self, put: fn(&mut VecDeque<Asked>, Asked), message: JsValue, told: Told) {
        if self.count() == 0 {
            return told(Worked::Nobody);
        }
        let asked = Asked {
            message,
            told,
            again: false,
        };
        put(&mut self.0.borrow_mut().waiting, asked);
        self.hand_out();
    }

    fn add(&self) -> Result<(), JsValue> {
        let (address, parts) = parts()?;
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(&address, &options)?;
        let (to_answer, to_fail) = (self.clone(), self.clone());
        let (own, failed) = (worker.clone(), worker.clone());
        let listeners = [
            EventListener::new(&worker, "message", move |event| {
                let event: &MessageEvent = event.unchecked_ref();
                to_answer.answered(&own, event.data().as_string());
            }),
            EventListener::new(&worker, "error", move |_| to_fail.lost(&failed)),
        ];
        worker.post_message(&parts)?;
        self.0.borrow_mut().threads.push(Thread {
            worker,
            starts: true,
            noted: 0,
            asked: None,
            _listeners: listeners,
        });
        Ok(())
    }

    /// A thread is ready, or has an answer.
    fn answered(&self, worker: &Worker, answer: Option<String>) {
        let asked = {
            let mut pool = self.0.borrow_mut();
            let thread = pool
                .threads
                .iter_mut()
                .find(|thread| thread.worker == *worker);
            thread.and_then(|thread| {
                thread.starts = false;
                thread.asked.take()
            })
        };
        self.hand_out();
        if let Some(Asked { told, .. }) = asked {
            told(answer.map_or(Worked::Nobody, Worked::Text));
        }
    }

    /// A thread does not start, or broke off: another takes its place, which is asked once more, and goes on with what
    /// others have asked. Where none is left nobody answers.
    fn lost(&self, worker: &Worker) {
        let mut pool = self.0.borrow_mut();
        let of_worker = |thread: &Thread| thread.worker == *worker;
        let Some(at) = pool.threads.iter().position(of_worker) else {
            return;
        };
        let Thread { worker, asked, .. } = pool.threads.remove(at);
        worker.terminate();
        drop(pool);
        let replaced = asked.is_some() && self.add().is_ok();
        let given_up = match asked {
            Some(asked) if replaced && !asked.again => {
                let asked = Asked {
                    again: true,
                    ..asked
                };
                self.0.borrow_mut().waiting.push_front(asked);
                self.hand_out();
                None
            }
            asked => asked,
        };
        let unanswered = {
            let mut pool = self.0.borrow_mut();
            let is_left = replaced || !pool.threads.is_empty();
            let unanswered = if is_left { 0 } else { pool.waiting.len() };
            pool.waiting.drain(..unanswered).collect::<Vec<_>>()
        };
        for Asked { told, .. } in unanswered {
            told(Worked::Nobody);
        }
        if let Some(Asked { told, .. }) = given_up {
            told(Worked::BrokeOff);
        }
    }

    fn hand_out(&self) {
        let mut pool = self.0.borrow_mut();
        let Pool {
            threads,
            waiting,
            notes,
        } = &mut *pool;
        let idle = threads
            .iter_mut()
            .filter(|thread| !thread.starts && thread.asked.is_none());
        for thread in idle {
            let Some(asked) = waiting.pop_front() else {
                return;
            };
            // Texts and files can always be sent.
            for note in &notes[thread.noted..] {
                let _ = thread.worker.post_message(note);
            }
            thread.noted = notes.len();
            let _ = thread.worker.post_message(&asked.message);
            thread.asked = Some(asked);
        }
    }
}

/// The address of a worker's script, and the program: where its own script is, and its compiled parts.
fn parts() -> Result<(String, JsValue), JsValue> {
    // Relative to the page, as to the worker's script.
    let glue = document().query_selector("link[rel=modulepreload]")?;
    let glue = glue.and_then(|link| link.get_attribute("href"));
    let glue = glue.ok_or("the page does not name its program")?;
    let named = document().query_selector("#parts")?;
    let script = named.and_then(|parts| parts.get_attribute("data-worker"));
    let parts = Object::new();
    let others = Reflect::get(&window(), &"highwaterJoined".into())?;
    for (name, part) in [
        ("glue", glue.into()),
        ("first", wasm_bindgen::module()),
        ("parts", others),
    ] {
        Reflect::set(&parts, &name.into(), &part)?;
    }
    Ok((
        script.unwrap_or_else(|| "./worker.js".to_owned()),
        parts.into(),
    ))
}

/// Whether the program runs in a worker, not in a page.
pub fn is_worker() -> bool {
    web_sys::window().is_none()
}

/// The answer to a file, which takes a while.
pub type Answered = Pin<Box<dyn Future<Output = String>>>;

/// In a worker: says that it is ready, and answers texts and files from here on. Notes are not answered.
pub fn answer(
    text: impl Fn(&str) -> String + 'static,
    file: fn(Chosen) -> Answered,
    note: fn(&str),
) {
    log_failures();
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let own = scope.clone();
    let listener = EventListener::new(&scope, "message", move |event| {
        let event: &MessageEvent = event.unchecked_ref();
        let data = event.data();
        let Some(asked) = data.as_string() else {
            let own = own.clone();
            let answer = file(Chosen::of_blob(String::new(), data));
            return spawn_local(async move {
                let _ = own.post_message(&answer.await.into());
            });
        };
        match asked.strip_prefix(NOTE) {
            Some(said) => note(said),
            None => {
                let _ = own.post_message(&text(&asked).into());
            }
        }
    });
    listener.forget();
    let _ = scope.post_message(&JsValue::NULL);
}
