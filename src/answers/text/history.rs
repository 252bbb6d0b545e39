//! A measured run beside a predicted one, in words.

use super::{ByteUnits, Language, amount, exact};
use crate::units::Bytes;

/// A moment: "Measured, after 1,204 events: 41.2 GiB allocated, 44.0 GiB reserved."
pub fn history_moment(
    run: &str,
    event: u64,
    held: [Bytes; 2],
    units: ByteUnits,
    language: Language,
) -> String {
    let [allocated, reserved] = held.map(|bytes| amount(bytes, units));
    let event = exact(event);
    match language {
        Language::English => {
            format!("{run}, after {event} events: {allocated} allocated, {reserved} reserved.")
        }
        Language::Chinese => {
            format!("{run}，{event} 个事件之后：已分配 {allocated}，已保留 {reserved}。")
        }
    }
}

/// Both peaks, allocated and reserved: the measured ones, and the ones estimated for the scenario on screen.
pub fn history_summary(
    measured: [Bytes; 2],
    estimated: [Bytes; 2],
    units: ByteUnits,
    language: Language,
) -> String {
    let [allocated, reserved] = measured.map(|bytes| amount(bytes, units));
    let [own_allocated, own_reserved] = estimated.map(|bytes| amount(bytes, units));
    match language {
        Language::English => format!(
            "Measured: {allocated} allocated and {reserved} reserved at most; estimated for the configuration on screen: {own_allocated} and {own_reserved}. The area is what tensors hold, the thin line what is reserved."
        ),
        Language::Chinese => format!(
            "实测峰值：已分配 {allocated}，已保留 {reserved}；当前配置的估算：{own_allocated} 与 {own_reserved}。色块为张量占用，细线为已保留。"
        ),
    }
}
