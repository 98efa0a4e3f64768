//! The charter market: takes requests for quotes, and operators answer late and one by one.
//!
//! `POST /rfps` with an `Idempotency-Key` makes a request, `GET /rfps/{id}` shows it with the quotes that have come,
//! `GET /health` says that the market is there. The same request always gets the same quotes.

mod client;
mod fleet;
pub mod places;
mod service;

pub use client::{MarketClient, MarketError};
pub use service::{Market, MarketSettings};

use serde::{Deserialize, Serialize};

/// What quotes are asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RfpRequest {
    /// The city, or the code of its airport.
    pub from: String,
    /// The city, or the code of its airport.
    pub to: String,
    /// The day, such as 2026-11-20.
    pub date: String,
    /// How many people fly.
    pub passengers: u64,
}

/// A request as the market shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rfp {
    /// Its id.
    pub rfp_id: String,
    /// What was asked for, with the codes of the airports.
    pub request: RfpRequest,
    /// The quotes that have come so far, in the order in which they came.
    pub quotes: Vec<Quote>,
}

/// What an operator offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quote {
    /// Its id.
    pub quote_id: String,
    /// Who would fly.
    pub operator: String,
    /// With what.
    pub aircraft: String,
    /// How many seats it has.
    pub seats: u64,
    /// How far it flies.
    pub range_km: u64,
    /// How fast.
    pub speed_kmh: u64,
    /// How safe the operator is, of 100.
    pub safety_rating: u64,
    /// How comfortable the aircraft is, of 100.
    pub comfort: u64,
    /// How long the flight takes.
    pub flight_minutes: u64,
    /// The price of the whole flight.
    pub price: u64,
    /// The currency of the price.
    pub currency: String,
    /// Whether it still stands.
    pub status: QuoteStatus,
}

/// Whether a quote still stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuoteStatus {
    /// It stands.
    Offered,
    /// The operator took it back.
    Withdrawn,
}

#[cfg(test)]
mod tests;
