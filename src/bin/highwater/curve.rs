//! `highwater solve --for gpus --curve`: scenarios in, what ranks need against the number of GPUs out.

use crate::arguments::Form;
use crate::lines::{self, Written, read, refusal, sentence, write_line};
use crate::{BAD_INPUT, DOES_NOT_FIT, FITS};
use highwater::ask::Finding;
use highwater::decide::{GpusCurve, gpus_curve};
use highwater::report::estimate;
use highwater::text::{ByteUnits, Language, Scale, curve_summary, sharding_name, written};
use highwater::units::Bytes;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Writes the curves of every scenario of a text; gives the exit code.
pub fn run(text: &str, form: Form, out: &mut dyn Write) -> u8 {
    lines::each(text, out, |text| one(text, form))
}

/// The curves of a scenario, and findings about the scenario.
type Curves = (Vec<GpusCurve>, Vec<Finding>);

/// One scenario's exit code and written answer.
fn one(text: &str, form: Form) -> Written {
    let answer = answer(text);
    let mut line = Vec::new();
    // Writing to memory cannot fail.
    let _ = match (form, &answer) {
        (Form::Json, Ok(curves)) => write_line(&in_json(curves), &mut line),
        (Form::Json, Err(findings)) => write_line(&refusal(findings), &mut line),
        (Form::Table, Ok((curves, _))) => write_table(curves, &mut line),
        (Form::Table, Err(findings)) => writeln!(line, "error: {}", sentence(findings)),
    };
    let code = match answer {
        Err(_) => BAD_INPUT,
        Ok((curves, _)) if curves.iter().any(fits_somewhere) => FITS,
        Ok(_) => DOES_NOT_FIT,
    };
    (code, line)
}

fn fits_somewhere(curve: &GpusCurve) -> bool {
    let mut points = curve.points.iter();
    points.any(|point| point.device.fits && point.host.fits)
}

fn answer(text: &str) -> Result<Curves, Vec<Finding>> {
    let (scenario, decoding) = read(text)?;
    let curves = gpus_curve(&scenario);
    if curves.is_empty() {
        // No number of GPUs is allowed: returns the findings of the scenario itself.
        estimate(&scenario)?;
    }
    Ok((curves, decoding))
}

/// `{"gpus": [curves]}`, then findings where there are some.
fn in_json((curves, findings): &Curves) -> Value {
    let mut line = json!({"gpus": curves});
    let findings = written(findings);
    if !findings.is_empty() {
        line["findings"] = json!(findings);
    }
    line
}

/// A table for each sharding.
fn write_table(curves: &[GpusCurve], out: &mut dyn Write) -> io::Result<()> {
    let (units, language) = (ByteUnits::Binary, Language::English);
    for curve in curves {
        let most = |of: &dyn Fn(usize) -> Bytes| (0..curve.points.len()).map(of).max();
        let device = Scale::new(
            most(&|at| curve.points[at].device.needed).unwrap_or_default(),
            units,
        );
        let host = Scale::new(
            most(&|at| curve.points[at].host.needed).unwrap_or_default(),
            units,
        );
        let name = sharding_name(curve.sharding);
        let [rank, ram] = [
            format!("a rank, {}", device.unit),
            format!("RAM of a node, {}", host.unit),
        ];
        writeln!(out, "{name:<8}{:>6}{rank:>16}{ram:>22}", "GPUs")?;
        for point in &curve.points {
            let [rank, ram] = [
                device.number(point.device.needed),
                host.number(point.host.needed),
            ];
            let fits = point.device.fits && point.host.fits;
            let fits = if fits { "fits" } else { "does not fit" };
            writeln!(out, "{:>14}{rank:>16}{ram:>22}  {fits}", point.gpus)?;
        }
        let summary = curve_summary(curve, units, language);
        writeln!(out, "{}\n", summary.replace('\u{a0}', " "))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str =
        r#"{"model":"qwen2.5-0.5b","seq_len":64,"model_overrides":{"num_hidden_layers":2}}"#;

    fn written_on(text: &str, form: Form) -> (u8, String) {
        let mut out = Vec::new();
        let code = run(text, form, &mut out);
        (code, String::from_utf8(out).expect("UTF-8"))
    }

    #[test]
    fn each_sharding_has_its_points_and_what_does_not_shrink() {
        let (code, out) = written_on(SMALL, Form::Json);
        assert_eq!(code, FITS);
        let answer: Value = serde_json::from_str(&out).expect("JSON");
        let curves = answer["gpus"].as_array().expect("curves");
        let fsdp = curves.iter().find(|curve| curve["sharding"] == "fsdp2");
        let fsdp = fsdp.expect("FSDP2 is possible");
        let needed = |at: usize| fsdp["points"][at]["device"]["needed"].as_u64();
        assert!(needed(0) > needed(3) && needed(3).is_some(), "{fsdp}");
        assert!(fsdp["points"][0]["host"]["needed"].is_u64());
        assert!(fsdp["floor"]["activations"].as_u64() > Some(0), "{fsdp}");
    }

    #[test]
    fn people_read_tables_and_what_is_wrong_is_said() {
        let (_, out) = written_on(SMALL, Form::Table);
        assert!(out.contains("FSDP2     GPUs"), "{out}");
        assert!(out.contains("of tensors do not shrink, mostly"), "{out}");
        let (code, out) = written_on(r#"{"model":"nothing"}"#, Form::Json);
        assert_eq!(code, BAD_INPUT);
        assert!(out.starts_with("{\"error\":\"model: "), "{out}");
    }
}
