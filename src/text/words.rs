//! The page's words, one line each.

use super::Language;

/// Declares words with their two languages.
macro_rules! words {
    ($($name:ident: $english:literal, $chinese:literal;)+) => {
        /// A word or sentence of the page that never changes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Word {
            $(#[doc = $english] $name,)+
        }

        impl Word {
            /// The word in a language.
            pub const fn text(self, language: Language) -> &'static str {
                match (self, language) {
                    $(
                        (Self::$name, Language::English) => $english,
                        (Self::$name, Language::Chinese) => $chinese,
                    )+
                }
            }
        }
    };
}

words! {
    Tagline: "GPU memory and host RAM of a training run, before it starts",
        "训练开始之前，先知道显存和主机内存";
}
