//! Serde's door to the tree: any type is read from any value.

use super::{
    access::{Entries, Fields, OneOf},
    document::Document,
    scalar::{self, Plain},
    tree::{Content, NodeId},
    wrong::{Kind, Wrong, unknown_field},
};
use handover_core::refusal::{Code, Refusal};
use serde::de::{DeserializeSeed, Deserializer, Visitor};

/// A value of the tree, to be read as whatever is asked for.
#[derive(Clone, Copy)]
pub(super) struct Value<'d> {
    pub(super) document: &'d Document,
    pub(super) node: NodeId,
}

impl<'d> Value<'d> {
    /// Reads it for a part of serde's. A type may read a text and refuse it afterwards: that is a mistake here too.
    pub(super) fn read<T: DeserializeSeed<'d>>(self, seed: T) -> Result<T::Value, Wrong> {
        self.here(|| seed.deserialize(self))
    }

    /// Says of a mistake that it is here, unless it is deeper.
    fn here<T>(self, read: impl FnOnce() -> Result<T, Wrong>) -> Result<T, Wrong> {
        if self.document.is_left_out(self.node) {
            // Whatever cannot do without it is left out as well.
            return Err(Wrong::of(Kind::Noted));
        }
        read().map_err(|wrong| wrong.at(self.node))
    }

    fn content(self) -> &'d Content {
        self.document.tree.content(self.node)
    }

    fn is_nothing(self) -> bool {
        self.document.tree.is_nothing(self.node)
    }

    /// What stands here, in words.
    fn found(self) -> &'static str {
        match self.content() {
            Content::Scalar { .. } if self.is_nothing() => "nothing",
            Content::Scalar { plain: true, .. } => "a text",
            Content::Scalar { plain: false, .. } => "a text in quotes",
            Content::List(_) => "a list",
            Content::Map(_) => "an object",
        }
    }

    fn expected(self, what: &str) -> Refusal {
        Refusal::new(Code::WrongType, format!("expected {what}, found {}", self.found()))
    }

    /// A text, with or without quotes.
    fn text(self) -> Result<&'d str, Wrong> {
        match self.content() {
            Content::Scalar { .. } if self.is_nothing() => {
                Err(Wrong::is(self.expected("a text").hint("write one, or put quotes around it")))
            }
            Content::Scalar { text, .. } => Ok(text),
            Content::List(_) | Content::Map(_) => {
                Err(Wrong::is(self.expected("a text").hint("put quotes around a text with brackets or colons")))
            }
        }
    }

    /// A text without quotes, for what is no text.
    fn bare<T>(self, what: &str, read: impl FnOnce(&str) -> Result<T, Wrong>) -> Result<T, Wrong> {
        match self.content() {
            Content::Scalar { text, plain: true } if !self.is_nothing() => read(text),
            Content::Scalar { text, plain: false } => {
                let refusal = self.expected(what);
                let hint = if read(text).is_ok() { "leave the quotes out" } else { "write it without quotes" };
                Err(Wrong::is(refusal.hint(hint)))
            }
            Content::Scalar { .. } | Content::List(_) | Content::Map(_) => {
                Err(Wrong::is(self.expected(what).hint(format!("write {what}"))))
            }
        }
    }

    fn whole(self, min: i128, max: i128) -> Result<i128, Wrong> {
        self.bare("a whole number", |text| scalar::whole(text, min, max))
    }

    fn entries(self, skip: bool) -> Result<Entries<'d>, Wrong> {
        match self.content() {
            Content::List(entries) => Ok(Entries { document: self.document, entries, skip }),
            Content::Scalar { text, .. } if !self.is_nothing() => {
                Err(Wrong::is(self.expected("a list").hint(format!("write `[{text}]`, or `- ` before each entry"))))
            }
            Content::Scalar { .. } | Content::Map(_) => {
                Err(Wrong::is(self.expected("a list").hint("begin each entry with `- `, or write `[]` for none")))
            }
        }
    }

    fn fields(self, names: &[&str], skip_nothing: bool) -> Result<Fields<'d>, Wrong> {
        match self.content() {
            Content::Map(entries) => Ok(Fields { document: self.document, entries, value: None, skip_nothing }),
            Content::Scalar { .. } | Content::List(_) => {
                let hint = if names.is_empty() {
                    "write it as `name: value`".to_owned()
                } else {
                    format!("write it as `name: value`; the fields are {}", names.join(", "))
                };
                Err(Wrong::is(self.expected("an object").hint(hint)))
            }
        }
    }

    /// A field that nothing reads is a mistake, but hides no other.
    fn refuse_unknown(self, names: &'static [&'static str]) {
        for (key, _) in self.document.tree.entries(self.node) {
            let name = self.document.tree.text(*key).unwrap_or_default();
            if !names.contains(&name) && !self.document.is_left_out(*key) {
                let names = if self.document.is_full() { &[] } else { names };
                self.document.refuse(*key, unknown_field(name, names));
                self.document.leave_out(*key);
            }
        }
    }
}

