//! The market itself: keeps requests in a file, and shows quotes when their time has come.

use super::{Quote, QuoteStatus, Rfp, RfpRequest, fleet, places};
use crate::{
    faults::{FaultCounter, Faults, QuoteFault, Strike},
    files::{off_thread, sync_folder},
    http::{Request, Response, Server, serve},
};
use handover_core::{
    digest::Digest,
    limits::{KEY_CHARS_MAX, MARKET_RFPS_MAX, PASSENGERS_MAX},
    time::Timestamp,
};
use handover_engine::clock::Clock;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{
    collections::HashMap,
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio::net::TcpListener;

/// How a market behaves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MarketSettings {
    /// How long after the request the first quote comes, in milliseconds.
    pub first_after_ms: u64,
    /// How long after it each further quote comes, in milliseconds. With 0 they all come with the first.
    pub every_ms: u64,
    /// Where requests are kept; in memory alone when it is not said.
    pub folder: Option<PathBuf>,
    /// What goes wrong on purpose: `market` and `quotes`.
    pub faults: Faults,
}

impl Default for MarketSettings {
    fn default() -> Self {
        Self { first_after_ms: 2_000, every_ms: 1_500, folder: None, faults: Faults::default() }
    }
}

/// A charter market.
pub struct Market {
    settings: MarketSettings,
    clock: Arc<dyn Clock>,
    counter: FaultCounter,
    book: Mutex<Book>,
}

#[derive(Default)]
struct Book {
    file: Option<File>,
    rfps: HashMap<String, Kept>,
}

/// A request as it is kept: a line of the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Kept {
    rfp_id: String,
    key: String,
    request: RfpRequest,
    created_at: Timestamp,
}

impl Market {
    /// Opens a market with what its folder holds.
    ///
    /// # Errors
    /// When the folder cannot be used, or its file is not what a market has written.
    pub fn open(settings: MarketSettings, clock: Arc<dyn Clock>) -> io::Result<Self> {
        let (counter, book) = match &settings.folder {
            Some(folder) => (FaultCounter::open(folder)?, open_book(&folder.join("rfps.jsonl"))?),
            None => (FaultCounter::default(), Book::default()),
        };
        Ok(Self { settings, clock, counter, book: Mutex::new(book) })
    }

    /// Answers at a listener until the server is dropped.
    ///
    /// # Errors
    /// When the listener has no address.
    pub fn serve(self, listener: TcpListener) -> io::Result<Server> {
        let market = Arc::new(self);
        serve(listener, move |request| {
            let market = Arc::clone(&market);
            async move {
                // Making a request waits for the disk.
                let answered = off_thread(move || market.answer(&request)).await;
                answered.unwrap_or_else(|error| Response::error(503, error.to_string()))
            }
        })
    }

    /// Listens at `host:port` and answers until the server is dropped. Port 0 takes any that is free.
    ///
    /// # Errors
    /// When the address cannot be used.
    pub async fn listen(self, address: &str) -> io::Result<Server> {
        self.serve(TcpListener::bind(address).await?)
    }

    fn answer(&self, request: &Request) -> Response {
        let method = request.method.as_str();
        match (method, request.path.as_str()) {
            ("GET", "/health") => Response::new(200, json!({ "healthy": true })),
            ("POST", "/rfps") => self.post(request),
            (_, "/health" | "/rfps") => Response::error(405, format!("{method} is not for this path")),
            (_, path) => match path.strip_prefix("/rfps/") {
                Some(id) if method == "GET" => self.get(id),
                Some(_) => Response::error(405, format!("{method} is not for this path")),
                None => Response::error(404, "the paths are /rfps, /rfps/{id} and /health"),
            },
        }
    }

    fn post(&self, request: &Request) -> Response {
        match self.counter.strikes("market", self.settings.faults.market) {
            Ok(None) => {}
            Ok(Some(Strike::Now)) => return Response::error(503, "the market is busy; ask again"),
            Ok(Some(Strike::Always)) => return Response::error(403, "the market does not deal with this house"),
            Err(error) => return Response::error(503, error.to_string()),
        }
        let key = request.header("idempotency-key").unwrap_or_default();
        if key.is_empty() || key.chars().count() > KEY_CHARS_MAX {
            let say = format!("`Idempotency-Key` must have 1 to {KEY_CHARS_MAX} characters (KEY_CHARS_MAX)");
            return Response::error(400, say);
        }
        let asked = match serde_json::from_slice(&request.body) {
            Ok(asked) => asked,
            Err(error) => return Response::error(400, format!("the request cannot be read: {error}")),
        };
        match checked(&asked) {
            Ok(asked) => self.keep(key, asked),
            Err(why) => Response::error(422, why),
        }
    }

