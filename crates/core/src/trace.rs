//! Where work stands in a trace. All ids follow from what is recorded: every process comes to the same ones, before and
//! after a restart, and nothing is kept of a trace but what came from outside.

use crate::{
    digest::Digest,
    handoff::Handoff,
    ids::{HandoffId, LeaseId, SessionId},
};
use std::{fmt, str::FromStr};

/// The id of a trace: 16 bytes, written as 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TraceId(pub u128);

/// The id of a span: 8 bytes, written as 16 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpanId(pub u64);

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Display for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A place in a trace, as the header `traceparent` says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TraceParent {
    /// The trace.
    pub trace: TraceId,
    /// The span that whatever comes next belongs under.
    pub span: SpanId,
    /// The flags; the lowest bit says that the trace is kept.
    pub flags: u8,
}

/// The flag of a trace that is kept.
pub const SAMPLED: u8 = 1;

/// Why a text is no `traceparent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadTraceParent {
    /// It does not have the form.
    #[error("expected `00-<32 digits>-<16 digits>-<2 digits>`, hexadecimal and in small letters")]
    Form,
    /// An id of zeros names nothing.
    #[error("the ids of the trace and of the span must not be all zeros")]
    Zeros,
}

impl FromStr for TraceParent {
    type Err = BadTraceParent;

    fn from_str(text: &str) -> Result<Self, BadTraceParent> {
        let mut parts = text.split('-');
        let mut next = |digits: usize| {
            let part = parts.next().filter(|part| part.len() == digits && part.bytes().all(is_digit));
            part.and_then(|part| u128::from_str_radix(part, 16).ok()).ok_or(BadTraceParent::Form)
        };
        let (version, trace, span, flags) = (next(2)?, next(32)?, next(16)?, next(2)?);
        if version != 0 || parts.next().is_some() {
            return Err(BadTraceParent::Form);
        }
        // A part of so many digits fits: it was looked at above.
        let (span, flags) = (u64::try_from(span).unwrap_or(0), u8::try_from(flags).unwrap_or(0));
        if trace == 0 || span == 0 {
            return Err(BadTraceParent::Zeros);
        }
        Ok(Self { trace: TraceId(trace), span: SpanId(span), flags })
    }
}

fn is_digit(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{}-{}-{:02x}", self.trace, self.span, self.flags)
    }
}

/// A header from outside as it may be put into a request: one that is wrong is left out, as W3C asks.
#[must_use]
pub fn from_header(text: &str) -> Option<String> {
    text.trim().parse::<TraceParent>().ok().map(|parent| parent.to_string())
}

/// The trace of a session of which no other is known: all its handoffs are one trace.
#[must_use]
pub fn of_session(session: &SessionId) -> TraceId {
    let digest = Digest::of_all([b"handover trace\0".as_slice(), session.as_str().as_bytes()]);
    // Zeros would name nothing; no text is known that gives them.
    TraceId(u128::from_be_bytes(head(&digest)).max(1))
}

/// The place that a handoff was given from outside, its own or that of the work it goes on with.
#[must_use]
pub fn given(handoff: &Handoff) -> Option<TraceParent> {
    handoff.request.context.traceparent.as_deref()?.parse().ok()
}

/// The trace of a handoff.
#[must_use]
pub fn of_handoff(handoff: &Handoff) -> TraceId {
    given(handoff).map_or_else(|| of_session(&handoff.session_id), |given| given.trace)
}

/// The id of one part of a handoff: the same handoff and part give the same id.
#[must_use]
pub fn span(handoff: HandoffId, part: &str) -> SpanId {
    let digest = Digest::of_all([handoff.0.as_bytes().as_slice(), b"\0", part.as_bytes()]);
    SpanId(u64::from_be_bytes(head(&digest)).max(1))
}

/// The span of the handoff as a whole.
#[must_use]
pub fn handoff_span(handoff: HandoffId) -> SpanId {
    span(handoff, "handoff")
}

/// The span of one agent's work on it: whoever takes it anew does so under another lease.
#[must_use]
pub fn invocation_span(handoff: HandoffId, lease: LeaseId) -> SpanId {
    span(handoff, &format!("invocation/{lease}"))
}

/// What is told to whatever an agent calls while it works on a handoff: the trace, and the agent's own span.
#[must_use]
pub fn told(handoff: &Handoff, lease: LeaseId) -> TraceParent {
    let flags = given(handoff).map_or(SAMPLED, |given| given.flags);
    TraceParent { trace: of_handoff(handoff), span: invocation_span(handoff.id, lease), flags }
}

/// What work that goes on with this one inherits; nothing where no trace came from outside, since all that follows from
/// the session need not be kept.
#[must_use]
pub fn handed_on(handoff: &Handoff) -> Option<String> {
    let given = given(handoff)?;
    let span = handoff.lease().map_or_else(|| handoff_span(handoff.id), |lease| invocation_span(handoff.id, lease));
    Some(TraceParent { span, ..given }.to_string())
}

/// The first bytes of a digest.
fn head<const N: usize>(digest: &Digest) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&digest.0[..N]);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_every_form() {
        let (trace, span) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331");
        let zeros = "0".repeat(32);
        let table = [
            (format!("00-{trace}-{span}-01"), None),
            (format!("00-{trace}-{span}-00"), None),
            (format!("00-{trace}-{span}-ff"), None),
            (format!("01-{trace}-{span}-01"), Some(BadTraceParent::Form)),
            (format!("ff-{trace}-{span}-01"), Some(BadTraceParent::Form)),
            (format!("00-{}-{span}-01", trace.to_uppercase()), Some(BadTraceParent::Form)),
            (format!("00-{trace}-{span}"), Some(BadTraceParent::Form)),
            (format!("00-{trace}-{span}-01-x"), Some(BadTraceParent::Form)),
            (format!("00-{trace}-{span}-1"), Some(BadTraceParent::Form)),
            (format!("00-+{}-{span}-01", &trace[1..]), Some(BadTraceParent::Form)),
            (format!("00-{zeros}-{span}-01"), Some(BadTraceParent::Zeros)),
            (format!("00-{trace}-{}-01", &zeros[..16]), Some(BadTraceParent::Zeros)),
            ("é".repeat(27), Some(BadTraceParent::Form)),
            (String::new(), Some(BadTraceParent::Form)),
        ];
        for (text, wrong) in table {
            let read = text.parse::<TraceParent>();
            assert_eq!(read.err(), wrong, "{text}");
            // What can be read is written again to the letter; what cannot is left out.
            assert_eq!(from_header(&format!(" {text} ")), wrong.is_none().then_some(text));
        }
    }

    #[test]
    fn ids_follow_from_what_is_recorded() {
        let session = SessionId::new("s-1").unwrap();
        let id = HandoffId(uuid::Uuid::from_u128(7));
        let lease = LeaseId(uuid::Uuid::from_u128(8));
        assert_eq!(of_session(&session), of_session(&SessionId::new("s-1").unwrap()));
        assert_ne!(of_session(&session), of_session(&SessionId::new("s-2").unwrap()));
        let spans = [handoff_span(id), invocation_span(id, lease), invocation_span(id, LeaseId(id.0)), span(id, "x")];
        let different: std::collections::BTreeSet<SpanId> = spans.into_iter().collect();
        assert_eq!(different.len(), spans.len());
        // Stored nowhere, and so the same for good: other ids would tear traces apart.
        assert_eq!(of_session(&session).to_string(), "4fe87b2c0f8c29f370526eee32838355");
        assert_eq!(handoff_span(id).to_string(), "4a4d3f08321b5fb6");
    }
}
