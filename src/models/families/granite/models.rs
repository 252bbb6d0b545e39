//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "granite-4.0-h-tiny", "Granite 4.0 H Tiny", "ibm-granite/granite-4.0-h-tiny", "2025-10";
    "granite-3.1-1b-a400m", "Granite 3.1 1B A400M", "ibm-granite/granite-3.1-1b-a400m-base", "2024-12";
    "granite-3.1-3b-a800m", "Granite 3.1 3B A800M", "ibm-granite/granite-3.1-3b-a800m-base", "2024-12";
    "granite-3.1-2b", "Granite 3.1 2B", "ibm-granite/granite-3.1-2b-base", "2024-12";
    "granite-3.1-8b", "Granite 3.1 8B", "ibm-granite/granite-3.1-8b-base", "2024-12";
}
