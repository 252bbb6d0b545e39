//! The model on its way through the host: reading weights, saving a checkpoint.

use super::facts;
use super::job::HostJob;
use crate::ask::Checkpoint;
use crate::units::Bytes;

/// Private memory of one process while the weights come in, until they are on the device. All
/// ranks of a node read at the same time.
pub(super) fn loading(job: &HostJob) -> Bytes {
    let parameters = job.parameter_bytes;
    match job.checkpoint {
        Checkpoint::SameDtype => left_by_loading(job),
        Checkpoint::Converted | Checkpoint::RandomInit => parameters + left_by_loading(job),
        // The new model and the dictionary it is filled from.
        Checkpoint::StateDict => parameters + parameters + left_by_loading(job),
        // Mapped files are in the page cache: the new model alone.
        Checkpoint::MappedStateDict | Checkpoint::TorchLoad => parameters,
        Checkpoint::Mapped => Bytes::ZERO,
        // `Module.to` converts one parameter at a time, the largest (the embedding) first, and
        // frees each once it is replaced.
        Checkpoint::Cast => job.cast_from + job.cast_tensor + left_by_loading(job),
    }
}

/// Bytes left of it once the model is on the device.
pub(super) fn left_by_loading(job: &HostJob) -> Bytes {
    match job.checkpoint {
        Checkpoint::SameDtype | Checkpoint::Converted | Checkpoint::Cast
            if job.parameter_bytes > Bytes::ZERO =>
        {
            facts::MODEL_MMAP.bytes()
        }
        _ => Bytes::ZERO,
    }
}

/// Memory of saving in the rank that saves: `save_pretrained` brings all tensors of a shard to
/// the host before writing, `torch.save` of the optimizer one tensor at a time; a full state is
/// gathered as a whole. What is on the host already is written from where it is.
pub(super) fn saving(job: &HostJob) -> Bytes {
    if !job.cuda {
        return Bytes::ZERO;
    }
    if let Some(gathered) = job.gathered {
        return gathered;
    }
    let shard = job.saved_parameter_bytes.min(job.max_shard);
    let tensor = job.largest_tensor_bytes.min(job.saved_optimizer_bytes);
    shard.max(tensor)
}

/// Pages of the saved files in the page cache.
pub(super) fn saved_cache(job: &HostJob) -> Bytes {
    job.saved_parameter_bytes + job.saved_optimizer_bytes
}
