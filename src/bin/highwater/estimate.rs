//! `highwater estimate`: scenarios in, reports out.

use crate::arguments::{Form, Wanted};
use crate::configs::verdict_line;
use crate::lines::{self, Written, read, refusal, sentence, write_line};
use crate::{BAD_INPUT, DOES_NOT_FIT, FITS, refuse_line};
use crate::{drawn, table};
use highwater::ask::{Finding, Scenario};
use highwater::decide::{
    Axis, LongBatches, LongSteps, MeasuredCases, long_batches, long_steps, solve,
};
use highwater::report::{self, Estimate, Lagging};
use highwater::text::WrittenReport;
use std::io::Write;
use std::sync::Mutex;

/// Estimates every scenario of a text and writes the answers; gives the exit code.
pub fn run(text: &str, wanted: Wanted, out: &mut dyn Write) -> u8 {
    let misfits = Mutex::new(Vec::new());
    let code = lines::each(text, out, |text| one(text, wanted, &misfits));
    let misfits = misfits.into_inner().unwrap_or_default();
    match misfits.as_slice() {
        [] => {}
        [why] => refuse_line(why),
        [why, ..] => refuse_line(&format!("{} do not fit, one of them: {why}", misfits.len())),
    }
    code
}

/// One scenario's exit code and written answer; why it does not fit goes among the others' reasons.
fn one(text: &str, wanted: Wanted, misfits: &Mutex<Vec<String>>) -> Written {
    let answer = answer(text);
    let mut line = Vec::new();
    // Writing to memory cannot fail.
    let _ = match (wanted, &answer) {
        (Wanted::Report(Form::Json), Ok(answer)) => {
            let More { lengths, lagging } = &answer.more;
            let report = WrittenReport::from(&answer.estimate.report);
            let report = report.with_lengths(lengths.batches.as_ref(), lengths.steps.as_ref());
            let report = report.with_lagging(*lagging);
            write_line(&report, &mut line)
        }
        (Wanted::Report(Form::Table), Ok(answer)) => {
            let near = MeasuredCases::compiled().near(&answer.scenario);
            table::write(&answer.estimate.report, &answer.more, &near, &mut line)
        }
        (Wanted::Figure, Ok(answer)) => match drawn::svg(&answer.scenario, &answer.estimate) {
            Ok(svg) => writeln!(line, "{}", svg.trim_end()),
            Err(why) => writeln!(line, "error: {why}"),
        },
        (Wanted::Link, Ok(answer)) => writeln!(line, "{}", drawn::link(&answer.scenario)),
        (Wanted::Report(Form::Json), Err(findings)) => write_line(&refusal(findings), &mut line),
        (_, Err(findings)) => writeln!(line, "error: {}\n", sentence(findings)),
    };
    let code = match &answer {
        Err(_) => BAD_INPUT,
        Ok(answer) if !answer.estimate.report.verdict.fits => {
            if let Ok(mut misfits) = misfits.lock() {
                misfits.push(verdict_line(&answer.estimate.report.verdict));
            }
            DOES_NOT_FIT
        }
        Ok(_) => FITS,
    };
    (code, line)
}

/// A scenario's answer.
struct Answer {
    scenario: Scenario,
    estimate: Estimate,
    more: More,
}

/// Objects that the command line adds to a report.
pub struct More {
    /// Present where samples differ in length.
    pub lengths: Lengths,
    /// Present where the device lags behind the host.
    pub lagging: Option<Lagging>,
}

/// Answers about samples that differ in length.
#[derive(Default)]
pub struct Lengths {
    /// How long batches are, and which fit.
    pub batches: Option<LongBatches>,
    /// Memory of many steps with such samples.
    pub steps: Option<LongSteps>,
}

fn answer(text: &str) -> Result<Answer, Vec<Finding>> {
    let (scenario, decoding) = read(text)?;
    let mut estimate = report::estimate_with_ranks(&scenario)?;
    estimate.report.findings.extend(decoding);
    let lengths = lengths(&scenario, &mut estimate.report.findings);
    let lagging = (estimate.shares_streams).then(|| report::lagging(&scenario));
    let more = More {
        lengths,
        lagging: lagging.flatten(),
    };
    Ok(Answer {
        scenario,
        estimate,
        more,
    })
}

