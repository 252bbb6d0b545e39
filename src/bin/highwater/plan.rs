//! `highwater plan`: scenarios in, the plans that fit and that no other dominates out.

use crate::arguments::Form;
use crate::lines::{self, Written, read, refusal, sentence, write_line};
use crate::{BAD_INPUT, DOES_NOT_FIT, FITS};
use highwater::ask::Finding;
use highwater::codec::encode_json;
use highwater::decide::{NearMiss, PlanOptions, Plans, Rejection, RunPlan, Why, plans};
use highwater::report::Memory;
use highwater::text::{ByteUnits, Scale, english, exact, written};
use highwater::units::Bytes;
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// The unit of ratios.
const RATIOS: &str = "counted operations and bytes, not measured time";

/// Searches around every scenario of a text and writes the plans; gives the exit code.
pub fn run(text: &str, options: &PlanOptions, form: Form, out: &mut dyn Write) -> u8 {
    lines::each(text, out, |text| one(text, options, form))
}

/// One scenario's exit code and written answer.
fn one(text: &str, options: &PlanOptions, form: Form) -> Written {
    let answer = read(text).map(|(scenario, findings)| (plans(&scenario, options), findings));
    let mut line = Vec::new();
    // Writing to memory cannot fail.
    let _ = match (form, &answer) {
        (Form::Json, Ok((found, findings))) => write_line(&answered(found, findings), &mut line),
        (Form::Json, Err(findings)) => write_line(&refusal(findings), &mut line),
        (Form::Table, Ok((found, _))) => write_table(found, options, &mut line),
        (Form::Table, Err(findings)) => writeln!(line, "error: {}", sentence(findings)),
    };
    let code = match answer {
        Err(_) => BAD_INPUT,
        Ok((found, _)) if found.plans.is_empty() => DOES_NOT_FIT,
        Ok(_) => FITS,
    };
    (code, line)
}

/// How many times the least of all plans, to three decimals.
fn ratio(own: u64, least: u64) -> f64 {
    (own as f64 / least.max(1) as f64 * 1000.0).round() / 1000.0
}

fn answered(found: &Plans, findings: &[Finding]) -> Value {
    let least = found.least_compute();
    let all = found.plans.iter().map(|plan| planned(plan, least));
    let mut answer = json!({
        "plans": all.collect::<Vec<Value>>(),
        "rejected": found.rejected.iter().map(rejected).collect::<Vec<Value>>(),
        "nearest_misses": found.misses.iter().map(missed).collect::<Vec<Value>>(),
        "candidates": found.candidates,
        "estimated": found.estimated,
        "ratios": RATIOS,
    });
    if let Some(nearest) = &found.nearest {
        let plan = &nearest.plan;
        let without: Vec<&str> = nearest.without.iter().map(|lock| lock.name()).collect();
        answer["nearest"] = json!({
            "without": without,
            "plan": planned(plan, plan.computed()),
        });
    }
    if !findings.is_empty() {
        answer["findings"] = json!(written(findings));
    }
    answer
}

fn planned(plan: &RunPlan, least: u64) -> Value {
    let changes: Map<String, Value> = (plan.changes.iter())
        .map(|(key, value)| ((*key).to_owned(), value.clone()))
        .collect();
    let scenario: Value = serde_json::from_str(&encode_json(&plan.scenario)).unwrap_or_default();
    json!({
        "changes": changes,
        "alters": plan.altered,
        "gpus": plan.gpus,
        "gpu": plan.scenario.hardware.gpu,
        "phase": plan.phase.name(),
        "device": plan.device,
        "free": plan.free,
        "host": plan.host,
        "compute": plan.compute,
        "idle": plan.idle,
        "relative_compute": ratio(plan.computed(), least),
        "communication": plan.communication,
        "sent": plan.communication.total(),
        "scenario": scenario,
    })
}

fn missed(miss: &NearMiss) -> Value {
    json!({
        "memory": miss.memory,
        "short_by": miss.by,
        "plan": planned(&miss.plan, miss.plan.computed()),
    })
}

fn rejected(group: &Rejection) -> Value {
    let count = group.count;
    match &group.why {
        Why::Short { memory, phase, by } => json!({
            "why": "does_not_fit", "memory": memory, "phase": phase, "short_by": by, "count": count,
        }),
        Why::Refused(finding) => json!({
            "why": "refused", "key": finding.key, "message": english(&finding.message),
            "count": count,
        }),
        Why::Dominated => json!({"why": "dominated", "count": count}),
    }
}

fn write_table(found: &Plans, options: &PlanOptions, out: &mut dyn Write) -> io::Result<()> {
    let (plans, headroom) = (found.plans.len(), options.headroom);
    writeln!(
        out,
        "{plans} plans with {headroom} % of the GPU free, of {} candidates ({} estimated)",
        exact(found.candidates),
        exact(found.estimated)
    )?;
    if plans > 0 {
        writeln!(
            out,
            "{:>6}{:>12}{:>12}{:>12}{:>12}  {:<16}changes",
            "GPUs", "GPU", "host RAM", "compute", "sent", "peak"
        )?;
    }
    let least = found.least_compute();
    for plan in &found.plans {
        write_plan(plan, least, out)?;
    }
    if let Some(nearest) = &found.nearest {
        let locks: Vec<&str> = nearest.without.iter().map(|lock| lock.name()).collect();
        writeln!(
            out,
            "Nothing fits with these kept; without {}:",
            locks.join(", ")
        )?;
        write_plan(&nearest.plan, nearest.plan.computed(), out)?;
    }
    if plans == 0 {
        write_misses(&found.misses, out)?;
    }
    for group in &found.rejected {
        let count = exact(group.count);
        match &group.why {
            Why::Short { memory, phase, by } => {
                let memory = match phase {
                    Some(phase) => format!("{} at its peak ({})", memory.name(), phase.name()),
                    None => memory.name().to_owned(),
                };
                let by = shown(*by);
                writeln!(
                    out,
                    "  {count:>6} do not fit: {memory}, {by} short at least"
                )?;
            }
            Why::Refused(finding) => {
                writeln!(out, "  {count:>6} refused: {}", english(&finding.message))?;
            }
            Why::Dominated => writeln!(out, "  {count:>6} fit and are dominated")?,
        }
    }
    writeln!(out, "Ratios are of {RATIOS}.")
}