macro_rules! whole {
    ($($method:ident $visit:ident $type:ty),*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
            self.here(|| {
                let number = self.whole(<$type>::MIN as i128, <$type>::MAX as i128)?;
                visitor.$visit(number as $type)
            })
        }
    )*};
}

macro_rules! text {
    ($($method:ident),*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
            self.deserialize_str(visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for Value<'de> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.here(|| match self.content() {
            Content::Scalar { .. } if self.is_nothing() => visitor.visit_unit(),
            Content::Scalar { text, plain: false } => visitor.visit_borrowed_str(text),
            Content::Scalar { text, plain: true } => match scalar::any(text)? {
                Plain::Truth(truth) => visitor.visit_bool(truth),
                Plain::Number(number) => visitor.visit_f64(number),
                Plain::Text => visitor.visit_borrowed_str(text),
                Plain::Whole(number) => match (u64::try_from(number), i64::try_from(number)) {
                    (Ok(number), _) => visitor.visit_u64(number),
                    (Err(_), Ok(number)) => visitor.visit_i64(number),
                    (Err(_), Err(_)) => visitor.visit_f64(number as f64),
                },
            },
            Content::List(_) => visitor.visit_seq(self.entries(true)?),
            Content::Map(_) => visitor.visit_map(self.fields(&[], false)?),
        })
    }

    whole!(
        deserialize_i8 visit_i8 i8, deserialize_i16 visit_i16 i16, deserialize_i32 visit_i32 i32,
        deserialize_i64 visit_i64 i64,
        deserialize_u8 visit_u8 u8, deserialize_u16 visit_u16 u16, deserialize_u32 visit_u32 u32,
        deserialize_u64 visit_u64 u64
    );

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.here(|| visitor.visit_bool(self.bare("true or false", scalar::truth)?))
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.here(|| visitor.visit_f64(self.bare("a number", scalar::number)?))
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.here(|| visitor.visit_borrowed_str(self.text()?))
    }

    text!(deserialize_char, deserialize_string, deserialize_bytes, deserialize_byte_buf, deserialize_identifier);

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.here(|| if self.is_nothing() { visitor.visit_none() } else { visitor.visit_some(self) })
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.here(|| if self.is_nothing() { visitor.visit_unit() } else { Err(Wrong::is(self.expected("nothing"))) })
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Wrong> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Wrong> {
        self.here(|| visitor.visit_newtype_struct(self))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.here(|| visitor.visit_seq(self.entries(true)?))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Wrong> {
        self.here(|| {
            let entries = self.entries(false)?;
            let found = entries.entries.len();
            if found != length {
                let refusal =
                    Refusal::new(Code::WrongType, format!("expected a list of {length}, found one of {found}"));
                return Err(Wrong::is(refusal.hint(format!("give {length} entries"))));
            }
            visitor.visit_seq(entries)
        })
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        self.deserialize_tuple(length, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.here(|| visitor.visit_map(self.fields(&[], false)?))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        self.here(|| {
            let fields = self.fields(names, true)?;
            self.refuse_unknown(names);
            visitor.visit_map(fields)
        })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        words: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        self.here(|| match self.content() {
            Content::Scalar { .. } if !self.is_nothing() => visitor.visit_enum(OneOf { word: self, inner: None }),
            Content::Map(entries) if entries.len() == 1 => {
                let value = |node| Value { document: self.document, node };
                visitor.visit_enum(OneOf { word: value(entries[0].0), inner: Some(value(entries[0].1)) })
            }
            Content::Scalar { .. } | Content::List(_) | Content::Map(_) => {
                let listed = words.join(", ");
                Err(Wrong::is(self.expected(&format!("one of {listed}")).hint(format!("use one of {listed}"))))
            }
        })
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_unit()
    }
}
