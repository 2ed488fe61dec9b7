//! Growing a book: a job is what must be searched to do one thing to it.
//!
//! The coordinator plans as [`crate::book::grow`] does, and the book itself is its memory: whatever
//! is out when it ends is planned again. Several jobs are out at a time, and each may change what
//! the others should have been asked; an answer to a question that the book does not have any more
//! is dropped, and what is to be done then is planned anew.

use std::collections::BTreeMap;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::{AllKinds, refused, result};
use crate::book::grow::{BATCH, Growth, Job, Progress, changes, plan, questions};
use crate::book::study::{Judge, Question};
use crate::book::{Alternative, BookError, BookFile, Value};
use crate::fleet::FleetError;
use crate::fleet::coordinator::{TakeError, Taken, Work};
use crate::fleet::files::Outgoing;
use crate::fleet::residuals::Measure;
use crate::fleet::wire::{Name, RunId};
use crate::fleet::worker::Circumstances;
use crate::options::Options;
use crate::othello::{Bitboard, Move, Position};
use crate::score::Score;
use crate::search::Limits;
use crate::search::minimax::THREADS;

/// As jobs name it.
pub const KIND: &str = "book";
/// The most questions that a worker takes.
const MOST: usize = 8;

/// A question as it travels.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    /// Discs of the mover and of the opponent.
    position: [u64; 2],
    moves: Vec<Move>,
}

/// A job as it travels.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Body {
    options: Options,
    depth: u32,
    questions: Vec<Asked>,
}

/// An answer as it travels: the move, hundredths of a disc, depth, confidence in per cent.
type Answer = (Move, i32, u8, u8);

/// The worker's side.
pub(super) fn perform(
    worker: &mut AllKinds,
    body: Body,
    at: &Circumstances,
) -> Result<Option<Vec<Answer>>, String> {
    if body.questions.len() > MOST {
        return Err(format!("{} questions are too many", body.questions.len()));
    }
    let options = worker.equipment.admit(&body.options, &at.files)?;
    let method = worker.solver(&options)?;
    let mut judge = Judge { method, limits: Limits::depth(body.depth), stop: &at.stop };
    let mut answers = Vec::new();
    for asked in body.questions {
        let [mover, opponent] = asked.position.map(Bitboard);
        let form = Position::new(mover, opponent).map_err(|error| error.to_string())?;
        if let Some(illegal) = asked.moves.iter().find(|&&played| form.after(played).is_none()) {
            return Err(format!("{illegal} cannot be played"));
        }
        let Some(found) = judge.answer(&Question { form, moves: asked.moves }) else {
            return Ok(None);
        };
        let Alternative { played, value } = found.ok_or("a question without moves")?;
        answers.push((played, value.score.hundredths(), value.depth, value.confidence));
    }
    Ok(Some(answers))
}

/// The coordinator's side.
pub struct GrowWork<'f> {
    file: &'f mut BookFile,
    growth: Growth,
    travelling: Options,
    files: Outgoing,
    run: RunId,
    /// When to end, and at how many positions.
    until: Instant,
    most: usize,
    /// Not handed out yet, the cheapest last.
    planned: Vec<Job>,
    /// Handed out, with what was asked.
    out: BTreeMap<u64, (Job, Vec<Question>)>,
    next: u64,
    done: u64,
    /// Whether the book has changed since it was planned for.
    changed: bool,
    progress: Progress,
    on_progress: Box<dyn FnMut(Progress) + 'f>,
    trouble: Option<BookError>,
}

