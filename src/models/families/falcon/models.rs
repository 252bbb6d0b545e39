//! Published models of these families, by family and size.

crate::families::models::published_models! {
    "falcon-rw-1b", "Falcon RW 1B", "tiiuae/falcon-rw-1b", "2023-04";
    "falcon-7b", "Falcon 7B", "tiiuae/falcon-7b", "2023-04";
    "falcon-40b", "Falcon 40B", "tiiuae/falcon-40b", "2023-05";
}
