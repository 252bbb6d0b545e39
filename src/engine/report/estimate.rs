//! The whole answer: device, host and verdict.

use super::others::others;
use super::rank_run::RankRun;
use super::ranks::with_binding_run;
use super::vllm;
use super::{Asked, Fit};
use super::{Communication, Compute, DeviceReport, ModelReport, Report, Timeline, Verdict};
use crate::ask::{DataParallelKind, Finding, Precision, Scenario, Severity, message};
use crate::device::Failure;
use crate::host::{self, HostEstimate, HostInputs, HostParameter};
use crate::model::ResolvedSpec;
use crate::resolve::Resolution;
use crate::sim::{ModelParameter, Trace};
use crate::tape::Category;
use crate::units::{Bytes, DType};
use serde::{Deserialize, Serialize};

/// The answer to a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The report.
    pub report: Report,
    /// Memory over program order.
    pub timeline: Timeline,
    /// The request at which PyTorch runs out of memory on the scenario's device, when it does.
    pub failure: Option<Failure>,
    /// Whether streams use memory of other streams, so that it matters how far the device lags behind
    /// ([`super::lagging()`]).
    pub shares_streams: bool,
    /// Number of ranks, from the estimated rank on, that certainly do the same work.
    pub alike: u64,
}

impl Estimate {
    /// Writes the estimate as text, for another thread.
    pub fn written(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }

    /// Reads what another thread has written of a scenario; `None` where it is none, or has no answer.
    pub fn read(text: &str, scenario: &Scenario) -> Option<Self> {
        let mut read: Self = serde_json::from_str(text).ok()?;
        let Resolution { spec, findings } = crate::resolve::resolve(scenario);
        let report = &mut read.report;
        report.findings = all_findings(findings, &spec?, &report.model, &report.device);
        Some(read)
    }
}

/// For a process that makes many estimates natively: from here on glibc keeps as much freed memory as
/// they need. It would give it back to the system after each, which costs a tenth of an estimate.
///
/// Its threshold follows the largest block that was mapped and freed: `M_MMAP_THRESHOLD` and
/// `M_TRIM_THRESHOLD` of mallopt(3), glibc 2.36. Nothing happens with another allocator.
pub fn keep_memory() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(1 << 20)));
}

/// The answer to a scenario: resolved, simulated, replayed and summed up.
///
/// # Errors
/// The findings about the scenario, most serious first.
pub fn estimate(scenario: &Scenario) -> Result<Estimate, Vec<Finding>> {
    let Resolution { spec, findings } = crate::resolve::resolve(scenario);
    let Some(spec) = spec else {
        return Err(findings);
    };
    answer(RankRun::of_binding_rank(spec), findings)
}

/// Estimates, also the work of the rank that does most: of a pipeline the rank that takes most memory, or the
/// last, which has the head and the loss.
///
/// # Errors
/// Those of [`estimate`].
pub fn estimate_with_most_work(
    scenario: &Scenario,
) -> Result<(Estimate, (Compute, Communication)), Vec<Finding>> {
    let Resolution { spec, findings } = crate::resolve::resolve(scenario);
    let Some(spec) = spec else {
        return Err(findings);
    };
    let (run, last) = RankRun::of_binding_rank_and_last(spec);
    let estimate = answer(run, findings)?;
    let device = &estimate.report.device;
    let (mut compute, mut communication) = (device.compute, device.communication);
    if let Some((computed, sent)) = last {
        if computed.total() > compute.total() {
            compute = computed;
        }
        if sent.total() > communication.total() {
            communication = sent;
        }
    }
    Ok((estimate, (compute, communication)))
}

/// Estimates, also all ranks that differ ([`super::ranks()`]), each simulated once.
///
/// # Errors
/// Those of [`estimate`].
pub fn estimate_with_ranks(scenario: &Scenario) -> Result<Estimate, Vec<Finding>> {
    let Resolution { spec, findings } = crate::resolve::resolve(scenario);
    let Some(spec) = spec else {
        return Err(findings);
    };
    let (ranks, run) = with_binding_run(scenario);
    let run = run.unwrap_or_else(|| RankRun::of_binding_rank(spec));
    let mut estimate = answer(run, findings)?;
    estimate.report.ranks = ranks;
    Ok(estimate)
}

/// The answer by the run of a rank; a finding when that holds no phase, which no program of the engine makes.
fn answer(run: RankRun, findings: Vec<Finding>) -> Result<Estimate, Vec<Finding>> {
    let alike = run.alike();
    let RankRun {
        spec,
        trace,
        summary,
    } = run;
    let Some(summary) = summary else {
        return Err(vec![Finding::error("program", message!(report::no_phase))]);
    };
    let model = ModelReport {
        name: spec.model_name.clone(),
        num_parameters: trace.num_parameters,
        num_trainable: trace.num_trainable,
    };
    if let Some(finding) = vllm::too_small(&spec, &model) {
        return Err(vec![finding]);
    }
    let findings = all_findings(findings, &spec, &model, &summary.report);
    let host = host::estimate(&spec, &host_inputs(&spec, &trace, &summary.asked));
    let verdict = verdict(&spec, &summary.report, &host);
    let others = others(&spec, &trace, &summary.report);
    let report = Report {
        model,
        global_batch_size: global_batch_size(&spec),
        device: summary.report,
        host,
        verdict,
        others,
        ranks: Vec::new(),
        findings,
    };
    Ok(Estimate {
        report,
        timeline: summary.timeline,
        failure: summary.failure,
        shares_streams: trace.record.written().share_streams(),
        alike,
    })
}

