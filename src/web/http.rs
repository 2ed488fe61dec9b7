//! Connections, routes and their limits.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, Query, Request, State, WebSocketUpgrade};
use axum::http::header::{CONTENT_TYPE, HeaderName, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tracing::warn;

use super::assets::Assets;
use super::guard::{Guard, Refusal};
use super::house::House;
use super::{Web, WebError, games, socket};
use crate::server;

/// Connections at once, for each page that is served: the page, its files, its socket.
const CONNECTIONS_PER_TAB: usize = 8;
/// How long the header of a request may take.
const SLOWEST_HEADER: Duration = Duration::from_secs(10);
/// Bytes of the headers of a request.
const LARGEST_HEADER: usize = 16 << 10;
/// Bytes of a file of games that a page sends.
const LARGEST_FILE: usize = 4 << 20;
/// Bytes of a message of a page.
const LARGEST_MESSAGE: usize = 64 << 10;
/// Files of games being read at once.
const READERS: usize = 2;
/// How long to wait after a failed accept.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);

/// What every answer says: nothing but the page's own files may run, and nobody may frame it.
const HEADERS: [(HeaderName, &str); 6] = [
    (
        HeaderName::from_static("content-security-policy"),
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (HeaderName::from_static("x-content-type-options"), "nosniff"),
    (HeaderName::from_static("referrer-policy"), "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cache-control"), "no-cache"),
];

/// What every route knows.
struct Server {
    guard: Guard,
    assets: Assets,
    house: Arc<House>,
    tabs: Arc<Semaphore>,
    readers: Semaphore,
    shutdown: watch::Receiver<bool>,
}

pub(super) async fn serve(web: &Web, ready: impl FnOnce(SocketAddr)) -> Result<(), WebError> {
    if !web.address.ip().is_loopback() && web.token.as_ref().is_none_or(String::is_empty) {
        return Err(WebError::NoToken(web.address));
    }
    let plain =
        |token: &String| token.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
    if !web.token.iter().all(plain) {
        return Err(WebError::Token);
    }
    let house = Arc::new(House::new(web)?);
    let mut shutdown = server::shutdown()?;
    let listener = TcpListener::bind(web.address).await?;
    let address = listener.local_addr()?;
    if let Some(watcher) = &house.watcher {
        tokio::spawn(watcher.follow(shutdown.clone()));
    }
    let shared = Arc::new(Server {
        guard: Guard::new(address, &web.hosts, web.token.clone()),
        assets: Assets::new(web.page.clone()),
        house,
        tabs: Arc::new(Semaphore::new(web.tabs)),
        readers: Semaphore::new(READERS),
        shutdown: shutdown.clone(),
    });
    let app = router(shared);
    ready(address);
    let room = Arc::new(Semaphore::new(web.tabs.saturating_mul(CONNECTIONS_PER_TAB)));
    loop {
        // With all places taken the next connection waits in the system's queue.
        let place = tokio::select! {
            _ = shutdown.wait_for(|&now| now) => return Ok(()),
            place = room.clone().acquire_owned() => place,
        };
        let stream = tokio::select! {
            _ = shutdown.wait_for(|&now| now) => return Ok(()),
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    warn!(%error, "a connection failed");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            },
        };
        // Small messages should not wait for others to travel with.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(app.clone());
        tokio::spawn(async move {
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(SLOWEST_HEADER)
                .max_buf_size(LARGEST_HEADER)
                .serve_connection(TokioIo::new(stream), service)
                .with_upgrades();
            // Whatever a client did wrong is its own trouble.
            let _ = connection.await;
            drop(place);
        });
    }
}

fn router(server: Arc<Server>) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/page/{file}", get(asset))
        .route("/live", get(live))
        .route("/read", post(read))
        .fallback(|| async { (StatusCode::NOT_FOUND, "There is nothing here.\n") })
        .layer(DefaultBodyLimit::max(LARGEST_FILE))
        .layer(middleware::from_fn_with_state(server.clone(), checked))
        .with_state(server)
}

/// Looks at every request before anything else does, and gives every answer its headers.
async fn checked(State(server): State<Arc<Server>>, request: Request, next: Next) -> Response {
    let is_page = request.uri().path() == "/";
    let allowed = server.guard.check(request.headers(), is_page).and_then(|()| {
        // The page itself looks at the token in the address first.
        if is_page { Ok(()) } else { server.guard.knows_token(request.headers()) }
    });
    let mut response = match allowed {
        Ok(()) => next.run(request).await,
        Err(refusal) => refused(refusal),
    };
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

fn refused(refusal: Refusal) -> Response {
    refusal.answer().into_response()
}

async fn page(
    State(server): State<Arc<Server>>,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
) -> Response {
    if let Some(token) = query.get("token").filter(|token| server.guard.is_token(token)) {
        let cookie = format!(
            "{}={token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000",
            server.guard.cookie_name()
        );
        return (StatusCode::SEE_OTHER, [(LOCATION, "/".to_owned()), (SET_COOKIE, cookie)], "")
            .into_response();
    }
    match server.guard.knows_token(&headers) {
        Ok(()) => server.assets.get("index.html", &headers),
        Err(refusal) => refused(refusal),
    }
}

async fn asset(
    State(server): State<Arc<Server>>,
    Path(file): Path<String>,
    headers: HeaderMap,
) -> Response {
    server.assets.get(&file, &headers)
}

async fn live(State(server): State<Arc<Server>>, upgrade: WebSocketUpgrade) -> Response {
    let upgrade = upgrade.max_message_size(LARGEST_MESSAGE).max_frame_size(LARGEST_MESSAGE);
    let Ok(place) = server.tabs.clone().try_acquire_owned() else {
        let tabs = server.house.tabs;
        return upgrade.on_upgrade(move |socket| socket::turn_away(socket, tabs));
    };
    let (house, shutdown) = (server.house.clone(), server.shutdown.clone());
    upgrade.on_upgrade(move |socket| async move {
        socket::serve(socket, house, shutdown).await;
        drop(place);
    })
}

/// Games in a text or file that the page sends; its name only says which format to try first.
async fn read(
    State(server): State<Arc<Server>>,
    Query(query): Query<HashMap<String, String>>,
    body: Bytes,
) -> Response {
    let Ok(_reader) = server.readers.acquire().await else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    let name = query.get("name").cloned().unwrap_or_default();
    let games = tokio::task::spawn_blocking(move || games::read(&name, &body)).await;
    match games.map(|games| serde_json::to_string(&games)) {
        Ok(Ok(text)) => ([(CONTENT_TYPE, "application/json")], text).into_response(),
        _ => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
