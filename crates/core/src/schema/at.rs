//! Where something stands in a value. It is written out only when something is told of it: most of it is right, and a
//! place with long names would be copied for every part of it.

/// A place, as a step from the one around it.
#[derive(Clone, Copy)]
pub(super) enum At<'a> {
    /// All of it.
    Whole,
    /// A field of an object.
    Field(&'a At<'a>, &'a str),
    /// An item of a list.
    Item(&'a At<'a>, usize),
}

impl At<'_> {
    /// As in `legs[0].from`.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Whole => String::new(),
            Self::Field(around, name) => match around.text() {
                around if around.is_empty() => (*name).to_owned(),
                around => format!("{around}.{name}"),
            },
            Self::Item(around, i) => format!("{}[{i}]", around.text()),
        }
    }
}
