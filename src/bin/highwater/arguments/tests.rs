//! Tests of arguments.

use super::*;

fn parsed(line: &str) -> Result<Command, String> {
    parse(line.split_whitespace().map(OsString::from))
}

#[test]
fn a_file_and_an_option_are_understood_in_any_order() {
    for line in ["estimate a.json --table", "estimate --table a.json"] {
        let Ok(Command::Estimate { file, wanted, .. }) = parsed(line) else {
            panic!("{line} is not understood");
        };
        assert_eq!(file, Some("a.json".into()));
        assert_eq!(wanted, Wanted::Report(Form::Table));
    }
    for (line, as_said) in [
        ("estimate --svg", Wanted::Figure),
        ("estimate --link", Wanted::Link),
    ] {
        let command = parsed(line);
        assert!(matches!(command, Ok(Command::Estimate { wanted, .. }) if wanted == as_said));
    }
    assert!(parsed("plan --svg").is_err());
}

#[test]
fn help_is_of_the_command_that_is_named() {
    for line in ["help plan", "plan --help", "plan a.json -h"] {
        let Ok(Command::Help { command }) = parsed(line) else {
            panic!("{line} asks for help");
        };
        assert_eq!(command.as_deref(), Some("plan"));
    }
    for line in ["help", "--help"] {
        assert!(matches!(parsed(line), Ok(Command::Help { command: None })));
    }
}

#[test]
fn without_a_file_standard_input_is_read() {
    for line in ["estimate", "estimate -"] {
        let command = parsed(line);
        assert!(matches!(
            command,
            Ok(Command::Estimate {
                file: None,
                wanted: Wanted::Report(Form::Json),
                ..
            })
        ));
    }
}

#[test]
fn cases_can_be_selected() {
    let command = parsed("check a --only precision=bf16 --worst 3 --only attention=sdpa");
    let Ok(Command::Check { selection, .. }) = command else {
        panic!("check is not understood");
    };
    assert_eq!(selection.only, ["precision=bf16", "attention=sdpa"]);
    assert_eq!(selection.worst, 3);
}

#[test]
fn what_is_solved_for_is_named() {
    let command = parsed("solve --for lora.r a.json --table");
    let Ok(Command::Solve {
        file, axis, form, ..
    }) = command
    else {
        panic!("solve is not understood");
    };
    assert_eq!((file, form), (Some("a.json".into()), Form::Table));
    assert_eq!(axis.name(), "lora.r");
    let problem = parsed("solve --for batch_size").expect_err("no axis");
    assert!(problem.contains("micro_batch_size"), "{problem}");
}

#[test]
fn the_number_of_gpus_can_be_a_curve() {
    let command = parsed("solve --curve --for gpus a.json");
    let Ok(Command::Curve { file, form }) = command else {
        panic!("a curve is not understood");
    };
    assert_eq!((file, form), (Some("a.json".into()), Form::Json));
}

#[test]
fn what_a_plan_may_change_is_named() {
    let line = "plan a.json --keep precision --keep optimizer --allow lora --headroom 20";
    let Ok(Command::Plan { file, options, .. }) = parsed(line) else {
        panic!("plan is not understood");
    };
    assert_eq!(file, Some("a.json".into()));
    assert_eq!(options.locked, [Freedom::Precision, Freedom::Optimizer]);
    assert_eq!(options.allowed, [Adapters::Lora]);
    assert_eq!((options.headroom, options.gpus), (20, Gpus::AsSaid));
    let problem = parsed("plan --keep batch").expect_err("no setting");
    assert!(problem.contains("micro_batch_size"), "{problem}");
}

#[test]
fn several_files_can_be_read() {
    let Ok(Command::Read { files }) = parsed("read error.log snapshot.pickle") else {
        panic!("read is not understood");
    };
    assert_eq!(files.len(), 2);
    assert!(matches!(parsed("read"), Ok(Command::Read { files }) if files.is_empty()));
}

#[test]
fn a_value_may_stand_behind_an_equals_sign() {
    let command = parsed("check --only=precision=bf16 --worst=3 -- a");
    let Ok(Command::Check { file, selection }) = command else {
        panic!("check is not understood");
    };
    assert_eq!((file, selection.worst), (Some("a".into()), 3));
    assert_eq!(selection.only, ["precision=bf16"]);
}

#[test]
fn what_is_not_understood_is_refused() {
    for line in [
        "",
        "guess",
        "estimate a b",
        "estimate --tabel",
        "estimate --table=no",
        "estimate -t",
        "estimate --worst 3",
        "check --worst",
        "check --worst many",
        "check --table",
        "trace --table",
        "read --table",
        "snapshot --worst 3",
        "solve",
        "solve --for",
        "solve --for precision",
        "solve --for seq_len --worst 3",
        "solve --for seq_len --curve",
        "estimate --curve",
        "estimate --for seq_len",
        "estimate --keep precision",
        "plan --headroom 100",
        "plan --headroom much",
        "plan --allow dora",
        "plan --gpus few",
        "plan --gpu h100",
    ] {
        assert!(parsed(line).is_err(), "{line}");
    }
}