/// Findings beside an answer: those about the scenario, and those about the answer.
fn all_findings(
    of_scenario: Vec<Finding>,
    spec: &ResolvedSpec,
    model: &ModelReport,
    device: &DeviceReport,
) -> Vec<Finding> {
    let of_scenario = of_scenario.into_iter();
    of_scenario
        .filter(|finding| finding.severity != Severity::Error)
        .chain(vllm::too_large(spec, model, device))
        .chain(vllm::too_short(spec, model))
        .collect()
}

/// Samples that an optimizer step sees over all devices. Processes that share a GPU are jobs of
/// their own, and where nothing divides them among several GPUs, each trains alone.
fn global_batch_size(spec: &ResolvedSpec) -> u64 {
    let scenario = &spec.scenario;
    let shared = scenario.hardware.processes_per_gpu > 1;
    let alone = shared && scenario.parallelism.dp.kind == DataParallelKind::None;
    let ranks = if alone { 1 } else { spec.mesh.dp };
    let in_a_step = if spec.is_pipelined() || spec.is_of_megatron_core() {
        spec.parallelism.pp.in_a_step()
    } else {
        1
    };
    [spec.gradient_accumulation_steps, in_a_step, ranks]
        .into_iter()
        .fold(spec.micro_batch_size, u64::saturating_mul)
}

fn verdict(spec: &ResolvedSpec, device: &DeviceReport, host: &HostEstimate) -> Verdict {
    // Without a CUDA context it all happens on the host.
    let needed = if spec.scenario.host.cuda {
        device.total
    } else {
        Bytes::ZERO
    };
    let device_fit = Fit::new(needed, device.usable);
    let host_fit = Fit::new(host.peak.total, spec.host.ram);
    Verdict {
        fits: device_fit.fits && host_fit.fits,
        binding_phase: device.highest().phase,
        device: device_fit,
        host: host_fit,
        swapped: host_fit.shortfall().min(spec.host.swap),
    }
}

/// Each rounded as PyTorch's pinned allocator rounds.
fn pinned(sizes: &[u64]) -> Bytes {
    sizes
        .iter()
        .map(|&bytes| Bytes(bytes).power_of_two_ceil())
        .sum()
}

fn host_parameter(parameter: &ModelParameter) -> HostParameter {
    HostParameter {
        elements: parameter.elements,
        bytes: Bytes(parameter.bytes),
        layer: parameter.layer,
        trained: parameter.trained,
        ranks: parameter.ranks,
    }
}

/// The facts that the host model takes from the device's side.
fn host_inputs(spec: &ResolvedSpec, trace: &Trace, asked: &Asked) -> HostInputs {
    let stays = |category| matches!(category, Category::Parameters | Category::OptimizerStates);
    let staying = trace.record.written().iter().filter(|s| stays(s.category));
    // Wrappers move parameters to memory of their own: they are counted as the model has them.
    let model = trace.parameters.iter().map(|parameter| parameter.bytes);
    let (whole, largest) = if trace.parameters.is_empty() {
        let largest = staying.map(|s| s.bytes).max();
        (asked.parameters, largest.unwrap_or(0))
    } else {
        (model.clone().sum(), model.max().unwrap_or(0))
    };
    let on_the_cpu = !spec.scenario.host.cuda;
    // numpy has no bfloat16.
    let array = match spec.precision {
        Precision::Fp16 => DType::Float16,
        _ => DType::Float32,
    };
    // PEFT keeps adapters in float32 and saves only them.
    let saved = if spec.lora.is_some() {
        trace.num_trainable * DType::Float32.size()
    } else {
        whole
    };
    HostInputs {
        parameter_bytes: Bytes(whole),
        saved_parameter_bytes: Bytes(saved),
        optimizer_state_bytes: Bytes(asked.optimizer_states),
        parameters: trace.parameters.iter().map(host_parameter).collect(),
        host_copies: trace.host_copies.iter().map(|&bytes| Bytes(bytes)).sum(),
        host_copies_pinned: pinned(&trace.host_copies),
        host_activations_pinned: pinned(&trace.host_activations),
        training: Bytes(if on_the_cpu { asked.tensors } else { 0 }),
        predictions: Bytes(trace.predicted * array.size()),
        largest_tensor_bytes: Bytes(largest),
        vocab_size: spec
            .architecture
            .dimensions()
            .map_or(0, |sizes| sizes.vocab_size),
    }
}
