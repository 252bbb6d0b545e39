//! Groups of settings of which only what differs from the default is written.

/// Declares a group of settings, each with its default. In JSON a group is an object of the settings that
/// differ from their defaults; what stands under `with` are groups whose settings lie in the same object.
macro_rules! settings {
    (
        $(#[$meta:meta])* $name:ident {
            $($(#[$field_meta:meta])* $field:ident: $type:ty = $usual:expr,)+
        }
        $(with { $($(#[$part_meta:meta])* $part:ident: $part_type:ident,)+ })?
    ) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[$field_meta])* pub $field: $type,)+
            $($($(#[$part_meta])* pub $part: $part_type,)+)?
        }

        impl Default for $name {
            fn default() -> Self {
                Self {
                    $($field: $usual,)+
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
                })+
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
                })+
                $($(self.$part.write(map)?;)+)?
                Ok(())
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
