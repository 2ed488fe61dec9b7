//! How far a fleet scales, reckoned: a simulation of slots, broker and coordinator.
//!
//! Every slot asks for a job, computes, reports and asks again. The broker and the coordinator are
//! each a queue that serves one request after the other, in times that were measured. What is fully used first limits the rest.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Messages that the broker handles per job: the job in and out, its acknowledgement, the report in
/// and out, its acknowledgement, the answers to both publications, a pull.
const MESSAGES: f64 = 9.0;
/// Further messages for a job that is long: a sign of life every ten seconds.
const SIGNS_OF_LIFE: f64 = 0.1;
/// Broker messages per worker and second beside jobs: a status every two seconds, a pull every
/// five.
const PER_WORKER: f64 = 0.7;

/// What is assumed about the machines.
#[derive(Clone, Copy)]
struct Machines {
    workers: usize,
    slots: usize,
    /// Mean seconds of a job; single ones vary by half of it both ways.
    job: f64,
    /// Seconds of the broker per message.
    broker: f64,
    /// Seconds of the coordinator per result, its log included.
    coordinator: f64,
    /// One way to the broker, seconds.
    latency: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Load {
    jobs_per_second: f64,
    slots: f64,
    broker: f64,
    coordinator: f64,
}

/// A server that does one thing after the other.
#[derive(Default)]
struct Station {
    free_at: f64,
    busy: f64,
}

impl Station {
    fn serve(&mut self, arrives: f64, takes: f64) -> f64 {
        self.free_at = self.free_at.max(arrives) + takes;
        self.busy += takes;
        self.free_at
    }

    /// Share of the time until now in which it was busy.
    fn load(&self, now: f64) -> f64 {
        (self.busy - (self.free_at - now).max(0.0)) / now
    }
}

/// What a slot does next.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Ask,
    Report,
}

/// Jobs that are out for every slot: one running, the others ready.
const PER_SLOT: usize = 4;

/// Runs so many rounds of jobs for every slot. Times are whole nanoseconds in the queue of events.
fn simulate(machines: Machines, rounds: usize) -> Load {
    let Machines { workers, slots, job, latency, .. } = machines;
    let all = workers * slots;
    let (mut broker, mut coordinator) = (Station::default(), Station::default());
    let nanoseconds = |seconds: f64| (seconds * 1e9) as u64;
    // Slots of a fleet that has been running for a while are not in step.
    let mut random = Random(88172645463325252);
    let mut events: BinaryHeap<Reverse<(u64, Step, usize)>> =
        (0..all).map(|slot| Reverse((nanoseconds(job * random.next()), Step::Ask, slot))).collect();
    let background = workers as f64 * PER_WORKER * machines.broker;
    let messages = (MESSAGES + SIGNS_OF_LIFE * job) * machines.broker / (1.0 - background);
    let mut counted: Vec<f64> = Vec::new();
    let mut taking = vec![0.0; all];
    let (mut asked, mut computing, mut now) = (0usize, 0.0, 0.0);
    while let Some(Reverse((at, step, slot))) = events.pop() {
        now = at as f64 / 1e9;
        match step {
            Step::Ask => {
                // A job is published when the result that makes room for it has been counted.
                let published = match asked.checked_sub(all * PER_SLOT) {
                    Some(before) => counted.get(before).copied().unwrap_or(now) + latency,
                    None => 0.0,
                };
                asked += 1;
                if asked > rounds * all {
                    break;
                }
                let delivered = broker.serve(now + latency, messages / 2.0).max(published);
                let takes = job * (0.5 + random.next());
                taking[slot] = takes;
                let reports = delivered + latency + takes;
                events.push(Reverse((nanoseconds(reports), Step::Report, slot)));
            }
            Step::Report => {
                computing += taking[slot];
                let reported = broker.serve(now + latency, messages / 2.0);
                counted.push(coordinator.serve(reported + latency, machines.coordinator));
                events.push(Reverse((nanoseconds(reported + latency), Step::Ask, slot)));
            }
        }
    }
    Load {
        jobs_per_second: counted.len() as f64 / now,
        slots: computing / now / all as f64,
        broker: broker.load(now) * (1.0 - background) + background,
        coordinator: coordinator.load(now),
    }
}

/// Numbers from 0 to 1 (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// CPU time as measured on a busy machine; see docs/fleet.md.
const MEASURED: Machines = Machines {
    workers: 1000,
    slots: 64,
    job: 10.0,
    broker: 70e-6,
    coordinator: 350e-6,
    latency: 0.5e-3,
};

#[test]
fn the_table_of_the_documentation_is_what_the_simulation_says() {
    let mut table = String::new();
    for (workers, slots, job) in [
        (10, 8, 1.0),
        (100, 16, 1.0),
        (100, 64, 1.0),
        (100, 64, 10.0),
        (1000, 64, 1.0),
        (1000, 64, 5.0),
        (1000, 64, 10.0),
        (1000, 64, 60.0),
        (1000, 64, 300.0),
    ] {
        let load = simulate(Machines { workers, slots, job, ..MEASURED }, 20);
        table += &format!(
            "| {workers} × {slots} | {job} s | {:.0} | {:.0} % | {:.0} % | {:.0} % |\n",
            load.jobs_per_second,
            100.0 * load.slots,
            100.0 * load.broker,
            100.0 * load.coordinator
        );
    }
    println!("{table}");
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/fleet.md");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains(&table), "docs/fleet.md should have:\n{table}");
}

#[test]
fn a_fleet_that_nothing_holds_back_is_fully_used_and_a_saturated_one_is_limited() {
    let easy = simulate(Machines { workers: 4, slots: 4, job: 1.0, ..MEASURED }, 50);
    assert!(easy.slots > 0.97 && easy.broker < 0.02, "{easy:?}");
    assert!((easy.jobs_per_second / 16.0 - 1.0).abs() < 0.05, "{easy:?}");
    // A coordinator of 10 ms per result lets a hundred jobs a second through, whoever waits.
    let slow = Machines { workers: 100, slots: 16, job: 1.0, coordinator: 0.01, ..MEASURED };
    let limited = simulate(slow, 50);
    assert!((90.0..112.0).contains(&limited.jobs_per_second), "{limited:?}");
    assert!(limited.slots < 0.1 && limited.coordinator > 0.85, "{limited:?}");
}
