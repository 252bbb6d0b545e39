//! Groups of settings of which only what differs from the default is written.

/// Declares a group of settings, each with its default. In JSON a group is an object of the settings that differ from
/// their defaults. Fields under `groups` are objects within it, fields under `with` are groups whose settings lie in
/// the same object.
macro_rules! settings {
    (
        $(#[$meta:meta])* $name:ident {
            $($(#[$field_meta:meta])* $field:ident: $type:ty = $usual:expr,)*
        }
        $(groups { $($(#[$group_meta:meta])* $group:ident: $group_type:ident,)+ })?
        $(with { $($(#[$part_meta:meta])* $part:ident: $part_type:ident,)+ })?
    ) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[$field_meta])* pub $field: $type,)*
            $($($(#[$group_meta])* pub $group: $group_type,)+)?
            $($($(#[$part_meta])* pub $part: $part_type,)+)?
        }

        impl Default for $name {
            fn default() -> Self {
                Self {
                    $($field: $usual,)*
                    $($($group: $group_type::default(),)+)?
                    $($($part: $part_type::default(),)+)?
                }
            }
        }

        impl $name {
            /// The settings that an object says, the others as usual.
            pub(super) fn read(tree: &serde_json::Value) -> Result<Self, serde_json::Error> {
                let mut all = Self::default();
                $(if let Some(value) = tree.get(stringify!($field)) {
                    all.$field = serde::Deserialize::deserialize(value)?;
                })*
                $($(if let Some(value) = tree.get(stringify!($group)) {
                    all.$group = $group_type::read(value)?;
                })+)?
                $($(all.$part = $part_type::read(tree)?;)+)?
                Ok(all)
            }

            /// Adds the settings that differ from the usual ones.
            pub(super) fn write<M: serde::ser::SerializeMap>(
                &self,
                map: &mut M,
            ) -> Result<(), M::Error> {
                let usual = Self::default();
                $(if self.$field != usual.$field {
                    map.serialize_entry(stringify!($field), &self.$field)?;
                })*
                $($(if self.$group != usual.$group {
                    map.serialize_entry(stringify!($group), &self.$group)?;
                })+)?
                $($(self.$part.write(map)?;)+)?
                Ok(())
            }

            /// All settings, those too that are as usual; null for what is absent.
            pub fn complete(&self) -> serde_json::Map<String, serde_json::Value> {
                let mut map = serde_json::Map::new();
                $(map.insert(
                    stringify!($field).to_owned(),
                    serde_json::to_value(&self.$field).unwrap_or_default(),
                );)*
                $($(map.insert(stringify!($group).to_owned(), self.$group.complete().into());)+)?
                $($(map.extend(self.$part.complete());)+)?
                map
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut map = serializer.serialize_map(None)?;
                self.write(&mut map)?;
                serde::ser::SerializeMap::end(map)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let tree = serde_json::Value::deserialize(deserializer)?;
                Self::read(&tree).map_err(serde::de::Error::custom)
            }
        }
    };
}

pub(super) use settings;