    /// Keeps a request; the same key gets the same request again.
    fn keep(&self, key: &str, request: RfpRequest) -> Response {
        let rfp_id: String = format!("rfp-{}", Digest::of(key.as_bytes())).chars().take(16).collect();
        let mut book = self.book.lock();
        if let Some(kept) = book.rfps.get(&rfp_id) {
            return match kept.request == request {
                true => Response::new(200, json!(self.shown(kept))),
                false => Response::error(409, "this key was used for another request"),
            };
        }
        if book.rfps.len() >= MARKET_RFPS_MAX {
            return Response::error(507, format!("the market keeps {MARKET_RFPS_MAX} requests (MARKET_RFPS_MAX)"));
        }
        let kept = Kept { rfp_id: rfp_id.clone(), key: key.to_owned(), request, created_at: self.clock.now() };
        if let Err(error) = append(book.file.as_mut(), &kept) {
            return Response::error(503, format!("the request cannot be kept: {error}"));
        }
        let response = Response::new(201, json!(self.shown(&kept)));
        book.rfps.insert(rfp_id, kept);
        response
    }

    fn get(&self, id: &str) -> Response {
        match self.book.lock().rfps.get(id) {
            Some(kept) => Response::new(200, json!(self.shown(kept))),
            None => Response::error(404, "no such request"),
        }
    }

    fn shown(&self, kept: &Kept) -> Rfp {
        let mut quotes = fleet::quotes(&kept.rfp_id, &kept.request);
        quotes.truncate(self.come(self.clock.now().since(kept.created_at)));
        if let QuoteFault::Withdraw(count) = self.settings.faults.quotes {
            withdraw(&mut quotes, count);
        }
        Rfp { rfp_id: kept.rfp_id.clone(), request: kept.request.clone(), quotes }
    }

    /// How many quotes have come so many milliseconds after the request.
    fn come(&self, elapsed: u64) -> usize {
        let (late, most) = match self.settings.faults.quotes {
            QuoteFault::All | QuoteFault::Withdraw(_) => (0, usize::MAX),
            QuoteFault::None => (0, 0),
            QuoteFault::Few(count) => (0, usize::try_from(count).unwrap_or(usize::MAX)),
            QuoteFault::Late(ms) => (ms, usize::MAX),
        };
        let first = self.settings.first_after_ms.saturating_add(late);
        let come = match (elapsed.checked_sub(first), self.settings.every_ms) {
            (None, _) => 0,
            (Some(_), 0) => usize::MAX,
            (Some(since), every) => usize::try_from(since / every + 1).unwrap_or(usize::MAX),
        };
        come.min(most)
    }
}

fn withdraw(quotes: &mut [Quote], count: u32) {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    quotes.iter_mut().take(count).for_each(|quote| quote.status = QuoteStatus::Withdrawn);
}

/// A request with the codes of its airports, or why it cannot be flown.
fn checked(asked: &RfpRequest) -> Result<RfpRequest, String> {
    let known = |name: &str| places::find(name).ok_or_else(|| format!("no airport is known as `{name}`"));
    let (from, to) = (known(&asked.from)?, known(&asked.to)?);
    if from == to {
        return Err("a flight ends elsewhere than it begins".to_owned());
    }
    if !(1..=PASSENGERS_MAX).contains(&asked.passengers) {
        return Err(format!("1 to {PASSENGERS_MAX} people can fly (PASSENGERS_MAX)"));
    }
    let date = asked.date.parse::<jiff::civil::Date>();
    let date = date.map_err(|_| "`date` must be a day such as 2026-11-20".to_owned())?;
    Ok(RfpRequest { from: from.code.into(), to: to.code.into(), date: date.to_string(), passengers: asked.passengers })
}

fn open_book(path: &Path) -> io::Result<Book> {
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
    sync_folder(path)?;
    let text = fs::read(path)?;
    // A line without an end was never answered: the process ended while it wrote.
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    if whole < text.len() {
        file.set_len(u64::try_from(whole).unwrap_or(u64::MAX))?;
        file.flush()?;
    }
    let mut rfps = HashMap::new();
    for (at, line) in text[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).enumerate() {
        let kept: Kept = serde_json::from_slice(line)
            .map_err(|error| io::Error::other(format!("{}, line {}: {error}", path.display(), at + 1)))?;
        rfps.insert(kept.rfp_id.clone(), kept);
    }
    Ok(Book { file: Some(file), rfps })
}

fn append(file: Option<&mut File>, kept: &Kept) -> io::Result<()> {
    let Some(file) = file else { return Ok(()) };
    let mut line = serde_json::to_vec(kept)?;
    line.push(b'\n');
    file.write_all(&line)?;
    file.sync_data()
}
