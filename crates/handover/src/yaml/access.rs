//! The parts of lists, objects and choices, as serde takes them one by one. What was left out is passed over.

use super::{
    document::Document,
    reader::Value,
    tree::NodeId,
    wrong::{Kind, Wrong},
};
use handover_core::refusal::{Code, Refusal};
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};

/// The entries of a list.
pub(super) struct Entries<'d> {
    pub(super) document: &'d Document,
    pub(super) entries: &'d [NodeId],
    /// Whether an entry that was left out is passed over. It is not where each place has a meaning.
    pub(super) skip: bool,
}

impl<'de> SeqAccess<'de> for Entries<'de> {
    type Error = Wrong;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Wrong> {
        while let Some((node, rest)) = self.entries.split_first() {
            self.entries = rest;
            if !self.skip || !self.document.is_left_out(*node) {
                return Value { document: self.document, node: *node }.read(seed).map(Some);
            }
        }
        Ok(None)
    }
}

/// The names and values of an object.
pub(super) struct Fields<'d> {
    pub(super) document: &'d Document,
    pub(super) entries: &'d [(NodeId, NodeId)],
    /// The value that belongs to the last name.
    pub(super) value: Option<NodeId>,
    /// Whether a field without a value counts as left out. It does where names are fixed.
    pub(super) skip_nothing: bool,
}

impl Fields<'_> {
    fn skips(&self, key: NodeId, value: NodeId) -> bool {
        let left_out = self.document.is_left_out(key) || self.document.is_left_out(value);
        left_out || (self.skip_nothing && self.document.tree.is_nothing(value))
    }
}

impl<'de> MapAccess<'de> for Fields<'de> {
    type Error = Wrong;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Wrong> {
        while let Some(((key, value), rest)) = self.entries.split_first() {
            self.entries = rest;
            if !self.skips(*key, *value) {
                self.value = Some(*value);
                return Value { document: self.document, node: *key }.read(seed).map(Some);
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Wrong> {
        let node = self.value.take().ok_or_else(|| Wrong::of(Kind::Noted))?;
        Value { document: self.document, node }.read(seed)
    }
}

/// One of several words, or a word with a value of its own.
pub(super) struct OneOf<'d> {
    pub(super) word: Value<'d>,
    pub(super) inner: Option<Value<'d>>,
}

impl<'de> EnumAccess<'de> for OneOf<'de> {
    type Error = Wrong;
    type Variant = Inner<'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Inner<'de>), Wrong> {
        Ok((self.word.read(seed)?, Inner(self.inner)))
    }
}

/// What follows the word of a choice.
pub(super) struct Inner<'d>(Option<Value<'d>>);

impl<'d> Inner<'d> {
    fn needed(self) -> Result<Value<'d>, Wrong> {
        let lacks = || Refusal::new(Code::WrongType, "the word needs a value of its own");
        self.0.ok_or_else(|| Wrong::is(lacks().hint("write it as `word: value`")))
    }
}

impl<'de> VariantAccess<'de> for Inner<'de> {
    type Error = Wrong;

    fn unit_variant(self) -> Result<(), Wrong> {
        match self.0 {
            None => Ok(()),
            Some(inner) => inner.deserialize_unit(serde::de::IgnoredAny).map(|_| ()),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Wrong> {
        self.needed()?.read(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Wrong> {
        self.needed()?.deserialize_tuple(length, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, names: &'static [&'static str], visitor: V) -> Result<V::Value, Wrong> {
        self.needed()?.deserialize_struct("", names, visitor)
    }
}
