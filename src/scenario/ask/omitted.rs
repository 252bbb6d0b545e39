//! Values that mean nothing and are not written into a scenario.

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
pub fn is_false(value: &bool) -> bool {
    !value
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
pub fn is_true(value: &bool) -> bool {
    *value
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
pub fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
pub fn is_nothing(value: &u64) -> bool {
    *value == 0
}