impl<'f> GrowWork<'f> {
    /// Grows the book until this time or so many positions, with these options of the search.
    ///
    /// # Errors
    /// If a file that the options name cannot be read.
    pub fn new(
        file: &'f mut BookFile,
        growth: Growth,
        options: &Options,
        (until, most): (Instant, usize),
        on_progress: Box<dyn FnMut(Progress) + 'f>,
    ) -> Result<GrowWork<'f>, FleetError> {
        let mut files = Outgoing::default();
        let travelling = files.pack(options)?;
        let progress = Progress { positions: file.book().len(), ..Progress::default() };
        Ok(GrowWork {
            file,
            growth,
            travelling,
            files,
            run: RunId::fresh(),
            until,
            most,
            planned: Vec::new(),
            out: BTreeMap::new(),
            next: 0,
            done: 0,
            changed: true,
            progress,
            on_progress,
            trouble: None,
        })
    }

    /// Carries the values back and waits until everything is on the disk.
    ///
    /// # Errors
    /// If the book cannot be written, now or before.
    pub fn close(self) -> Result<Progress, BookError> {
        if let Some(trouble) = self.trouble {
            return Err(trouble);
        }
        self.file.negamax()?;
        self.file.sync()?;
        Ok(self.progress)
    }

    /// The next thing to do that is not out.
    fn planned(&mut self) -> Result<Option<Job>, BookError> {
        if self.planned.is_empty() && self.changed {
            self.file.negamax()?;
            let all = plan(self.file.book(), &self.growth);
            self.progress.waiting = all.len();
            let batch = BATCH.max(self.out.len());
            let is_new = |job: &Job| !self.out.values().any(|(out, _)| out == job);
            self.planned = all.into_iter().filter(is_new).take(batch).collect();
            self.planned.reverse();
            self.changed = !self.planned.is_empty();
        }
        Ok(self.planned.pop())
    }

    /// Finds the next job that needs a search; what needs none is done at once.
    fn prepare(&mut self) -> Result<Option<u64>, BookError> {
        while let Some(job) = self.planned()? {
            let asked = questions(job, self.file.book());
            if asked.is_empty() {
                self.keep(job, &[])?;
                continue;
            }
            let number = self.next;
            self.next += 1;
            self.out.insert(number, (job, asked));
            return Ok(Some(number));
        }
        Ok(None)
    }

    fn keep(&mut self, job: Job, answered: &[(Question, Alternative)]) -> Result<(), BookError> {
        self.changed = true;
        let Some(changes) = changes(job, self.file.book(), answered) else { return Ok(()) };
        self.file.commit(&changes)?;
        match job {
            Job::Value(_) => self.progress.valued += 1,
            Job::Extend(_) | Job::Join(_) => self.progress.added += 1,
        }
        self.progress.positions = self.file.book().len();
        self.progress.waiting = self.progress.waiting.saturating_sub(1);
        (self.on_progress)(self.progress);
        Ok(())
    }
}

/// An answer that a search can have found.
fn checked(asked: &Question, answer: Answer) -> Result<Alternative, TakeError> {
    let (played, hundredths, depth, confidence) = answer;
    let score = Score::from_hundredths(hundredths);
    let value = Value { score, depth, confidence };
    let possible = score.hundredths() == hundredths && depth <= 60 && confidence <= 100;
    if !possible || value.is_exact() && hundredths % 100 != 0 {
        return Err(refused(format!("{hundredths}/100 discs, depth {depth}, {confidence} %")));
    }
    if !asked.moves.contains(&played) {
        return Err(refused(format!("{played} was not asked for")));
    }
    Ok(Alternative { played, value })
}

impl Work for GrowWork<'_> {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn run(&self) -> RunId {
        self.run.clone()
    }

    fn resumes(&self) -> bool {
        false
    }

    fn total(&self) -> u64 {
        self.done + (self.out.len() + self.planned.len()) as u64
    }

    fn done(&self) -> u64 {
        self.done
    }

    fn threads(&self) -> u32 {
        self.travelling.get(&THREADS) as u32
    }

    fn files(&mut self) -> Outgoing {
        std::mem::take(&mut self.files)
    }

    fn next(&mut self) -> Option<u64> {
        if self.is_decided() {
            return None;
        }
        self.prepare().unwrap_or_else(|error| {
            self.trouble = Some(error);
            None
        })
    }

    fn body(&self, number: u64) -> Json {
        let asked = self.out.get(&number).map_or(&[][..], |(_, asked)| asked);
        let questions = asked.iter().map(|question| Asked {
            position: [question.form.mover().0, question.form.opponent().0],
            moves: question.moves.clone(),
        });
        let body = Body {
            options: self.travelling.clone(),
            depth: self.growth.depth.into(),
            questions: questions.collect(),
        };
        serde_json::to_value(body).unwrap_or_default()
    }

    fn take(&mut self, number: u64, _: &Name, found: Json) -> Result<Taken, TakeError> {
        let Some((job, asked)) = self.out.get(&number) else {
            return if number < self.next { Ok(Taken::Known) } else { Err(refused("no such job")) };
        };
        let answers: Vec<Answer> = result(found)?;
        if answers.len() != asked.len() {
            let (got, wanted) = (answers.len(), asked.len());
            return Err(refused(format!("{got} answers to {wanted} questions")));
        }
        let answered = asked
            .iter()
            .zip(answers)
            .map(|(question, answer)| Ok((question.clone(), checked(question, answer)?)));
        let (job, answered) = (*job, answered.collect::<Result<Vec<_>, TakeError>>()?);
        self.out.remove(&number);
        self.done += 1;
        self.keep(job, &answered).map_err(|error| TakeError::Keeping(error.to_string()))?;
        Ok(Taken::Counted(Measure { amount: answered.len() as f64, figure: None }))
    }

    fn is_written(&self, number: u64) -> bool {
        number < self.next && !self.out.contains_key(&number)
    }

    fn is_decided(&self) -> bool {
        self.trouble.is_some()
            || self.progress.positions >= self.most
            || Instant::now() >= self.until
    }
}
