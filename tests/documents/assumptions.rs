//! The page of assumptions: limitations of the rooms that model something, and facts with their sources.

use highwater::catalog::ACCELERATORS;
use highwater::host::{self, Unit};
use highwater::sim;
use highwater::text::Language;
use highwater::units::Limitation;

/// The page in a language. Facts are in English alone, as their sources are.
pub fn page(language: Language) -> String {
    let lines = |limitations: &[Limitation]| -> String {
        let text = |limitation: &Limitation| match language {
            Language::English => limitation.english,
            Language::Chinese => limitation.chinese,
        };
        let lines: Vec<&str> = limitations.iter().map(text).collect();
        format!("- {}\n", lines.join("\n- "))
    };
    let (device, node) = (
        lines(sim::KNOWN_LIMITATIONS),
        lines(host::KNOWN_LIMITATIONS),
    );
    match language {
        Language::Chinese => format!("# 假设\n\n## 显存\n\n{device}\n## 主机内存\n\n{node}"),
        Language::English => {
            let (gpus, facts) = (gpus(), facts());
            format!(
                "# What is assumed\n\nThe page shows the same lists under *What is assumed?*.\n\n\
                 ## GPU memory\n\n{device}\n## Host RAM\n\n{node}\n\
                 ## Capacities of GPUs\n\nBytes that PyTorch reports as the total capacity, which is less than the \
                 label says.\n\n| GPU | bytes | how it is known | source |\n|---|---|---|---|\n{gpus}\n\
                 ## Numbers of the host model\n\n\"hostram\" is the set of measurements in `tests/oracle/host`; the \
                 number after it is the experiment.\n\n\
                 | meaning | value | how it is known | source |\n|---|---|---|---|\n{facts}"
            )
        }
    }
}

fn gpus() -> String {
    let row = |gpu: &highwater::catalog::Accelerator| {
        let (bytes, usable) = (gpu.usable.value.get(), gpu.usable);
        format!(
            "| {} | {bytes} | {} | {} |\n",
            gpu.name,
            usable.confidence.name(),
            usable.source
        )
    };
    ACCELERATORS.iter().map(row).collect()
}

fn facts() -> String {
    let row = |fact: &host::Fact| {
        let unit = match fact.unit {
            Unit::Bytes => " bytes",
            Unit::BytesEach => " bytes each",
            Unit::Permille => " \u{2030}",
            Unit::Count => "",
        };
        let (confidence, value) = (fact.confidence.name(), fact.value);
        format!(
            "| {} | {value}{unit} | {confidence} | {} |\n",
            fact.meaning, fact.source
        )
    };
    host::FACTS.iter().map(row).collect()
}
