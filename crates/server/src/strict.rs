//! Forms, read as the document describes them: an object is never written as a list, and `30.0` is a whole number.
//!
//! A derived reader takes a list in place of an object, field by field, and no `30.0` where it wants a whole number. JSON
//! Schema has it the other way round, and so has everybody who reads the document. Data of the caller's own is read as it is.

use serde::de::{DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor};
use std::fmt;

/// Reads what is wrapped in it strictly, all the way down.
pub(crate) struct Strict<T>(pub(crate) T);

/// Largest number from which on not every whole number can be told from its neighbours.
const EXACT: f64 = 9_007_199_254_740_992.0;

macro_rules! wrapped {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.0.$method(Strict(visitor))
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Strict<D> {
    type Error = D::Error;

    wrapped! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8 deserialize_u16
        deserialize_u32 deserialize_u64 deserialize_f32 deserialize_f64 deserialize_char deserialize_str
        deserialize_string deserialize_bytes deserialize_byte_buf deserialize_option deserialize_unit deserialize_seq
        deserialize_map deserialize_identifier deserialize_ignored_any
    }

    /// Whatever may be anything is the caller's own.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_unit_struct(name, Strict(visitor))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_newtype_struct(name, Strict(visitor))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_tuple(len, Strict(visitor))
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_tuple_struct(name, len, Strict(visitor))
    }

    /// As an object, and nothing else.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(Strict(visitor))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_enum(name, variants, Strict(visitor))
    }
}

macro_rules! visited {
    ($($method:ident $type:ty;)*) => {
        $(fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.0.$method(value)
        })*
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Strict<V> {
    type Value = V::Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(formatter)
    }

    visited! {
        visit_bool bool; visit_i64 i64; visit_u64 u64; visit_str &str; visit_borrowed_str &'de str;
        visit_string String; visit_bytes &[u8]; visit_borrowed_bytes &'de [u8]; visit_byte_buf Vec<u8>;
    }

    /// Read twice where it is whole: whoever wants any number takes it either way.
    fn visit_f64<E: Error>(self, value: f64) -> Result<V::Value, E> {
        if value.fract() == 0.0 && (0.0..=EXACT).contains(&value) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, and in range")]
            let whole = value as u64;
            return self.0.visit_u64(whole);
        }
        self.0.visit_f64(value)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.0.visit_some(Strict(deserializer))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.0.visit_newtype_struct(Strict(deserializer))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<V::Value, A::Error> {
        self.0.visit_seq(Strict(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(Strict(fields))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, variant: A) -> Result<V::Value, A::Error> {
        self.0.visit_enum(Strict(variant))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Strict<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.0.deserialize(Strict(deserializer))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Strict<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.0.next_element_seed(Strict(seed))
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Strict<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.0.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.0.next_value_seed(Strict(seed))
    }
}

impl<'de, A: EnumAccess<'de>> EnumAccess<'de> for Strict<A> {
    type Error = A::Error;
    type Variant = Strict<A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), A::Error> {
        self.0.variant_seed(seed).map(|(value, variant)| (value, Strict(variant)))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Strict<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.0.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.0.newtype_variant_seed(Strict(seed))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.0.tuple_variant(len, Strict(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.0.struct_variant(fields, Strict(visitor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Form {
        #[serde(default)]
        count: Option<u64>,
        #[serde(default)]
        share: f64,
        #[serde(default)]
        own: serde_json::Value,
        #[serde(default)]
        inner: Vec<Form>,
    }

    #[test]
    fn forms_are_objects_and_whole_numbers_are_whole() {
        let read = |text: &str| {
            let read = Form::deserialize(Strict(&mut serde_json::Deserializer::from_str(text)));
            read.map(|form| format!("{:?} {} {}", form.count, form.share, form.own)).map_err(|error| error.to_string())
        };
        for (text, expected) in [
            (r#"{"count": 30.0, "share": 2.0}"#, Ok("Some(30) 2 null")),
            (r#"{"count": 30}"#, Ok("Some(30) 0 null")),
            (r#"{"own": [1.0, {"a": 2.50}]}"#, Ok(r#"None 0 [1.0,{"a":2.5}]"#)),
            (r#"{"inner": [{"count": 1.0}]}"#, Ok("None 0 null")),
            (r#"{"count": 30.5}"#, Err("expected u64")),
            (r#"{"count": -1.0}"#, Err("expected u64")),
            (r"[1, 2, 3, []]", Err("invalid type: sequence")),
            (r#"{"inner": [[1, 2, 3, []]]}"#, Err("invalid type: sequence")),
        ] {
            match (read(text), expected) {
                (Ok(read), Ok(expected)) => assert_eq!(read, expected, "{text}"),
                (Err(error), Err(expected)) => assert!(error.contains(expected), "{text}: {error}"),
                (read, _) => panic!("{text}: {read:?}"),
            }
        }
    }
}
