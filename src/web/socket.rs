//! The WebSocket of one page: carries texts between it and its [`Tab`]. When the page goes, so do
//! its searches.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use tokio::sync::watch::Receiver;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::house::House;
use super::message::Say;
use super::tab::Tab;

/// How often a page hears how far its searches are.
const TICK: Duration = Duration::from_millis(125);
/// How long a page may take to receive a message; a browser that sleeps gets a new one on waking.
const SLOWEST_READER: Duration = Duration::from_secs(20);
/// Ticks between two signs of life that are asked of the browser, and how many may go unanswered.
const TICKS_PER_PING: u32 = 40;
const PINGS_UNANSWERED: u32 = 4;
/// The code of a WebSocket that ends as it should.
const CLOSED_POLITELY: u16 = 1000;

/// Serves a page until it or the server goes.
pub(super) async fn serve(mut socket: WebSocket, house: Arc<House>, mut shutdown: Receiver<bool>) {
    let mut states = house.watcher.as_ref().map(|watcher| watcher.changes());
    let (mut tab, mut events) = Tab::new(house);
    let mut tick = interval(TICK);
    tick.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let (mut ticks, mut unanswered) = (0, 0);
    loop {
        let said: Vec<Say> = tab.drain().collect();
        for say in said {
            if !send(&mut socket, &say).await {
                return;
            }
        }
        tokio::select! {
            () = ended(&mut shutdown) => {
                let reason = "the server ends".into();
                let close = CloseFrame { code: CLOSED_POLITELY, reason };
                let _ = timeout(TICK, socket.send(Message::Close(Some(close)))).await;
                return;
            }
            message = socket.recv() => match message {
                Some(Ok(Message::Text(text))) => tab.receive(text.as_str(), Instant::now()),
                Some(Ok(Message::Pong(_))) => unanswered = 0,
                Some(Ok(Message::Ping(_))) => {}
                Some(Ok(Message::Binary(_) | Message::Close(_)) | Err(_)) | None => return,
            },
            Some(event) = events.recv() => tab.event(event, Instant::now()),
            changed = next_state(&mut states), if tab.watches() => tab.tell_match(changed),
            _ = tick.tick() => {
                tab.tick(Instant::now());
                ticks += 1;
                if ticks % TICKS_PER_PING == 0 {
                    unanswered += 1;
                    if unanswered > PINGS_UNANSWERED || !pinged(&mut socket).await {
                        return;
                    }
                }
            }
        }
    }
}

/// Tells a page that there is no room for it.
pub(super) async fn turn_away(mut socket: WebSocket, tabs: usize) {
    send(&mut socket, &Say::Busy { tabs }).await;
}

async fn next_state(states: &mut Option<Receiver<serde_json::Value>>) -> serde_json::Value {
    if let Some(states) = states
        && states.changed().await.is_ok()
    {
        return states.borrow_and_update().clone();
    }
    std::future::pending().await
}

/// Waits for the end of the server.
async fn ended(shutdown: &mut Receiver<bool>) {
    let _ = shutdown.wait_for(|&now| now).await;
}

async fn send(socket: &mut WebSocket, say: &Say) -> bool {
    let text = match serde_json::to_string(say) {
        Ok(text) => text,
        Err(error) => {
            tracing::error!(%error, "a message that cannot be written");
            return true;
        }
    };
    matches!(timeout(SLOWEST_READER, socket.send(Message::Text(text.into()))).await, Ok(Ok(())))
}

async fn pinged(socket: &mut WebSocket) -> bool {
    let ping = Message::Ping(Vec::new().into());
    matches!(timeout(SLOWEST_READER, socket.send(ping)).await, Ok(Ok(())))
}