/// Answers about a scenario that has the lengths of its samples.
fn lengths(scenario: &Scenario, findings: &mut Vec<Finding>) -> Lengths {
    if scenario.dataset.lengths.is_none() {
        return Lengths::default();
    }
    let longest = Axis::named("seq_len").ok();
    let longest = longest.and_then(|axis| solve(scenario, &axis).ok());
    let batches = longest.and_then(|longest| long_batches(scenario, &longest));
    let steps = match long_steps(scenario) {
        Some(Ok(steps)) => Some(steps),
        Some(Err(why)) => {
            let of = |finding: Finding| Finding::notice(&finding.key, finding.message);
            findings.extend(why.into_iter().map(of));
            None
        }
        None => None,
    };
    Lengths { batches, steps }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn run_on(text: &str) -> (u8, Vec<Value>) {
        let mut out = Vec::new();
        let code = run(text, Wanted::Report(Form::Json), &mut out);
        let text = String::from_utf8(out).expect("UTF-8");
        (
            code,
            text.lines()
                .map(|line| serde_json::from_str(line).expect("JSON"))
                .collect(),
        )
    }

    #[test]
    fn one_scenario_over_many_lines_gives_one_report() {
        let (code, reports) = run_on("{\n  \"model\": \"qwen2.5-0.5b\",\n  \"seq_len\": 64\n}\n");
        assert_eq!(code, FITS);
        assert_eq!(reports.len(), 1);
        assert_eq!(reports[0]["model"]["num_parameters"], 494_032_768);
    }

    #[test]
    fn each_line_has_its_answer_in_the_same_order() {
        let (code, reports) = run_on(
            "{\"model\":\"qwen2.5-0.5b\",\"seq_len\":64}\n{\"model\":\"nothing\"}\nno json\n{\"model\":\"qwen3-0.6b\",\"seq_len\":64}\n",
        );
        assert_eq!(code, BAD_INPUT);
        assert_eq!(reports.len(), 4);
        assert_eq!(reports[0]["model"]["name"], "Qwen2.5 0.5B");
        assert!(
            reports[1]["error"]
                .as_str()
                .is_some_and(|error| error.starts_with("model: "))
        );
        assert!(reports[2]["error"].is_string());
        assert_eq!(reports[3]["model"]["name"], "Qwen3 0.6B");
    }

    #[test]
    fn a_table_says_how_many_measured_cases_are_like_it_and_links_sources() {
        let mut out = Vec::new();
        let text = r#"{"model":"qwen2.5-0.5b","seq_len":64}"#;
        assert_eq!(run(text, Wanted::Report(Form::Table), &mut out), FITS);
        let text = String::from_utf8(out).expect("UTF-8");
        assert!(text.contains("Measured with PyTorch, qwen2 ("), "{text}");
        assert!(text.contains("https://huggingface.co/blog/"), "{text}");
    }

    #[test]
    fn a_run_too_large_for_its_gpu_has_its_own_code() {
        let (code, reports) =
            run_on("{\"model\":\"llama-3.1-8b\",\"hardware\":{\"gpu\":\"rtx-4090\"}}");
        assert_eq!(code, DOES_NOT_FIT);
        assert_eq!(reports[0]["verdict"]["fits"], false);
    }

    #[test]
    fn where_samples_differ_in_length_it_says_which_batches_fit() {
        let text = r#"{"model":"qwen2.5-0.5b","seq_len":64,"dataset":{"lengths":"16:9 64:1"}}"#;
        let (_, reports) = run_on(text);
        let lengths = &reports[0]["lengths"];
        assert_eq!(lengths["longest_fitting"], 64);
        assert_eq!(lengths["quantiles"][0]["length"], 16);
        assert!(lengths["too_long"].is_null());
        assert_eq!(lengths["steps"]["count"], 1000);
        assert_eq!(lengths["steps"]["runs"][1]["expandable_segments"], true);
        let (_, reports) = run_on("{\"model\":\"qwen2.5-0.5b\",\"seq_len\":64}");
        assert!(reports[0].get("lengths").is_none());
    }

    #[test]
    fn unknown_keys_are_told_in_the_report() {
        let (_, reports) = run_on("{\"model\":\"qwen2.5-0.5b\",\"seq_len\":64,\"batch\":4}");
        assert_eq!(reports[0]["findings"][0]["key"], "batch");
    }

    #[test]
    fn a_graph_that_comes_along_has_a_name() {
        let text = r#"{"model":"timm-resnet50","micro_batch_size":2,"convolutions":"native"}"#;
        let (code, reports) = run_on(text);
        assert_eq!(code, FITS);
        assert_eq!(reports[0]["model"]["num_parameters"], 25_557_032);
        assert_eq!(reports[0]["findings"], serde_json::json!([]));
        let (_, named) = run_on(&text.replace(
            "\"timm-resnet50\"",
            r#"{"exported":"timm-resnet50.pt2"},"loss":"cross_entropy""#,
        ));
        assert_eq!(named, reports);
    }

    #[test]
    fn a_figure_and_a_link_are_written_in_place_of_the_report() {
        let written = |wanted| {
            let mut out = Vec::new();
            let text = r#"{"model":"qwen2.5-0.5b","micro_batch_size":3,"seq_len":64}"#;
            assert_eq!(run(text, wanted, &mut out), FITS);
            String::from_utf8(out).expect("UTF-8")
        };
        let link = written(Wanted::Link);
        assert_eq!(link.trim_end(), "?v=1&model=qwen2.5-0.5b&mb=3&seq=64");
        let figure = written(Wanted::Figure);
        assert!(figure.starts_with("<svg") && figure.trim_end().ends_with("</svg>"));
        for text in ["backward", "Qwen2.5 0.5B", "mb=3"] {
            assert!(figure.contains(text), "{text}: {figure}");
        }
    }

    #[test]
    fn no_input_is_bad_input() {
        assert_eq!(run_on("").0, BAD_INPUT);
        assert_eq!(run_on("\n \n").0, BAD_INPUT);
        assert_eq!(run_on("[]").0, BAD_INPUT);
    }

    #[test]
    fn a_reader_that_has_gone_away_is_no_panic() {
        struct Gone;
        impl Write for Gone {
            fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
                Err(std::io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        for form in [Form::Json, Form::Table] {
            run(
                "{\"model\":\"qwen2.5-0.5b\",\"seq_len\":64}",
                Wanted::Report(form),
                &mut Gone,
            );
        }
    }
}
