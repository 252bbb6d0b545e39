//! Guessed purposes of a snapshot's blocks, beside the estimate for the scenario on screen.

use super::bars::category_background;
use crate::app::Store;
use crate::figure::{PurposeRow, purpose_color, purpose_rows};
use crate::inputs::DeviceOverview;
use crate::text::{InputWord, Language, Term, Word, amount, difference};
use crate::units::Bytes;
use leptos::prelude::*;

/// The table; nothing where a device's frames give nothing to guess from.
pub(super) fn purposes(device: &DeviceOverview, store: Store) -> Option<AnyView> {
    let guess = device.guess.as_ref()?;
    let (language, units) = (store.language.get(), store.units.get());
    let answer = store.settled.get()?;
    let estimated = answer.report.device.binding();
    let row = |row: &PurposeRow| {
        let estimated = row.estimated.map(|bytes| amount(bytes, units));
        let apart = row
            .estimated
            .map(|bytes| difference(bytes, row.measured, units));
        let color = purpose_color(row.purpose);
        view! {
            <tr>
                <th scope="row">
                    <span class="swatch" style:background=category_background(color)></span>
                    {row.purpose.term(language)}
                </th>
                <td>{amount(row.measured, units)}</td>
                <td>{estimated.unwrap_or_default()}</td>
                <td>{apart.unwrap_or_default()}</td>
            </tr>
        }
    };
    let rows = purpose_rows(guess, &estimated.composition);
    let beyond = (guess.beyond_requests > 0).then(|| {
        view! {
            <tr>
                <th scope="row">{InputWord::BeyondRequests.text(language)}</th>
                <td>{amount(Bytes(guess.beyond_requests), units)}</td>
                <td></td>
                <td></td>
            </tr>
        }
    });
    let when = guess.doing(device.peak_allocated.position);
    let heads = [
        InputWord::Purpose.text(language).to_owned(),
        with_phase(
            InputWord::Measured,
            when.map(|doing| doing.term(language)),
            language,
        ),
        with_phase(
            InputWord::Predicted,
            Some(estimated.phase.term(language)),
            language,
        ),
        InputWord::Difference.text(language).to_owned(),
    ];
    let heads = heads.map(|head| view! { <th scope="col">{head}</th> });
    Some(
        view! {
            <p>{InputWord::Guessed.text(language)}</p>
            <div class="scroll" role="region" tabindex="0" aria-label=Word::Table.text(language)>
                <table class="numbers">
                    <thead>
                        <tr>{heads.collect_view()}</tr>
                    </thead>
                    <tbody>{rows.iter().map(row).collect_view()} {beyond}</tbody>
                </table>
            </div>
        }
        .into_any(),
    )
}

/// A head with the phase in which it was: "Measured, backward".
fn with_phase(word: InputWord, phase: Option<&'static str>, language: Language) -> String {
    let parts = [Some(word.text(language)), phase];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    parts.join(", ")
}