/// Writes the candidates that miss by least: the missing bytes, their needs, and their changes.
fn write_misses(misses: &[NearMiss], out: &mut dyn Write) -> io::Result<()> {
    if misses.is_empty() {
        return Ok(());
    }
    writeln!(out, "Nearest to fitting:")?;
    for NearMiss { plan, memory, by } in misses {
        let memory = match memory {
            Memory::Device => "GPU memory",
            Memory::Host => "host RAM",
        };
        let (by, device, host) = (shown(*by), shown(plan.device), shown(plan.host));
        writeln!(
            out,
            "  {by} of {memory} missing ({device} GPU, {host} host RAM): {}",
            changes(plan)
        )?;
    }
    Ok(())
}

fn shown(bytes: Bytes) -> String {
    let scale = Scale::new(bytes, ByteUnits::Binary);
    format!("{} {}", scale.number(bytes), scale.unit)
}

/// A plan's changes: `micro_batch_size=1 activation_checkpointing=full`.
fn changes(plan: &RunPlan) -> String {
    let changes: Vec<String> = (plan.changes.iter())
        .map(|(key, value)| match value {
            Value::String(name) => format!("{key}={name}"),
            value => format!("{key}={value}"),
        })
        .collect();
    if changes.is_empty() {
        "none".to_owned()
    } else {
        changes.join(" ")
    }
}

fn write_plan(plan: &RunPlan, least: u64, out: &mut dyn Write) -> io::Result<()> {
    let changes = changes(plan);
    writeln!(
        out,
        "{:>6}{:>12}{:>12}{:>11}x{:>12}  {:<16}{changes}",
        plan.gpus,
        shown(plan.device),
        shown(plan.host),
        ratio(plan.computed(), least),
        shown(plan.communication.total()),
        plan.phase.name(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use highwater::decide::Freedom;

    fn planned(text: &str, options: &PlanOptions, form: Form) -> (u8, String) {
        let mut out = Vec::new();
        let code = run(text, options, form, &mut out);
        (code, String::from_utf8(out).expect("UTF-8"))
    }

    const SMALL: &str = r#"{"model":"qwen2.5-0.5b","seq_len":64,"micro_batch_size":4,"precision":"bf16","model_overrides":{"num_hidden_layers":2}}"#;

    #[test]
    fn each_line_has_its_plans_in_the_same_order() {
        let text = format!("{SMALL}\nno json\n");
        let (code, out) = planned(&text, &PlanOptions::default(), Form::Json);
        assert_eq!(code, BAD_INPUT);
        let answers: Vec<Value> = out
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        assert_eq!(answers.len(), 2);
        let plans = answers[0]["plans"].as_array().expect("plans");
        assert!(!plans.is_empty(), "{out}");
        assert!(
            plans
                .iter()
                .all(|plan| plan["scenario"]["model"] == "qwen2.5-0.5b")
        );
        assert!(plans.iter().any(|plan| plan["relative_compute"] == 1.0));
        assert!(answers[1]["error"].is_string());
    }

    #[test]
    fn locks_that_leave_no_plan_are_named() {
        let text = r#"{"model":"llama-3.1-8b","micro_batch_size":1,"hardware":{"gpu":"rtx-4090"}}"#;
        let locked = Freedom::ALL.to_vec();
        let options = PlanOptions {
            locked,
            ..PlanOptions::default()
        };
        let (code, out) = planned(text, &options, Form::Json);
        assert_eq!(code, DOES_NOT_FIT);
        let answer: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(answer["rejected"][0]["why"], "does_not_fit", "{out}");
        assert!(
            answer["rejected"][0]["short_by"].as_u64() > Some(0),
            "{out}"
        );
    }

    #[test]
    fn where_nothing_fits_the_nearest_are_named_with_what_is_missing() {
        let text = r#"{"model":"llama-3.1-8b","micro_batch_size":2,"seq_len":512,"hardware":{"gpu":"t4"}}"#;
        let (code, out) = planned(text, &PlanOptions::default(), Form::Table);
        assert_eq!(code, DOES_NOT_FIT);
        let (_, nearest) = out
            .split_once("Nearest to fitting:\n")
            .expect("the nearest");
        let lines: Vec<&str> = nearest.lines().take(3).collect();
        assert!(
            lines.iter().all(|line| line.contains(" missing (")),
            "{out}"
        );
        assert!(
            lines.iter().all(|line| line.contains("micro_batch_size=1")),
            "{out}"
        );
        let (_, json) = planned(text, &PlanOptions::default(), Form::Json);
        let answer: Value = serde_json::from_str(&json).expect("JSON");
        let misses = answer["nearest_misses"].as_array().expect("misses");
        assert_eq!(misses.len(), 3);
        assert!(
            misses
                .iter()
                .all(|miss| miss["short_by"].as_u64() > Some(0))
        );
    }

    #[test]
    fn people_read_a_table() {
        let (code, out) = planned(SMALL, &PlanOptions::default(), Form::Table);
        assert_eq!(code, FITS);
        assert!(out.contains("not measured time"), "{out}");
    }
}
