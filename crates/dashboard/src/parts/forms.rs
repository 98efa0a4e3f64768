//! Forms: each carries the word that shows that it is one of ours, and a key of its own: sent twice it is carried out once.

use crate::ask::Ask;
use maud::{Markup, html};
use uuid::Uuid;

/// A form that posts to an address. The script sends it and shows a refusal beside it; without script it is sent as it is.
pub(crate) fn form(ask: &Ask, action: &str, inside: Markup) -> Markup {
    form_of(ask, action, "", inside)
}

/// The same where it stands among others: `wide` takes what room there is, `long` a line of its own.
pub(crate) fn form_of(ask: &Ask, action: &str, size: &str, inside: Markup) -> Markup {
    html! {
        form class=(format!("act {size}").trim_end()) method="post" action=(action) data-send {
            input type="hidden" name="word" value=(ask.form_word());
            input type="hidden" name="once" value=(Uuid::new_v4());
            (inside)
        }
    }
}

/// A value that goes along.
pub(crate) fn hidden(name: &str, value: &str) -> Markup {
    html! { input type="hidden" name=(name) value=(value); }
}

/// The field for a reason. Every step by hand has one: the audit trail keeps it.
pub(crate) fn reason_field(id: &str, hint: &str) -> Markup {
    html! {
        label for=(id) { "Reason" }
        input id=(id) name="reason" required maxlength="1000" autocomplete="off" placeholder=(hint);
    }
}
