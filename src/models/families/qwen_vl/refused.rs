//! Cases of Qwen's models that see images that are not estimated.

use crate::ask::{Finding, Scenario, Task, message};
use crate::families::image_text::{image_size, refused};
use crate::model::{Architecture, PackedConfig};

/// Windows that one forward pass may see, each of which is attended to by itself.
const WINDOWS: u64 = 1 << 14;

/// Refuses more windows than are simulated, and settings that are refused for all models that see images.
pub(crate) fn check(
    scenario: &Scenario,
    architecture: &Architecture,
    task: Task,
    findings: &mut Vec<Finding>,
) {
    if let Some(images) = architecture.images()
        && let Some(config) = images.packed()
    {
        // Errors of the sides themselves are reported already.
        let sides = image_size::packed(scenario, images, &mut Vec::new());
        check_windows(scenario, config, sides, findings);
    }
    refused::check(scenario, architecture, task, findings);
}

fn check_windows(
    scenario: &Scenario,
    config: &PackedConfig,
    sides: [u64; 2],
    findings: &mut Vec<Finding>,
) {
    let of_image = config.windows(sides, false).len().max(1) as u64;
    let images = scenario.micro_batch_size.saturating_mul(scenario.images);
    if images.saturating_mul(of_image) > WINDOWS {
        findings.push(
            Finding::error(
                "images",
                message!(
                    qwen_vl::too_many_windows,
                    images,
                    of_image,
                    windows = WINDOWS
                ),
            )
            .with_fix("images", 1),
        );
    }
}
